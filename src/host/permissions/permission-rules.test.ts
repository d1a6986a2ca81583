import { expect, test } from 'vitest';
import { createRedactor } from '../../contract/redact.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { parseLayer } from '../config/config-layer.ts';
import type { PermissionRule } from '../config/settings/permission-settings.ts';
import { compileGlob, isGlobFree } from './glob.ts';
import { loadRules, NO_RULES, ruleMatches } from './permission-rules.ts';
import { Permissions } from './permissions.ts';
import type { Extent } from './read-answer.ts';

const load = (permissions: unknown, ...more: string[]) =>
  loadRules([JSON.stringify({ permissions }), ...more].map((text) => parseLayer('global', 'config.json', text)));
const ASK_ALWAYS = { deny: [], allow: [], ask: ['*/*'] };

test.each([[null], ['text'], [7], [true], [{ deny: null }], [{ deny: 'a/b' }], [{ deny: {} }]])(
  'where permissions are %j nobody can say what is forbidden: every call asks',
  (permissions) => {
    const { rules, warnings } = load(permissions);
    expect([rules, warnings.length > 0]).toEqual([ASK_ALWAYS, true]);
  },
);

test('invalid rules are reported by list and position; with an invalid deny rule, allow rules do not count', () => {
  const rule = { match: 'a/*', read_only: true };
  expect([
    load({ deny: ['a/b'], allow: [rule], ask: ['c/?'] }),
    load({ allow: ['a/b', 7, ''], ask: [{ match: 'a/b' }] }),
    load({ deny: ['a/b', 7], allow: ['c/d'] }),
    load({}),
    load({ allow: ['a/b'] }, '{"permissions":{"allow":["c/d"]}}'),
    load({ allow: ['a/b'] }, '{ no json').rules,
  ]).toEqual([
    { rules: { deny: ['a/b'], allow: [rule], ask: ['c/?'] }, warnings: [] },
    {
      rules: { deny: [], allow: ['a/b'], ask: [] },
      warnings: [
        'permissions.allow[1] of the global config is no rule',
        'permissions.allow[2] of the global config is no rule',
        'permissions.ask[0] of the global config is no rule',
      ],
    },
    {
      rules: { deny: ['a/b'], allow: [], ask: ['*/*'] },
      warnings: ['permissions.deny[1] of the global config is no rule'],
    },
    { rules: { deny: [], allow: [], ask: [] }, warnings: [] },
    { rules: { deny: [], allow: ['a/b', 'c/d'], ask: [] }, warnings: [] },
    ASK_ALWAYS,
  ]);
});

test('a permissions section that is a bare list counts as every list, so it denies', () => {
  expect(load(['a/b'])).toEqual({ rules: { deny: ['a/b'], allow: ['a/b'], ask: ['a/b'] }, warnings: [] });
});

test('a read-only rule applies to read-only tools only', () => {
  const rules = ['s/t', { match: 's/t', read_only: true }, { match: 's/t', read_only: false }];
  expect(rules.map((rule) => [ruleMatches(rule, 's/t', true), ruleMatches(rule, 's/t', false)])).toEqual([
    [true, true],
    [true, false],
    [true, true],
  ]);
  expect(rules.some((rule) => ruleMatches(rule, 's/u', true))).toBe(false);
});

test.each([
  ['a/*', 'a/b', true],
  ['a/*', 'a/', true],
  ['a/*', 'a/b/c', false],
  ['a/?', 'a/b', true],
  ['a/?', 'a/', false],
  ['a/?', 'a//', false],
  ['a.b/c', 'axb/c', false],
  ['a/**', 'a/b', true],
  ['A/b', 'a/b', false],
  ['a/b', 'a/b\n', false],
  ['a/[b]', 'a/b', false],
])('the glob %s speaks of %j: %s', (glob, name, matches) => {
  expect(compileGlob(glob)(name)).toBe(matches);
});

test('a name with a star, a question mark or a slash could match others', () => {
  expect(['a', 'a*', 'a?', 'a/b', 'a.b'].map(isGlobFree)).toEqual([true, false, false, false, true]);
});

test('an answer "always" is stored as a rule only if its names match only themselves', async () => {
  const rulesFor = async (extent: Extent, server: string, tool: string) => {
    const remembered: PermissionRule[] = [];
    const checker = new Permissions({
      rules: () => NO_RULES,
      mode: 'minimal',
      prompt: async () => ({ decision: 'allow', remember: 'always', extent }),
      remember: async (rule) => void remembered.push(rule),
      redactor: () => createRedactor(),
      log: createMemoryLog(),
    });
    const call = { server, tool, arguments: {}, readOnly: true, destructive: false, declared: true };
    await checker.check(call, new AbortController().signal);
    return remembered;
  };
  expect([
    await rulesFor('tool', 's', 't'),
    await rulesFor('tool', 's', 't*'),
    await rulesFor('tool', 's?', 't'),
    await rulesFor('server', 's', 't*'),
    await rulesFor('server', 's*', 't'),
    await rulesFor('read_only', 's', 't/u'),
    await rulesFor('read_only', 's/x', 't'),
  ]).toEqual([['s/t'], [], [], ['s/*'], [], [{ match: 's/*', read_only: true }], []]);
});
