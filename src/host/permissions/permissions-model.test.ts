import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../contract/redact.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { PermissionRule } from '../config/settings/permission-settings.ts';
import { NO_RULES, type PermissionRules } from './permission-rules.ts';
import { type ApprovalMode, Permissions, type ToolCall } from './permissions.ts';
import type { Extent, PermissionAnswer } from './read-answer.ts';

interface Step {
  readonly call: ToolCall;
  readonly rules: PermissionRules;
  /** The rules once the person has answered. */
  readonly later: PermissionRules;
  readonly answer: PermissionAnswer;
}

const SERVERS = ['s', 't', 's*'];
const TOOLS = ['x', 'y', 'x?', 'a/b'];
const EXTENTS: readonly Extent[] = ['tool', 'server', 'read_only'];

/** Whether a rule speaks of a call; rules of this test name a server, and a tool or any without a slash. */
function speaksOf(rule: PermissionRule, { server, tool, readOnly }: ToolCall): boolean {
  const [of, named] = (typeof rule === 'string' ? rule : rule.match).split('/');
  const isOf = of === server && (named === '*' ? !tool.includes('/') : named === tool);
  return isOf && (typeof rule === 'string' || !rule.read_only || readOnly);
}

function naiveJudgement(call: ToolCall, rules: PermissionRules, mode: ApprovalMode): 'allow' | 'deny' | 'ask' {
  const hit = (list: readonly PermissionRule[]) => list.filter((rule) => speaksOf(rule, call)).length > 0;
  if (hit(rules.deny)) return 'deny';
  if (hit(rules.allow)) return 'allow';
  if (hit(rules.ask) || call.tool.includes('/') || mode === 'minimal') return 'ask';
  return mode === 'full-access' || call.readOnly ? 'allow' : 'ask';
}

/** What a person granted for the session, as a sentence of three words. */
interface Granted {
  readonly extent: Extent;
  readonly server: string;
  readonly tool: string;
}

function isGranted(call: ToolCall, granted: readonly Granted[]): boolean {
  return granted.some(
    ({ extent, server, tool }) =>
      server === call.server &&
      ((extent === 'tool' && tool === call.tool) || extent === 'server' || (extent === 'read_only' && call.readOnly)),
  );
}

/** How the steps end, who is asked and what is written into the config, one after the other. */
function naiveStory(steps: readonly Step[], mode: ApprovalMode): string[] {
  const granted: Granted[] = [];
  return steps.map(({ call, rules, later, answer }) => {
    const { server, tool } = call;
    const judged = naiveJudgement(call, rules, mode);
    if (judged === 'deny') return 'a rule of the config forbids it';
    if (judged === 'allow' || isGranted(call, granted)) return 'allowed';
    if (answer.decision === 'deny') return `asked, ${answer.reason ?? 'the person said no'}`;
    if (naiveJudgement(call, later, mode) === 'deny') return 'asked, a rule of the config forbids it';
    if (answer.remember === 'once') return 'asked, allowed';
    granted.push({ extent: answer.extent, server, tool });
    const names = answer.extent === 'tool' ? server + tool : server;
    if (answer.remember === 'session' || /[*?/]/.test(names)) return 'asked, allowed';
    const match = `${server}/${answer.extent === 'tool' ? tool : '*'}`;
    return `asked, wrote ${JSON.stringify(answer.extent === 'read_only' ? { match, read_only: true } : match)}, allowed`;
  });
}

async function realStory(steps: readonly Step[], mode: ApprovalMode): Promise<string[]> {
  let [rules, said] = [NO_RULES, [] as string[]];
  let current: Step | undefined;
  const permissions = new Permissions({
    rules: () => rules,
    mode,
    prompt: async () => {
      said.push('asked');
      rules = current?.later ?? rules;
      return current?.answer as PermissionAnswer;
    },
    remember: async (rule) => void said.push(`wrote ${JSON.stringify(rule)}`),
    redactor: () => createRedactor(),
    log: createMemoryLog(),
  });
  const story: string[] = [];
  for (const step of steps) {
    [current, rules, said] = [step, step.rules, []];
    const end = await permissions.check(step.call, new AbortController().signal).then(
      () => 'allowed',
      ({ members }) => members.reason as string,
    );
    story.push([...said, end].join(', '));
  }
  return story;
}

test('[host:H8] [host:M7] over any sequence of calls, answers and rule changes, the result equals that of a naive model', async () => {
  const rule = fc.oneof(
    fc.constantFrom('s/x', 's/*', 't/y', 't/*'),
    fc.record({ match: fc.constantFrom('s/*', 't/x'), read_only: fc.boolean() }),
  );
  const list = fc.array(rule, { maxLength: 2 });
  const rules = fc.oneof(
    { weight: 2, arbitrary: fc.constant(NO_RULES) },
    fc.record({ deny: list, allow: list, ask: list }),
  );
  const call = fc.record({
    server: fc.constantFrom(...SERVERS),
    tool: fc.constantFrom(...TOOLS),
    arguments: fc.constant({}),
    readOnly: fc.boolean(),
    destructive: fc.boolean(),
    declared: fc.boolean(),
  });
  const answer: fc.Arbitrary<PermissionAnswer> = fc.oneof(
    fc.constantFrom<PermissionAnswer>(
      { decision: 'deny' },
      { decision: 'deny', reason: 'not today' },
      { decision: 'allow', remember: 'once' },
    ),
    fc.record({
      decision: fc.constant('allow' as const),
      remember: fc.constantFrom('session' as const, 'always' as const),
      extent: fc.constantFrom(...EXTENTS),
    }),
  );
  const steps = fc.array(fc.record({ call, rules, later: rules, answer }), { maxLength: 8 });
  const mode = fc.constantFrom<ApprovalMode>('minimal', 'trusted', 'full-access');
  await fc.assert(
    fc.asyncProperty(steps, mode, async (given, chosen) => {
      expect(await realStory(given, chosen)).toEqual(naiveStory(given, chosen));
    }),
    { numRuns: 1_000 },
  );
});

test('[host:H8] only the secrets of the called server are masked', async () => {
  const asked: unknown[] = [];
  const permissions = new Permissions({
    rules: () => NO_RULES,
    mode: 'minimal',
    prompt: async (request) => {
      asked.push([request.server, request.arguments]);
      return { decision: 'allow', remember: 'once' };
    },
    remember: async () => {},
    redactor: (server) => createRedactor([`secret-of-${server}`]),
    log: createMemoryLog(),
  });
  const call = { tool: 'x', arguments: { a: 'secret-of-s', b: 'secret-of-t' }, readOnly: false, destructive: false };
  for (const server of ['s', 't'])
    await permissions.check({ ...call, server, declared: true }, new AbortController().signal);
  expect(asked).toEqual([
    ['s', { a: '***', b: 'secret-of-t' }],
    ['t', { a: 'secret-of-s', b: '***' }],
  ]);
});

test('[host:H8] a call whose client left before its turn is skipped, and the next one is asked', async () => {
  const asked: string[] = [];
  let answerFirst = (_answer: PermissionAnswer) => {};
  const permissions = new Permissions({
    rules: () => NO_RULES,
    mode: 'minimal',
    prompt: async ({ tool }) => {
      asked.push(tool);
      if (tool !== 'first') return { decision: 'allow', remember: 'once' };
      return new Promise((resolve) => {
        answerFirst = resolve;
      });
    },
    remember: async () => {},
    redactor: () => createRedactor(),
    log: createMemoryLog(),
  });
  const check = (tool: string, signal = new AbortController().signal) =>
    permissions.check(
      { server: 's', tool, arguments: {}, readOnly: false, destructive: false, declared: true },
      signal,
    );
  const left = new AbortController();
  const [first, second, third] = [check('first'), check('second', left.signal), check('third')];
  left.abort();
  await expect(second).rejects.toThrow();
  answerFirst({ decision: 'deny' });
  await expect(first).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  await third;
  expect(asked).toEqual(['first', 'third']);
});

test('[host:H8] an answer that arrives as its client leaves allows nothing and is not remembered', async () => {
  const left = new AbortController();
  const remembered: PermissionRule[] = [];
  const log = createMemoryLog();
  const permissions = new Permissions({
    rules: () => NO_RULES,
    mode: 'minimal',
    prompt: async () => {
      left.abort();
      return { decision: 'allow', remember: 'always', extent: 'server' };
    },
    remember: async (rule) => void remembered.push(rule),
    redactor: () => createRedactor(),
    log,
  });
  const call = { server: 's', tool: 'x', arguments: {}, readOnly: false, destructive: false, declared: true };
  await expect(permissions.check(call, left.signal)).rejects.toThrow();
  await new Promise((resolve) => setImmediate(resolve));
  expect([remembered, log.lines]).toEqual([[], []]);
});
