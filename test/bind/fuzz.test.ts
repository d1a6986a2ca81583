import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Answers } from '../../src/bind/answers.ts';
import { sortedSet } from '../../src/bind/capability.ts';
import { type CollapsePolicy, collapse, type Descriptor } from '../../src/bind/collapse.ts';
import { type Explanation, explainCollapse } from '../../src/bind/explain.ts';
import { PROTECTED_NAMES } from '../../src/bind/limits.ts';
import { ZoneTable } from '../../src/bind/zone-table.ts';
import { type NaiveAnswer, naiveResolve } from '../naive/bind.ts';
import { Dice, randomZones } from '../naive/bind-graph.ts';

const RUNS = Number(process.env.BIND_FUZZ_RUNS ?? 4000);
/** Every property over as many graphs where a number is given; the comparison has the most by default. */
const PROPERTY_RUNS = process.env.BIND_FUZZ_RUNS ? RUNS : RUNS / 4;
const TIMEOUT_MS = 30_000 + RUNS * 20;
const POLICY: CollapsePolicy = { protectedNames: new Set(PROTECTED_NAMES), allowPrivateEndpoints: false };

describe('random zone graphs', () => {
  test(
    '[bind:S7] [bind:A6] every outcome is the one of the naive model, in both modes',
    () => {
      const codes = new Map<string, number>();
      everyGraph((dice) => {
        const { zones, names } = randomZones(dice);
        const table = load(zones);
        for (const question of questions(dice, names)) {
          const expected = naiveResolve(zones, { identity: question.name, ...question });
          const actual = ask(table, question);
          count(codes, expected.ok ? question.mode : `${expected.code} ${expected.reason ?? ''}`.trim());
          expect(simplify(actual), JSON.stringify([question, [...zones]])).toEqual(simplify(expected));
        }
      });
      // A fuzz that meets none of an outcome shows nothing about it.
      const met = [...codes.keys()].sort();
      expect(met).toEqual(
        expect.arrayContaining([
          'CAPS_UNSATISFIED',
          'CASCADE_FAILED corrupt',
          'CASCADE_FAILED cycle',
          'CASCADE_FAILED depth',
          'CASCADE_FAILED fanout',
          'CASCADE_FAILED protected',
          'CASCADE_FAILED unknown_identity',
          'ZONE_CORRUPT corrupt',
          'IDENTITY_NOT_FOUND',
          'INVALID_ENDPOINT',
          'NO_MCP_RECORDS',
          'mcp',
          'raw',
        ]),
      );
    },
    TIMEOUT_MS,
  );

  test(
    '[bind:A6] the answer does not depend on the order in which zones are loaded',
    () => {
      everyGraph((dice) => {
        const { zones, names } = randomZones(dice);
        const [table, shuffled] = [load(zones), load(new Map(dice.shuffle([...zones])))];
        for (const question of questions(dice, names)) {
          expect(JSON.stringify(ask(shuffled, question))).toBe(JSON.stringify(ask(table, question)));
        }
      }, PROPERTY_RUNS);
    },
    TIMEOUT_MS,
  );

  test(
    '[bind:A6] a further record of lower rank changes nothing',
    () => {
      let seen = 0;
      everyGraph((dice) => {
        const { zones, names } = randomZones(dice);
        const name = dice.pick(names);
        const request = { name, ...capsOf(dice) };
        const explanation = explainCollapse(load(zones), request, POLICY);
        const selected = explanation.candidates.find((one) => one.verdict === 'selected');
        if (!selected || selected.priority <= -(2 ** 31)) return;
        const target = dice.pick(explanation.zones).identity.slice('ai://'.length);
        const lower = { type: 'MCP', value: 'https://lower.example/', priority: selected.priority - 1 };
        const more = withRecords(zones, target, (records) => [...records, lower]);
        expect(collapse(load(more), request, POLICY)).toEqual({ ok: true, descriptor: explanation.descriptor });
        seen += 1;
      }, PROPERTY_RUNS);
      expect(seen).toBeGreaterThan(PROPERTY_RUNS / 10);
    },
    TIMEOUT_MS,
  );

  test(
    '[bind:A3] taking CAPS away from a zone never makes fewer endpoints eligible',
    () => {
      let seen = 0;
      everyGraph((dice) => {
        const { zones, names } = randomZones(dice);
        const request = { name: dice.pick(names), ...capsOf(dice) };
        const before = explainCollapse(load(zones), request, POLICY);
        const limited = before.zones.filter((zone) => zone.allows);
        if (before.failure?.code === 'CASCADE_FAILED' || limited.length === 0) return;
        const freed = dice.pick(limited).identity;
        // A note takes the place of the record, so that every other record keeps its position.
        const without = withRecords(zones, freed.slice('ai://'.length), (records) =>
          records.map((record) => (record.type === 'CAPS' ? { type: 'TXT', value: '' } : record)),
        );
        const after = eligible(explainCollapse(load(without), request, POLICY));
        // Endpoints of the freed zone may have declared nothing but those CAPS.
        const kept = eligible(before).filter((key) => !key.startsWith(`${freed} `));
        expect(after).toEqual(expect.arrayContaining(kept));
        seen += 1;
      }, PROPERTY_RUNS);
      expect(seen).toBeGreaterThan(PROPERTY_RUNS / 20);
    },
    TIMEOUT_MS,
  );

  test(
    '[bind:A11] [bind:A3] ttl and capabilities stay within every zone that was consulted',
    () => {
      let seen = 0;
      everyGraph((dice) => {
        const { zones, names } = randomZones(dice);
        const explanation = explainCollapse(load(zones), { name: dice.pick(names), ...capsOf(dice) }, POLICY);
        const { descriptor } = explanation;
        expect(Boolean(descriptor)).not.toBe(Boolean(explanation.failure));
        if (!descriptor) return;
        const owner = descriptor.resolved_from ?? descriptor.identity;
        for (const zone of explanation.zones) {
          if (zone.identity !== owner) expect(descriptor.ttl).toBeLessThanOrEqual(zone.ttl);
        }
        for (const zone of wayTo(explanation, owner)) {
          if (zone.allows) expect(zone.allows).toEqual(expect.arrayContaining([...(descriptor.capabilities ?? [])]));
        }
        seen += 1;
      }, PROPERTY_RUNS);
      expect(seen).toBeGreaterThan(PROPERTY_RUNS / 10);
    },
    TIMEOUT_MS,
  );

  test(
    'an explanation ends as the collapse does, and exactly one candidate of a success is selected',
    () => {
      everyGraph((dice) => {
        const { zones, names } = randomZones(dice);
        const table = load(zones);
        const request = { name: dice.pick(names), ...capsOf(dice) };
        const outcome = collapse(table, request, POLICY);
        const explanation = explainCollapse(table, request, POLICY);
        const told = outcome.ok
          ? { descriptor: outcome.descriptor }
          : { failure: { code: outcome.failure.code, ...outcome.failure.members } };
        expect({ descriptor: explanation.descriptor, failure: explanation.failure }).toEqual({
          descriptor: undefined,
          failure: undefined,
          ...told,
        });
        const selected = explanation.candidates.filter((one) => one.verdict === 'selected');
        expect(selected.map((one) => one.endpoint)).toEqual(outcome.ok ? [outcome.descriptor.endpoint] : []);
      }, PROPERTY_RUNS);
    },
    TIMEOUT_MS,
  );
});

interface Question {
  readonly name: string;
  readonly mode: 'raw' | 'mcp';
  readonly caps?: readonly string[];
  readonly match?: 'any' | 'all';
  readonly cascade?: 'on' | 'off';
}

function everyGraph(check: (dice: Dice) => void, numRuns = RUNS): void {
  fc.assert(
    fc.property(fc.noBias(fc.integer()), (seed) => check(new Dice(seed))),
    { numRuns: Math.ceil(numRuns) },
  );
}

function questions(dice: Dice, names: readonly string[]): Question[] {
  const name = dice.chance(0.02) ? 'z999' : dice.chance(0.5) ? 'z0' : dice.pick(names);
  const off = dice.chance(0.15) ? { cascade: 'off' as const } : {};
  return [
    { name, mode: 'mcp', ...off },
    { name, mode: 'mcp', ...capsOf(dice), ...off },
    { name, mode: 'raw' },
  ];
}

function capsOf(dice: Dice): { caps?: readonly string[]; match?: 'any' | 'all' } {
  if (dice.chance(0.4)) return {};
  const caps = sortedSet(
    Array.from({ length: 1 + dice.below(2) }, () => dice.pick(['search', 'orders', 'a', 'b', 'none'])),
  );
  return { caps, match: dice.pick(['any', 'all'] as const) };
}

function load(zones: ReadonlyMap<string, string>): ZoneTable {
  const table = new ZoneTable();
  for (const [name, text] of zones) table.set(name, Buffer.from(text));
  return table;
}

function ask(table: ZoneTable, { mode, ...request }: Question) {
  if (mode === 'mcp') return collapse(table, request, POLICY);
  return new Answers({ zones: table, policy: POLICY, clock: { now: () => 0 } }).answer({ ...request, mode: 'default' });
}

/** What the model and the room must agree on, from either. */
function simplify(outcome: ReturnType<typeof ask> | NaiveAnswer): unknown {
  if (!outcome.ok) {
    if ('code' in outcome) return { code: outcome.code, reason: outcome.reason, available: outcome.available };
    const { code, members } = outcome.failure;
    return { code, reason: members.reason, available: members.available };
  }
  if ('answer' in outcome) return outcome.answer;
  if ('descriptor' in outcome) return outcome.descriptor satisfies Descriptor;
  const { warnings, ...answer } = outcome.body as { warnings?: readonly { level: string }[] };
  return { ...answer, isMalformed: warnings?.some((one) => one.level === 'error') };
}

function withRecords(
  zones: ReadonlyMap<string, string>,
  name: string,
  change: (records: { type: string }[]) => unknown[],
): Map<string, string> {
  const zone = JSON.parse(zones.get(name) as string);
  return new Map(zones).set(name, JSON.stringify({ ...zone, records: change(zone.records) }));
}

function eligible(explanation: Explanation): string[] {
  return explanation.candidates
    .filter((one) => ['selected', 'invalid_endpoint', 'outranked'].includes(one.verdict))
    .map((one) => `${one.zone} ${one.record}`);
}

function wayTo(explanation: Explanation, identity: string) {
  const way = [];
  let at: string | undefined = identity;
  while (at !== undefined) {
    const zone = explanation.zones.find((one) => one.identity === at);
    if (zone) way.push(zone);
    at = zone?.inherited_by;
  }
  return way;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
