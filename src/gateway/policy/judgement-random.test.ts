import fc from 'fast-check';
import { expect, test } from 'vitest';
import { includesShown, type NaiveHours } from '../../../test/naive/policy.ts';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import { judge, judgeServer } from './decide.ts';
import { parsePolicy } from './parse-policy.ts';
import { plainFiles } from './testing/plain-files.ts';

/** What a judgement says beside its decision: which rule of which layer spoke, why, and what follows for the call. */

interface Rules {
  readonly approval_required?: boolean;
  readonly reason?: string;
  readonly remember?: 'never' | 'session' | 'always';
  readonly surfaces?: readonly string[];
  readonly arguments?: { readonly required: readonly string[] };
  readonly allowed_roots?: readonly string[];
  readonly allowed_domains?: readonly string[];
  readonly hours?: NaiveHours;
  readonly read_only?: boolean;
}
interface Allowlist {
  readonly servers: readonly string[];
  readonly forbidden?: readonly string[];
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  readonly allowed_operations?: readonly string[];
  readonly operations?: Readonly<Record<string, Rules>>;
  readonly hours?: NaiveHours;
  readonly writes?: string;
}
/** Undefined: a file that is bad. */
type Layer = Allowlist | undefined;

interface Spoken {
  readonly decision: 'allow' | 'deny' | 'approval';
  readonly rule: string;
  readonly pointer: string | null;
  readonly reason?: string | undefined;
  readonly isClosed?: true;
  /** Rules for arguments were passed over, because there were none. */
  readonly isUnchecked?: boolean;
}

interface Asked {
  readonly server: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, string>> | undefined;
  readonly at: number;
  readonly readOnly: boolean;
}

const ASKED = 'its server does not say that the tool only reads';
const shown = (at: number) => new Date(at).toISOString().replace('T', ' ').slice(0, 16);
const isClosed = (hours: NaiveHours | undefined, at: number) => hours !== undefined && !includesShown(hours, shown(at));
const escaped = (key: string) => key.replaceAll('/', '~1');
const rulesOf = (layer: Layer, { server, tool }: Asked) =>
  [`${server}/${tool}`, tool].flatMap((key) => {
    const rules = layer?.operations?.[key];
    return rules ? [{ rules, at: `/allowlist/operations/${escaped(key)}` }] : [];
  });

function naiveServer(layer: Layer, server: string, at: number): Spoken {
  if (!layer) return { decision: 'deny', rule: 'policy_invalid', pointer: null };
  const index = layer.servers.findIndex((name) => name === server || name === '*');
  if (index === -1) return { decision: 'deny', rule: 'server_not_listed', pointer: '/allowlist/servers' };
  if (isClosed(layer.hours, at))
    return { decision: 'deny', rule: 'outside_hours', pointer: '/allowlist/hours', isClosed: true };
  return { decision: 'allow', rule: 'server_listed', pointer: `/allowlist/servers/${index}` };
}

function naiveLists(layer: Allowlist, { server, tool }: Asked): Spoken | undefined {
  const isNamed = (name: string) => name === tool || name === `${server}/${tool}`;
  const forbidden = layer.forbidden?.findIndex(isNamed) ?? -1;
  if (forbidden !== -1) return { decision: 'deny', rule: 'forbidden', pointer: `/allowlist/forbidden/${forbidden}` };
  if (!layer.servers.some((name) => name === server || name === '*'))
    return { decision: 'deny', rule: 'server_not_listed', pointer: '/allowlist/servers' };
  const list = layer.tools?.[server];
  if (list && !list.some((name) => name === tool || name === '*'))
    return { decision: 'deny', rule: 'tool_not_listed', pointer: `/allowlist/tools/${server}` };
  if (layer.allowed_operations && !layer.allowed_operations.some(isNamed))
    return { decision: 'deny', rule: 'tool_not_listed', pointer: '/allowlist/allowed_operations' };
  return undefined;
}

function naiveArguments({ rules, at }: { rules: Rules; at: string }, given: Readonly<Record<string, string>>) {
  const violated = (name: keyof Rules): Spoken => ({
    decision: 'deny',
    rule: 'arguments',
    pointer: `${at}/${name}`,
    reason: rules.reason,
  });
  if (rules.arguments?.required.some((name) => given[name] === undefined)) return violated('arguments');
  if (rules.allowed_roots && given.path && !rules.allowed_roots.some((root) => given.path?.startsWith(`${root}/`)))
    return violated('allowed_roots');
  const hosts = rules.allowed_domains?.map((domain) => `https://${domain}/`);
  if (hosts && given.url && !hosts.includes(given.url)) return violated('allowed_domains');
  return undefined;
}

function naiveLayer(layer: Layer, asked: Asked): Spoken {
  const { server, tool, given, at } = asked;
  if (!layer) return { decision: 'deny', rule: 'policy_invalid', pointer: null };
  const listed = naiveLists(layer, asked);
  if (listed) return listed;
  const all = rulesOf(layer, asked);
  const said = all.flatMap(({ rules }) => rules.read_only ?? []);
  const changes = said.length === 0 ? !asked.readOnly : said.includes(false);
  const writes = { rule: 'writes', pointer: '/allowlist/writes' };
  if (changes && layer.writes === 'deny')
    return {
      decision: 'deny',
      ...writes,
      reason: `${ASKED}; an operation with read_only: true lets it through`,
    };
  if (isClosed(layer.hours, at))
    return { decision: 'deny', rule: 'outside_hours', pointer: '/allowlist/hours', isClosed: true };
  const closed = all.find(({ rules }) => isClosed(rules.hours, at));
  if (closed) {
    const { reason } = closed.rules;
    return { decision: 'deny', rule: 'outside_hours', pointer: `${closed.at}/hours`, reason, isClosed: true };
  }
  const violated = given && all.map((one) => naiveArguments(one, given)).find((one) => one !== undefined);
  if (violated) return violated;
  const isUnchecked = !given && all.some(({ rules }) => judgesArguments(rules));
  const asks = all.find(({ rules }) => rules.approval_required);
  if (asks) {
    const { reason } = asks.rules;
    const pointer = `${asks.at}/approval_required`;
    return { decision: 'approval', rule: 'approval_required', pointer, reason, isUnchecked };
  }
  if (changes && layer.writes === 'ask') return { decision: 'approval', ...writes, reason: ASKED, isUnchecked };
  const index = layer.tools?.[server]?.findIndex((name) => name === tool || name === '*');
  if (index === undefined) return { ...naiveServer({ servers: layer.servers }, server, at), isUnchecked };
  return { decision: 'allow', rule: 'tool_listed', pointer: `/allowlist/tools/${server}/${index}`, isUnchecked };
}

const judgesArguments = ({ arguments: schema, allowed_roots, allowed_domains }: Rules) =>
  [schema, allowed_roots, allowed_domains].some((rule) => rule !== undefined);

/** The first denial speaks, else the first question, else the last layer. */
function speaking(all: readonly Spoken[]): { readonly spoken: Spoken; readonly layer: number } {
  const first = (decision: string) => all.findIndex((one) => one.decision === decision);
  const layer = [first('deny'), first('approval'), all.length - 1].find((index) => index !== -1) ?? -1;
  return { spoken: all[layer] ?? { decision: 'allow', rule: 'no_policy', pointer: null }, layer };
}

/** The first full minute from a time on that all hours include: this one, or one of the half hours at which hours begin. */
function naiveOpening(hours: readonly NaiveHours[], at: number): string | null {
  const halfHour = 30 * 60_000;
  const next = at - (at % halfHour) + halfHour;
  const times = [at - (at % 60_000), ...Array.from({ length: 100 }, (_, index) => next + index * halfHour)];
  const opening = times.find((time) => !hours.some((one) => isClosed(one, time)));
  return opening === undefined ? null : `${new Date(opening).toISOString().slice(0, 19)}+00:00`;
}

function expectedDecision(spoken: Spoken, layer: number, hours: readonly NaiveHours[], at: number) {
  return {
    decision: spoken.decision,
    rule: spoken.rule,
    layer: layer === -1 ? null : 'project',
    file: layer === -1 ? null : String(layer),
    pointer: spoken.pointer,
    line: spoken.pointer === null ? null : 1,
    reason: spoken.reason ?? null,
    ...(spoken.isClosed ? { opens_at: naiveOpening(hours, at) } : {}),
  };
}

const RANK = ['never', 'session', 'always'] as const;

function expectedFor(rules: readonly Rules[]) {
  const asking = rules.filter((one) => one.approval_required || one.remember !== undefined);
  const ranks = asking.map((one) => RANK.indexOf(one.remember ?? 'never'));
  const lists = rules.flatMap(({ surfaces }) => (surfaces ? [surfaces] : []));
  return {
    remember: asking.length === 0 ? 'never' : RANK[ranks.reduce((a, b) => (a < b ? a : b))],
    surfaces: SURFACES.filter((surface) => !lists.some((list) => !list.includes(surface))),
  };
}

const hours = fc.constantFrom(
  { from: '08:00', to: '18:00', time_zone: 'UTC' },
  { from: '17:30', to: '02:00', time_zone: 'UTC' },
  { from: '19:00', to: '20:00', time_zone: 'UTC' },
);
const rules: fc.Arbitrary<Rules> = fc.record(
  {
    approval_required: fc.boolean(),
    reason: fc.constantFrom('one', 'two'),
    remember: fc.constantFrom(...RANK),
    surfaces: fc.subarray(['console', 'cli', 'client']),
    arguments: fc.constantFrom({ required: ['path'] }, { required: ['url'] }, { required: [] }),
    allowed_roots: fc.constantFrom(['/srv'], ['/etc', '/srv']),
    allowed_domains: fc.constantFrom(['a.example'], ['b.example']),
    hours,
    read_only: fc.boolean(),
  },
  { requiredKeys: [] },
);
const keys = fc.constantFrom('t', 's/t');
const allowlists: fc.Arbitrary<Allowlist> = fc.record(
  {
    servers: fc.constantFrom(['*'], ['*'], ['r', 's'], ['s', '*'], ['r'], ['*', 's']),
    forbidden: fc.constantFrom([], [], ['u'], ['u', 't'], ['s/t']),
    tools: fc.constantFrom({ s: ['t'] }, { s: ['u', '*', 't'] }, { s: [] }, { r: [] }),
    allowed_operations: fc.constantFrom(['t'], ['u', 's/t'], ['t', 's/t'], ['u']),
    operations: fc.dictionary(keys, rules, { maxKeys: 2, noNullPrototype: true }),
    hours,
    writes: fc.constantFrom('allow', 'ask', 'deny', 'allow', 'ask'),
  },
  { requiredKeys: ['servers'] },
);
const pool = fc
  .sample(fc.oneof({ weight: 9, arbitrary: allowlists }, fc.constant(undefined)), { numRuns: 500, seed: 5 })
  .map((layer) => ({ layer, policy: parsePolicy(JSON.stringify(layer ? { allowlist: layer } : { allowlist: 1 })) }));
const stacks = fc.array(fc.constantFrom(...pool), { maxLength: 3 });
const parsed = (stack: readonly (typeof pool)[number][]) =>
  stack.map(({ policy }, index) => ({ layer: 'project', file: String(index), policy }) as const);
const asked: fc.Arbitrary<Asked> = fc.record({
  server: fc.constantFrom('s', 's', 'r'),
  tool: fc.constantFrom('t', 't', 'u'),
  given: fc.constantFrom(
    undefined,
    {},
    { path: '/srv/x' },
    { path: '/etc/x', url: 'https://a.example/' },
    { path: '/srv/x', url: 'https://a.example/' },
    { path: '/srv/x', url: 'https://b.example/' },
  ),
  at: fc.integer({ min: Date.parse('2026-11-17T00:00Z'), max: Date.parse('2026-11-19T00:00Z') }),
  readOnly: fc.boolean(),
});

test('a judgement names the deciding rule, its position and its consequences, as the naive model does [gateway:P9]', () => {
  fc.assert(
    fc.property(stacks, asked, (stack, one) => {
      const { server, tool, at, readOnly, given: value } = one;
      const { decision, ...rest } = judge(parsed(stack), {
        server,
        tool,
        readOnly,
        now: () => at,
        ...(value ? { arguments: { value, files: () => plainFiles() } } : {}),
      });
      const layers = stack.map(({ layer }) => layer);
      const spoken = layers.map((layer) => naiveLayer(layer, one));
      const chosen = speaking(spoken);
      const all = layers.flatMap((layer) => rulesOf(layer, one)).map((found) => found.rules);
      const times = [...layers, ...all].flatMap((holder) => holder?.hours ?? []);
      const { errors, refused, ...said } = decision;
      expect(said).toEqual({
        ...expectedDecision(chosen.spoken, chosen.layer, times, at),
        limits: {},
        server,
        tool,
        unchecked: spoken.some(({ isUnchecked }) => isUnchecked) ? ['arguments'] : [],
      });
      expect([errors !== undefined, refused !== undefined]).toEqual([
        decision.rule === 'policy_invalid',
        decision.rule === 'arguments',
      ]);
      expect(rest).toEqual({
        ...expectedFor(all),
        judgesTime: times.length > 0,
        judgesArguments:
          decision.decision === 'approval' || all.some((rule) => judgesArguments(rule) || rule.approval_required),
      });
    }),
    { numRuns: 4_000 },
  );
});

test('prompts and resources are judged by the servers and hours of all layers, as the naive model does [gateway:P4]', () => {
  fc.assert(
    fc.property(stacks, asked, fc.boolean(), (stack, { server, at }, isTimed) => {
      const layers = stack.map(({ layer }) => (isTimed || !layer ? layer : { servers: layer.servers }));
      const chosen = speaking(layers.map((layer) => naiveServer(layer, server, at)));
      const times = stack.flatMap(({ layer }) => layer?.hours ?? []);
      expect(judgeServer(parsed(stack), server, isTimed ? () => at : undefined)).toEqual({
        decision: {
          ...expectedDecision(chosen.spoken, chosen.layer, times, at),
          limits: {},
          server,
          tool: '',
          unchecked: [],
        },
        remember: 'never',
        surfaces: SURFACES,
        judgesArguments: false,
        judgesTime: times.length > 0,
      });
    }),
    { numRuns: 1_500 },
  );
});
