import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../contract/redact.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { parseLayer } from '../config/config-layer.ts';
import type { PermissionRule } from '../config/settings/permission-settings.ts';
import { compileGlob } from './glob.ts';
import { loadRules, NO_RULES, type PermissionRules } from './permission-rules.ts';
import { type ApprovalMode, judge, type PermissionRequest, Permissions } from './permissions.ts';
import type { PermissionAnswer } from './read-answer.ts';

const signal = new AbortController().signal;
const call = (tool: string, more: object = {}) => ({
  ...{ server: 'files', tool, arguments: {}, readOnly: false, destructive: false, declared: true },
  ...more,
});

function permissions(
  answers: PermissionAnswer[],
  rules: Partial<PermissionRules> = {},
  mode: ApprovalMode = 'minimal',
) {
  const asked: PermissionRequest[] = [];
  const remembered: PermissionRule[] = [];
  const checker = new Permissions({
    rules: () => ({ ...NO_RULES, ...rules }),
    mode,
    prompt: async (request) => {
      asked.push(request);
      return answers.shift() as PermissionAnswer;
    },
    remember: async (rule) => void remembered.push(rule),
    redactor: () => createRedactor(['planted-secret']),
    log: createMemoryLog(),
  });
  return { checker, asked, remembered };
}

describe('globs', () => {
  test.each([
    ['files/*', 'files/read', true],
    ['files/*', 'files/a/b', false],
    ['*/read', 'files/read', true],
    ['*', 'files/read', false],
    ['f?les/read', 'files/read', true],
    ['files?read', 'files/read', false],
    ['Files/read', 'files/read', false],
    ['files/read.*', 'files/readx', false],
    ['files/*_file', 'files/read_file', true],
    ['files/**', 'files/read', true],
  ])('[host:M7] [gateway:M7] %s on %s: %s', (glob, name, matches) => {
    expect(compileGlob(glob)(name)).toBe(matches);
  });

  test('[host:M7] agree with a naive matcher', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '?', '.', '[', '\\', '😀'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (glob, name) => {
        expect(compileGlob(glob)(name)).toBe(naiveMatch([...glob], [...name]));
      }),
      { numRuns: 3000 },
    );
  });

  test('[host:M7] a hostile glob takes no exponential time', () => {
    expect(compileGlob(`${'*'.repeat(50)}b`)('a'.repeat(5000))).toBe(false);
  });
});

describe('the judgement', () => {
  test.each([
    [{ deny: ['files/*'], allow: ['files/read'] }, 'full-access', 'deny'],
    [{ allow: ['files/read'], ask: ['files/read'] }, 'minimal', 'allow'],
    [{ ask: ['files/*'] }, 'full-access', 'ask'],
    [{}, 'minimal', 'ask'],
    [{}, 'trusted', 'ask'],
    [{}, 'full-access', 'allow'],
  ] as const)('[host:M7] [host:H8] %j in mode %s: %s', (rules, mode, judgement) => {
    expect(judge(call('read'), { ...NO_RULES, ...rules }, mode)).toBe(judgement);
  });

  test('[host:H8] mode trusted and read-only rules allow tools that are declared read-only', () => {
    const readOnly = call('read', { readOnly: true });
    const rule = { allow: [{ match: 'files/*', read_only: true }] };
    expect(judge(readOnly, NO_RULES, 'trusted')).toBe('allow');
    expect(judge(readOnly, { ...NO_RULES, ...rule }, 'minimal')).toBe('allow');
    expect(judge(call('read'), { ...NO_RULES, ...rule }, 'minimal')).toBe('ask');
  });

  test('[host:H8] a tool name with a slash does not bypass a deny rule through the mode', () => {
    expect(judge(call('a/b'), { ...NO_RULES, deny: ['files/*'] }, 'full-access')).toBe('ask');
  });

  test('[host:M7] agrees with a naive model', () => {
    const rule = fc.oneof(
      fc.constantFrom('files/*', 'files/read', '*/write', 'x/y', '*/*'),
      fc.record({ match: fc.constantFrom('files/*', '*/read'), read_only: fc.boolean() }),
    );
    const rules = fc.record({ deny: fc.array(rule), allow: fc.array(rule), ask: fc.array(rule) });
    const mode = fc.constantFrom<ApprovalMode>('minimal', 'trusted', 'full-access');
    fc.assert(
      fc.property(rules, fc.constantFrom('read', 'write'), fc.boolean(), mode, (given, tool, readOnly, chosen) => {
        const hit = (list: readonly PermissionRule[]) =>
          list.filter((one) => {
            const glob = typeof one === 'string' ? one : one.match;
            const wantsReadOnly = typeof one !== 'string' && one.read_only;
            return naiveMatch([...glob], [...`files/${tool}`]) && (readOnly || !wantsReadOnly);
          }).length > 0;
        const byMode = chosen === 'full-access' ? 'allow' : chosen === 'trusted' && readOnly ? 'allow' : 'ask';
        const expected = hit(given.deny) ? 'deny' : hit(given.allow) ? 'allow' : hit(given.ask) ? 'ask' : byMode;
        expect(judge(call(tool, { readOnly }), given, chosen)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('asking', () => {
  test('[host:H8] [host:X21] shows server, tool and masked arguments', async () => {
    const { checker, asked } = permissions([{ decision: 'allow', remember: 'once' }]);
    const args = { path: '/tmp/planted-secret', apiKey: 'abc123' };
    await checker.check(call('read', { arguments: args, destructive: true, declared: true }), signal);
    expect(asked).toEqual([
      {
        server: 'files',
        tool: 'read',
        arguments: { path: '/tmp/***', apiKey: '***' },
        readOnly: false,
        destructive: true,
        declared: true,
      },
    ]);
  });

  test.each([
    ['once', undefined, ['read', 'read', 'write'], []],
    ['session', 'tool', ['read', 'write'], []],
    ['session', 'server', ['read'], []],
    ['always', 'tool', ['read', 'write'], ['files/read']],
    ['always', 'server', ['read'], ['files/*']],
    ['always', 'read_only', ['read', 'write'], [{ match: 'files/*', read_only: true }]],
  ])('[host:H8] an answer %s for %s leaves the questions %j', async (remember, extent, questions, written) => {
    const yes = { decision: 'allow', remember, extent } as PermissionAnswer;
    const { checker, asked, remembered } = permissions([yes, yes, yes]);
    await checker.check(call('read', { readOnly: true }), signal);
    await checker.check(call('read', { readOnly: true }), signal);
    await checker.check(call('write'), signal);
    expect(asked.map(({ tool }) => tool)).toEqual(questions);
    expect(remembered.slice(0, 1)).toEqual(written);
  });

  test('[host:H8] a refusal is an error that says why', async () => {
    const { checker } = permissions([{ decision: 'deny', reason: 'not today' }, { decision: 'deny' }], {
      deny: ['*/wipe'],
    });
    await expect(checker.check(call('read'), signal)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      detail: 'Permission denied: not today',
    });
    await expect(checker.check(call('read'), signal)).rejects.toMatchObject({
      detail: 'Permission denied: the person said no',
    });
    await expect(checker.check(call('wipe'), signal)).rejects.toMatchObject({
      detail: 'Permission denied: a rule of the config forbids it',
    });
  });

  test('[host:H8] without a person to ask, the call is denied', async () => {
    const checker = new Permissions({
      ...{
        rules: () => NO_RULES,
        mode: 'minimal',
        prompt: undefined,
        remember: async () => {},
        redactor: () => createRedactor(),
        log: createMemoryLog(),
      },
    });
    await expect(checker.check(call('read'), signal)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  test('[host:H8] simultaneous calls ask one after the other, and one answer can cover the rest', async () => {
    const { checker, asked } = permissions([{ decision: 'allow', remember: 'session', extent: 'tool' }]);
    await Promise.all([1, 2, 3].map(() => checker.check(call('read'), signal)));
    expect(asked).toHaveLength(1);
  });

  test('[host:H8] a tool whose name is a glob is not remembered as a rule for other tools', async () => {
    const { checker, asked, remembered } = permissions([
      { decision: 'allow', remember: 'always', extent: 'tool' },
      { decision: 'allow', remember: 'once' },
    ]);
    await checker.check(call('*'), signal);
    await checker.check(call('*'), signal);
    await checker.check(call('write'), signal);
    expect([asked.map(({ tool }) => tool), remembered]).toEqual([['*', 'write'], []]);
  });
});

describe('rules of the config', () => {
  const layer = (scope: 'global' | 'project', permissions_: unknown) =>
    parseLayer(scope, '/f', JSON.stringify({ permissions: permissions_ }));

  test('[host:M7] are merged over the layers; allow rules of a project do not count', () => {
    const own = { deny: ['a/*'], projects: { '/p': { allow: ['p/x'] }, '/q': { allow: ['q/x'] } } };
    const layers = [
      layer('global', own),
      layer('project', { deny: ['b/*'], allow: ['c/d'], projects: { '/p': { allow: ['*/*'] } } }),
    ];
    const rules = { deny: ['a/*', 'b/*'], allow: ['p/x'], ask: [] };
    const warnings = ['permissions.allow of the project config is ignored: only your own config may allow tools'];
    expect(loadRules(layers, '/p')).toEqual({ rules, warnings });
  });

  test('[host:M7] an invalid rule is named, and an invalid deny rule makes every call ask, in every mode', () => {
    const { rules } = loadRules([layer('global', { deny: [{ match: 1 }], allow: ['files/read'] })]);
    expect(judge(call('read', { readOnly: true }), rules, 'full-access')).toBe('ask');
    expect(loadRules([layer('global', { deny: [{ match: 1 }], allow: ['x/y'] })])).toEqual({
      rules: { deny: [], allow: [], ask: ['*/*'] },
      warnings: ['permissions.deny[0] of the global config is no rule'],
    });
    expect(loadRules([layer('global', { allow: ['x/y', 7] })])).toEqual({
      rules: { deny: [], allow: ['x/y'], ask: [] },
      warnings: ['permissions.allow[1] of the global config is no rule'],
    });
  });

  test.each([
    ['is no JSON', '{"permissions":{"deny":["files/*"]}'],
    ['says deny twice', '{"permissions":{"deny":["files/*"],"deny":[]}}'],
  ])('[host:M7] a file that %s may have forbidden something: every call asks', (_name, text) => {
    const { rules } = loadRules([parseLayer('global', '/f', text), layer('project', { allow: ['files/read'] })]);
    expect(judge(call('read', { readOnly: true }), rules, 'full-access')).toBe('ask');
  });
});

function naiveMatch(glob: string[], name: string[]): boolean {
  if (glob.length === 0) return name.length === 0;
  const [first, ...rest] = glob;
  if (first === '*') {
    return naiveMatch(rest, name) || (name.length > 0 && name[0] !== '/' && naiveMatch(glob, name.slice(1)));
  }
  if (name.length === 0) return false;
  return (first === '?' ? name[0] !== '/' : first === name[0]) && naiveMatch(rest, name.slice(1));
}
