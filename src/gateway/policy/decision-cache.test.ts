import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GATEWAY_LIMITS } from '../limits.ts';
import { judge, type PolicyLayer } from './decide.ts';
import { judgeCached } from './decision-cache.ts';
import { parsePolicy } from './parse-policy.ts';
import { plainFiles } from './testing/plain-files.ts';

const layerOf = (allowlist: object, layer: PolicyLayer['layer'] = 'project'): PolicyLayer => ({
  layer,
  file: `${layer}.json`,
  policy: parsePolicy(JSON.stringify({ version: '1.0', allowlist })),
});
const attempt = (server: string, tool: string, value: unknown = {}, at = 0) => ({
  server,
  tool,
  now: () => at,
  arguments: { value, files: () => plainFiles() },
});

test('a tool gets the same decision again, whatever layers there are', () => {
  const open = layerOf({ servers: ['*'] });
  const narrow = layerOf({ servers: ['a', 'b'], tools: { a: ['read'] }, forbidden: ['b/drop'] }, 'global');
  const stacks = [[], [open], [open, narrow, open], [narrow], [open, narrow], [narrow, open]];
  const attempts = ['a', 'b', 'c'].flatMap((server) => ['read', 'drop'].map((tool) => attempt(server, tool)));
  const judged = (judgeOne: typeof judge) =>
    [...stacks, ...stacks.toReversed(), ...stacks].map((layers) => attempts.map((one) => judgeOne(layers, one)));
  expect(judged(judgeCached)).toEqual(judged(judge));
});

test('a rule on arguments judges those of every call', () => {
  const layers = [layerOf({ servers: ['a'], operations: { 'a/write': { arguments: { required: ['path'] } } } })];
  const decide = (value: unknown) => judgeCached(layers, attempt('a', 'write', value)).decision.decision;
  expect([decide({ path: 'x' }), decide({}), decide({ path: 'x' })]).toEqual(['allow', 'deny', 'allow']);
});

test('a rule with hours reads the time of every call', () => {
  const hours = { from: '08:00', to: '18:00', time_zone: 'UTC' };
  const minutes = ['07:59', '08:00', '17:59', '18:00'].map((time) => Date.parse(`2026-11-17T${time}:30Z`));
  const decided = (allowlist: object) => {
    const layers = [layerOf(allowlist), layerOf({ servers: ['*'] }, 'profile')];
    return minutes.map((at) => judgeCached(layers, attempt('a', 'read', {}, at)).decision.decision);
  };
  const expected = ['deny', 'allow', 'allow', 'deny'];
  expect([
    decided({ servers: ['a'], hours }),
    decided({ servers: ['a'], operations: { read: { hours } } }),
    decided({ servers: ['a'], operations: { write: { hours } } }),
  ]).toEqual([expected, expected, ['allow', 'allow', 'allow', 'allow']]);
});

test('the server’s read-only declaration is considered in every call, also if it is absent', () => {
  const layers = [layerOf({ servers: ['a'], writes: 'deny' })];
  const decide = (readOnly: boolean | undefined) =>
    judgeCached(layers, { ...attempt('a', 'read'), ...(readOnly === undefined ? {} : { readOnly }) }).decision.decision;
  expect([true, undefined, false, true].map(decide)).toEqual(['allow', 'deny', 'deny', 'allow']);
});

test('with more tools than the cache holds decisions stay correct, and the first one is judged again', () => {
  const layers = [layerOf({ servers: ['a'], tools: { a: ['0'] } })];
  const count = GATEWAY_LIMITS.judgementsKeptMax;
  const first = judgeCached(layers, attempt('a', '0'));
  for (let tool = 1; tool < count; tool += 1) judgeCached(layers, attempt('a', String(tool)));
  const kept = judgeCached(layers, attempt('a', '0'));
  const more = judgeCached(layers, attempt('a', String(count)));
  const again = judgeCached(layers, attempt('a', '0'));
  expect([kept === first, again === first, more.decision.decision]).toEqual([true, false, 'deny']);
  expect(again).toEqual(first);
});

test('a changed policy is a new layer, and applies at once', () => {
  const decide = (layer: PolicyLayer) => judgeCached([layer], attempt('a', 'read')).decision.decision;
  expect([decide(layerOf({ servers: ['a'] })), decide(layerOf({ servers: ['b'] }))]).toEqual(['allow', 'deny']);
});

const HOURS = [
  { from: '08:00', to: '18:00', time_zone: 'UTC' },
  { from: '22:00', to: '06:00', days: ['mon', 'fri'], time_zone: 'Europe/Brussels' },
];
const rule = fc.record(
  {
    approval_required: fc.boolean(),
    remember: fc.constantFrom('never', 'session', 'always'),
    rate_per_minute: fc.integer({ min: 1, max: 3 }),
    arguments: fc.constantFrom({ required: ['url'] }, { required: ['path'] }),
    allowed_domains: fc.constantFrom(['a.example'], ['b.example'], []),
    allowed_roots: fc.constantFrom(['/srv'], ['/etc'], []),
    surfaces: fc.constantFrom(['console'], ['cli', 'client']),
    hours: fc.constantFrom(...HOURS),
  },
  { requiredKeys: [] },
);
const key = fc.constantFrom('read', 'a/read', 'b/read', 'write');
const allowlist = fc.record(
  {
    servers: fc.constantFrom(['*'], ['a'], ['a', 'b']),
    tools: fc.constantFrom({ a: ['read'] }, { a: ['*'], b: [] }),
    forbidden: fc.constantFrom(['write'], ['b/read'], []),
    hours: fc.constantFrom(...HOURS),
    operations: fc.dictionary(key, rule, { maxKeys: 2, noNullPrototype: true }),
  },
  { requiredKeys: ['servers'] },
);
/** Made once, so that the same layer comes back after others, as it does where a file is changed and changed back. */
const pool = [
  ...[{ allowed_domains: ['a.example'] }, { allowed_roots: ['/srv'] }, { arguments: { required: ['url'] } }, {}].map(
    (alone) => layerOf({ servers: ['*'], operations: { read: alone } }),
  ),
  ...fc.sample(allowlist, { numRuns: 30, seed: 1 }).map((one) => layerOf(one)),
];
const argumentsGiven = fc.constantFrom(
  {},
  { url: 'https://a.example' },
  { url: 'https://b.example', path: '/srv/x' },
  { path: '/srv/x' },
  { path: '/etc/x' },
);
const call = fc.record({
  server: fc.constantFrom('a', 'b'),
  tool: fc.constantFrom('read', 'write'),
  value: argumentsGiven,
  hour: fc.nat(24 * 14),
});
const change = fc.record({ place: fc.nat(2), layer: fc.option(fc.constantFrom(...pool), { freq: 2, nil: undefined }) });
const step = fc.oneof({ weight: 4, arbitrary: call }, { weight: 1, arbitrary: change });

test('whatever was judged before, and whichever layer changed since, a cached decision equals a new one', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const stack: (PolicyLayer | undefined)[] = [];
      for (const one of steps) {
        if ('place' in one) stack[one.place] = one.layer;
        else {
          const layers = stack.filter((layer) => layer !== undefined);
          const tried = attempt(one.server, one.tool, one.value, one.hour * 3_600_000);
          const judgement = judge(layers, tried);
          seen.add(judgement.decision.rule);
          expect(judgeCached(layers, tried)).toEqual(judgement);
        }
      }
    }),
    { numRuns: 500 },
  );
  expect([...seen].sort()).toEqual(
    [
      'approval_required',
      'arguments',
      'forbidden',
      'no_policy',
      'outside_hours',
      'server_listed',
      'server_not_listed',
      'tool_listed',
      'tool_not_listed',
    ].sort(),
  );
});

test('an approval may be remembered only if every operation that requires it says so; the default is never', () => {
  const asks = { approval_required: true };
  const remember = (...rules: object[]) =>
    judge(
      rules.map((operation) => layerOf({ servers: ['*'], operations: { read: operation } })),
      attempt('a', 'read'),
    ).remember;
  expect([
    remember(),
    remember({}),
    remember({ rate_per_minute: 1 }),
    remember(asks),
    remember({ ...asks, remember: 'session' }),
    remember({ ...asks, remember: 'always' }),
    remember({ ...asks, remember: 'always' }, asks),
    remember({ ...asks, remember: 'always' }, { rate_per_minute: 1 }),
    remember({ ...asks, remember: 'always' }, { remember: 'session' }),
  ]).toEqual(['never', 'never', 'never', 'never', 'session', 'always', 'never', 'always', 'session']);
});
