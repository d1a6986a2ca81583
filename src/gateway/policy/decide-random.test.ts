import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type NaiveFile, naiveDecision } from '../../../test/naive/policy.ts';
import { isDenied, judge, judgeServer, type PolicyLayer } from './decide.ts';
import { parsePolicy } from './parse-policy.ts';
import { plainFiles } from './testing/plain-files.ts';

const numRuns = Number(process.env.POLICY_CASES ?? 5_000);

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonMap = { [name: string]: Json };

/** Among them names that every object of JavaScript has, the separator, the wildcard and the empty one. */
const names = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('a', 'b') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a/b', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'A', 'ä', '', '*'),
  },
);
const entry = fc.oneof(
  names,
  fc.tuple(names, names).map(([server, tool]) => `${server}/${tool}`),
);
const list = (item: fc.Arbitrary<string>, maxLength: number) => fc.array(item, { maxLength });
const members = ['x', '__proto__', 'constructor'];
const hours = fc.record(
  {
    from: fc.constantFrom('00:00', '00:15', '02:30', '22:15'),
    to: fc.constantFrom('01:00', '02:45', '21:59', '24:00'),
    days: fc.subarray(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], { minLength: 4 }),
    time_zone: fc.constantFrom('UTC', 'Europe/Brussels', 'America/St_Johns', 'Pacific/Apia'),
  },
  { requiredKeys: ['from', 'to', 'time_zone'] },
) as fc.Arbitrary<JsonMap>;
/** Some in the hours at which clocks of Brussels are changed. */
const times = fc.oneof(
  fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-01-01') }),
  fc.integer({ min: Date.parse('2026-03-29T00:00Z'), max: Date.parse('2026-03-29T03:00Z') }),
  fc.integer({ min: Date.parse('2026-10-24T23:00Z'), max: Date.parse('2026-10-25T03:00Z') }),
);
const rules = fc.record(
  {
    approval_required: fc.boolean(),
    reason: fc.string(),
    rate_per_minute: fc.integer({ min: 1, max: 9 }),
    max_concurrency: fc.integer({ min: 1, max: 9 }),
    arguments: fc.subarray(members).map((required) => ({ type: 'object', required })),
    remember: fc.constantFrom('never', 'session', 'always'),
    surfaces: fc.subarray(['console', 'cli', 'client']),
    hours,
    read_only: fc.boolean(),
    'x-note': fc.string(),
  },
  { requiredKeys: [] },
);
const allowlist = fc.record(
  {
    // Mostly open: else few cases get as far as the rules behind it.
    servers: fc.oneof({ weight: 1, arbitrary: list(names, 4) }, { weight: 3, arbitrary: fc.constant(['*']) }),
    tools: fc.dictionary(names, list(names, 3), { maxKeys: 2, noNullPrototype: true }),
    forbidden: list(entry, 2),
    allowed_operations: list(entry, 12),
    operations: fc.dictionary(entry, rules, { maxKeys: 3, noNullPrototype: true }),
    hours,
    writes: fc.constantFrom('allow', 'allow', 'allow', 'allow', 'ask', 'deny'),
    $comment: fc.string(),
  },
  { requiredKeys: ['servers'] },
) as fc.Arbitrary<JsonMap>;

const OLD: Readonly<Record<string, string>> = {
  servers: 'allowed_servers',
  tools: 'allowed_tools',
  forbidden: 'forbidden_operations',
};

/** The same policy, each member under its present or its old name, in the allowlist or beside it. */
const goodFile = fc
  .tuple(allowlist, fc.infiniteStream(fc.nat(3)), fc.boolean())
  .map(([given, choices, isVersioned]) => {
    const inside: JsonMap = {};
    const beside: JsonMap = {};
    for (const [name, value] of Object.entries(given)) {
      const choice = choices.next().value as number;
      const old = OLD[name] ?? (name === 'allowed_operations' ? name : undefined);
      if (choice < 2 || old === undefined) define(inside, name, value);
      else define(choice === 2 ? inside : beside, old, value);
    }
    const needsAllowlist = Object.keys(inside).length > 0;
    return { ...(isVersioned ? { version: '1.0' } : {}), ...(needsAllowlist ? { allowlist: inside } : {}), ...beside };
  }) as fc.Arbitrary<JsonMap>;

/** Every object of a file that has members that are known by name, as a way to it. */
const spoiling: readonly ((file: JsonMap, pick: number) => string)[] = [
  // A key that stands there twice, anywhere.
  (file, pick) => writeRepeated(file, pick),
  // A key that is no key: misspelt, or of another place.
  (file, pick) => {
    const wrong = ['server', 'Servers', 'operation', 'approval_required', 'toString', '__proto__', ''][
      pick % 7
    ] as string;
    return withMember(file, wrong, []);
  },
  (file, pick) => {
    const wrong = ['approval_requird', 'Approval_required', 'rate_per_minutes', 'constructor', '__proto__', 'tools'];
    return withOperation(file, { [wrong[pick % 6] as string]: true }, wrong[pick % 6] as string);
  },
  // A value of the wrong type.
  (file, pick) =>
    withOperation(
      file,
      [
        { approval_required: 'true' },
        { approval_required: 1 },
        { rate_per_minute: 0 },
        { max_concurrency: 1.5 },
        { timeout_ms: '5' },
        { surfaces: ['window'] },
        { remember: 'for ever' },
        { arguments: { type: 'nothing' } },
        { allowed_roots: '/' },
        { read_only: 'yes' },
        { hours: { from: '08:00', to: '08:00', time_zone: 'UTC' } },
        { hours: { from: '08:00', to: '18:00', time_zone: 'Europe/Atlantis' } },
      ][pick % 12] as JsonMap,
    ),
  (file, pick) => withMember(file, ['servers', 'tools', 'forbidden', 'operations'][pick % 4] as string, 'a'),
  (file) => JSON.stringify({ ...file, version: '2.0' }),
  // An old key beside the new one.
  (file) =>
    JSON.stringify({ ...file, allowlist: { ...(file.allowlist as JsonMap), servers: [] }, allowed_servers: [] }),
  // Cut, or nothing at all.
  (file) => JSON.stringify(file).slice(0, -1),
  () => '[]',
  () => '',
];
const badFile = fc
  .tuple(goodFile, fc.nat(spoiling.length - 1), fc.nat(1_000))
  .map(([file, way, pick]) => (spoiling[way] as (typeof spoiling)[number])(file, pick));

interface RandomLayer {
  readonly layer: PolicyLayer;
  readonly naive: NaiveFile;
}

/** Files are made and read once: compiling their schemas takes a hundred times as long as a decision. */
const pool: readonly RandomLayer[] = fc
  .sample(
    fc.oneof(
      { weight: 6, arbitrary: goodFile.map((file) => ({ text: JSON.stringify(file), naive: file as NaiveFile })) },
      { weight: 1, arbitrary: badFile.map((text) => ({ text, naive: undefined as NaiveFile })) },
    ),
    { numRuns: Math.min(numRuns / 10, 4_000), seed: fc.readConfigureGlobal().seed ?? 0 },
  )
  .map(({ text, naive }) => ({ layer: { layer: 'project', file: 'f', policy: parsePolicy(text) }, naive }));
const layer = fc.constantFrom(...pool);
const layersOf = (layers: readonly RandomLayer[]) => layers.map((one) => one.layer);
const argumentsOf = (given: readonly string[]) => {
  const value: JsonMap = {};
  for (const name of given) define(value, name, 1);
  return { arguments: { value, files: () => plainFiles() } };
};

test('decides as the naive model does, for any layers, names, arguments and limits [gateway:P1] [gateway:P2] [gateway:P3] [gateway:P4] [gateway:P5] [gateway:A13] [gateway:A14]', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(layer, { maxLength: 3 }),
      names,
      names,
      fc.option(fc.subarray(members), { nil: undefined }),
      fc.option(times, { nil: undefined }),
      fc.boolean(),
      (layers, server, tool, given, at, readOnly) => {
        const attempt = {
          readOnly,
          server,
          tool,
          now: at === undefined ? undefined : () => at,
          ...(given === undefined ? {} : argumentsOf(given)),
        };
        const { decision, rule, limits } = judge(layersOf(layers), attempt).decision;
        seen.add(rule);
        if (at === undefined) expect(isDenied(layersOf(layers), attempt)).toBe(decision === 'deny');
        expect({ decision, rule, limits }).toEqual(
          naiveDecision(
            layers.map(({ naive }) => naive),
            server,
            tool,
            { given, at, readOnly },
          ),
        );
      },
    ),
    { numRuns },
  );
  // The cases reach every rule there is.
  expect([...seen].sort()).toEqual([
    'approval_required',
    'arguments',
    'forbidden',
    'no_policy',
    'outside_hours',
    'policy_invalid',
    'server_listed',
    'server_not_listed',
    'tool_listed',
    'tool_not_listed',
    'writes',
  ]);
});

test('a further layer never allows what was denied, nor raises a limit [gateway:P1]', () => {
  const rank = { deny: 0, approval: 1, allow: 2 };
  fc.assert(
    fc.property(fc.array(layer, { maxLength: 2 }), layer, names, names, times, (layers, more, server, tool, at) => {
      const attempt = { server, tool, now: () => at, ...argumentsOf(['x']) };
      const decide = (given: readonly RandomLayer[]) => judge(layersOf(given), attempt);
      const [before, after] = [decide(layers), decide([...layers, more])];
      expect(rank[after.decision.decision]).toBeLessThanOrEqual(rank[before.decision.decision]);
      for (const [name, limit] of Object.entries(before.decision.limits))
        expect(after.decision.limits[name as 'timeout_ms']).toBeLessThanOrEqual(limit);
      expect(after.surfaces.every((surface) => before.surfaces.includes(surface))).toBe(true);
    }),
    { numRuns: Math.ceil(numRuns / 2) },
  );
});

test('a server whose prompts and resources are denied has no allowed tool [gateway:P4]', () => {
  fc.assert(
    fc.property(fc.array(layer, { maxLength: 3 }), names, names, times, (layers, server, tool, at) => {
      const parsed = layersOf(layers);
      const now = () => at;
      if (judgeServer(parsed, server, now).decision.decision === 'deny')
        expect(judge(parsed, { server, tool, now }).decision.decision).toBe('deny');
    }),
    { numRuns: Math.ceil(numRuns / 5) },
  );
});

/** `__proto__` is a name like any other in JSON. */
function define(object: JsonMap, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function withMember(file: JsonMap, name: string, value: Json): string {
  const changed: JsonMap = {};
  for (const [key, member] of Object.entries((file.allowlist ?? {}) as JsonMap)) define(changed, key, member);
  define(changed, name, value);
  return JSON.stringify({ ...file, allowlist: changed });
}

function withOperation(file: JsonMap, rule: JsonMap, protoName?: string): string {
  const operation: JsonMap = {};
  for (const [key, value] of Object.entries(rule)) define(operation, key, value);
  if (protoName === '__proto__') define(operation, '__proto__', true);
  return withMember(file, 'operations', { a: operation });
}

/** Writes a file with one member of one of its objects twice, the second time with the same value. */
function writeRepeated(file: JsonMap, pick: number): string {
  const places = countMembers(file);
  let left = pick % places;
  const write = (value: Json): string => {
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const texts = Object.entries(value).flatMap(([name, member]) => {
      const isRepeated = left === 0;
      left -= 1;
      const text = `${JSON.stringify(name)}:${write(member)}`;
      return isRepeated ? [text, text] : [text];
    });
    return `{${texts.join(',')}}`;
  };
  return write(file);
}

function countMembers(value: Json): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMembers(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + countMembers(member), 0);
}
