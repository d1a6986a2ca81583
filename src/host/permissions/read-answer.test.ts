import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../contract/redact.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { PermissionRule } from '../config/settings/permission-settings.ts';
import { NO_RULES, type PermissionRules } from './permission-rules.ts';
import { type PermissionPrompt, Permissions } from './permissions.ts';
import { readAnswer } from './read-answer.ts';

const signal = new AbortController().signal;
const call = (tool = 'read') => ({
  server: 'files',
  tool,
  arguments: {},
  readOnly: false,
  destructive: true,
  declared: true,
});

/** Permissions whose prompt answers whatever it is given, as a program without types would. */
function answering(prompt: (signal: AbortSignal) => unknown, rules: () => PermissionRules = () => NO_RULES) {
  const remembered: PermissionRule[] = [];
  const log = createMemoryLog();
  const checker = new Permissions({
    rules,
    mode: 'minimal',
    prompt: ((_request, aborts) => prompt(aborts)) as PermissionPrompt,
    remember: async (rule) => void remembered.push(rule),
    redactor: () => createRedactor([]),
    log,
  });
  return { checker, remembered, log };
}

const shifting = (...values: unknown[]) => ({
  get decision() {
    return values.length > 1 ? values.shift() : values[0];
  },
  remember: 'once',
});
const revoked = Proxy.revocable({}, {});
revoked.revoke();

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /is a value of type undefined/],
  ['null', null, /is null/],
  ['false', false, /is a value of type boolean/],
  ['true', true, /is a value of type boolean/],
  ['the word allow', 'allow', /is a value of type string/],
  ['the word deny', 'deny', /is a value of type string/],
  ['a number', 1, /is a value of type number/],
  ['a function', () => ({ decision: 'allow', remember: 'once' }), /is a value of type function/],
  ['an array', [{ decision: 'allow', remember: 'once' }], /is an array/],
  ['an empty object', {}, /has decision a value of type undefined/],
  ['another member', { allow: false }, /has decision a value of type undefined/],
  ['capitals', { decision: 'DENY' }, /has decision "DENY"/],
  ['capitals of the other word', { decision: 'Allow', remember: 'once' }, /has decision "Allow"/],
  ['a decision with a space', { decision: 'allow ', remember: 'once' }, /has decision "allow "/],
  ['a decision in an array', { decision: ['allow'], remember: 'once' }, /has decision an array/],
  ['a decision as an object', { decision: { toString: () => 'allow' }, remember: 'once' }, /has decision a value/],
  ['true as a decision', { decision: true, remember: 'once' }, /has decision a value of type boolean/],
  ['a long word', { decision: 'x'.repeat(41) }, new RegExp(`has decision "${'x'.repeat(40)}",`)],
  ['allow without remember', { decision: 'allow' }, /remember a value of type undefined/],
  ['allow for ever', { decision: 'allow', remember: 'forever', extent: 'tool' }, /remember "forever"/],
  ['allow for a session of nothing', { decision: 'allow', remember: 'session' }, /extent a value of type undefined/],
  ['allow always for all', { decision: 'allow', remember: 'always', extent: '*' }, /extent "\*"/],
  ['allow once for all', { decision: 'allow', remember: 'once', extent: 'all' }, /extent "all"/],
  ['a plain no', { decision: 'deny' }, /the person said no/],
  ['a no with a reason that is no text', { decision: 'deny', reason: { a: 1 } }, /the person said no/],
  ['a getter that says allow, then deny, then allow', shifting('', 'allow'), /has decision ""/],
  [
    'a getter that throws',
    {
      get decision() {
        throw new Error('no');
      },
    },
    /the prompt failed/,
  ],
  ['a revoked proxy', revoked.proxy, /the prompt failed/],
])('[host:H8] %s refuses the call and says why', async (_name, answer, why) => {
  const { checker, remembered } = answering(() => answer);
  await expect(checker.check(call(), signal)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
    detail: expect.stringMatching(why),
  });
  expect(remembered).toEqual([]);
});

test('[host:H8] a refusal is not remembered: the next question is asked and can be allowed', async () => {
  const answers: unknown[] = [
    { decision: 'allow', remember: 'session' },
    { decision: 'allow', remember: 'once' },
  ];
  const { checker } = answering(() => answers.shift());
  await expect(checker.check(call(), signal)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  await expect(checker.check(call(), signal)).resolves.toBeUndefined();
  expect(answers).toEqual([]);
});

test('[host:H8] each member of an answer is read once', async () => {
  const reads: PropertyKey[] = [];
  const answer = new Proxy(
    { decision: 'allow', remember: 'always', extent: 'tool' },
    {
      get: (target, key) => {
        reads.push(key);
        return Reflect.get(target, key);
      },
    },
  );
  const { checker, remembered } = answering(async () => answer);
  await checker.check(call(), signal);
  const members = reads.filter((key) => key !== 'then');
  expect([members.length, new Set(members).size]).toEqual([4, 4]);
  expect(remembered).toEqual(['files/read']);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('secret text');
    },
  ],
  ['rejects', () => Promise.reject(new Error('secret text'))],
])('[host:H8] a prompt that %s refuses, and its text goes to the log only', async (_name, prompt) => {
  const { checker, log } = answering(prompt);
  await expect(checker.check(call(), signal)).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
    detail: 'Permission denied: the prompt failed',
    cause: expect.objectContaining({ message: 'secret text' }),
  });
  expect(log.lines).toEqual([
    {
      level: 'warn',
      message: 'the permission prompt failed',
      fields: { server: 'files', tool: 'read', error: expect.objectContaining({ message: 'secret text' }) },
    },
  ]);
});

test('[host:H8] a prompt that ignores its signal ends with it, frees the queue and allows nothing later', async () => {
  let answerLate = (_answer: unknown) => {};
  const late = new Promise<unknown>((resolve) => {
    answerLate = resolve;
  });
  const answers: unknown[] = [late, { decision: 'deny' }];
  const aborts = new AbortController();
  const { checker } = answering(() => {
    if (answers.length === 2) queueMicrotask(() => aborts.abort(new Error('stopped')));
    return answers.shift();
  });
  const first = checker.check(call(), aborts.signal);
  const second = checker.check(call(), signal);
  await expect(first).rejects.toThrow();
  answerLate({ decision: 'allow', remember: 'session', extent: 'server' });
  await expect(second).rejects.toMatchObject({ detail: 'Permission denied: the person said no' });
});

test('[host:H8] a call that waits behind an open question stops waiting when its own signal aborts', async () => {
  const { checker } = answering(() => new Promise(() => {}));
  const first = new AbortController();
  const second = new AbortController();
  const open = checker.check(call(), first.signal);
  const behind = checker.check(call('write'), second.signal);
  second.abort();
  await expect(behind).rejects.toThrow();
  first.abort();
  await expect(open).rejects.toThrow();
});

test('[host:H8] a deny rule that is added during the prompt overrides the answer', async () => {
  let rules = NO_RULES;
  const { checker } = answering(
    () => {
      rules = { ...NO_RULES, deny: ['files/read'] };
      return { decision: 'allow', remember: 'once' };
    },
    () => rules,
  );
  await expect(checker.check(call(), signal)).rejects.toMatchObject({
    detail: 'Permission denied: a rule of the config forbids it',
  });
});

test('[host:H8] of all values, only the well-formed answers allow', () => {
  const member = (...words: string[]) => fc.oneof(fc.constantFrom(...words), fc.anything());
  const near = fc.record(
    {
      decision: member('allow', 'deny', 'ALLOW'),
      remember: member('once', 'session', 'always', 'never'),
      extent: member('tool', 'server', 'read_only', 'all'),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(near, fc.anything()), (value) => {
      const answer = readAnswer(value);
      const { decision, remember, extent } = (value ?? {}) as Record<string, unknown>;
      const holds = remember === 'session' || remember === 'always';
      const known = extent === 'tool' || extent === 'server' || extent === 'read_only';
      const once = remember === 'once' && (known || extent === undefined);
      const allows = decision === 'allow' && (once || (holds && known));
      expect(typeof answer === 'object' && answer.decision === 'allow').toBe(allows && !Array.isArray(value));
    }),
    { numRuns: 3000 },
  );
});
