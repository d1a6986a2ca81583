import { describe, expect, test } from 'vitest';
import { Dice, randomZones } from '../../test/naive/bind-graph.ts';
import { Answers } from './answers.ts';
import { collapse } from './collapse.ts';
import { BIND_LIMITS } from './limits.ts';
import { type FetchedZone, RemoteZones } from './remote-zones.ts';
import { caps, cascade, mcp, policy, tableOf, url, type ZoneTexts, zoneText } from './testing/zones.ts';

/** This resolver, and others that are reached by their authority; `fail` takes one away. */
function federation(local: ZoneTexts, others: Readonly<Record<string, ZoneTexts>>, staleIfErrorSeconds = 600) {
  let now = Date.UTC(2026, 0, 1);
  const asked: string[] = [];
  const down = new Set<string>();
  const shut = new Set<string>();
  const zones = new RemoteZones(
    tableOf(local),
    {
      isAny: () => Object.keys(others).length > 0,
      staleIfErrorSeconds: () => staleIfErrorSeconds,
      async askFor(authority, name): Promise<FetchedZone> {
        asked.push(`${name}@${authority}`);
        const there = others[authority];
        if (!there) return { kind: 'failed', reason: 'no_resolver' };
        if (down.has(authority)) return { kind: 'failed', reason: 'unreachable' };
        if (shut.has(authority)) return { kind: 'failed', reason: 'protected' };
        return there[name] === undefined
          ? { kind: 'absent' }
          : { kind: 'zone', text: zoneText(name, there[name] as ZoneTexts[string]) };
      },
    },
    { now: () => now },
  );
  const answers = new Answers({ zones, policy, clock: { now: () => now } });
  const ask = async (name: string, more: object = {}): Promise<Record<string, unknown>> => {
    const request = { name, mode: 'mcp', ...more } as const;
    await answers.gather(request);
    const answer = answers.answer(request);
    return answer.ok ? { ...answer.body } : { code: answer.failure.code, ...answer.failure.members };
  };
  return {
    ask,
    asked,
    down,
    shut,
    later: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

const acme = { ttl: 100, records: [mcp(url('acme'), 10, { capabilities: ['search'] })] };

test('a name at another resolver is delegated, then cached with the ttl that is left, then asked for again', async () => {
  const { ask, asked, later } = federation({}, { 'org.example': { acme } });
  const descriptor = {
    identity: 'ai://acme@org.example',
    mode: 'mcp',
    endpoint: url('acme'),
    capabilities: ['search'],
  };
  expect(await ask('acme@org.example')).toEqual({ ...descriptor, ttl: 100, source: 'delegated' });
  later(40);
  expect(await ask('acme@org.example')).toEqual({ ...descriptor, ttl: 60, source: 'cache' });
  later(60);
  expect(await ask('acme@org.example')).toEqual({ ...descriptor, ttl: 100, source: 'delegated' });
  expect(asked).toEqual(['acme@org.example', 'acme@org.example']);
});

test('while a resolver is down its zone is stale, says so with its age, and ends after the bound', async () => {
  const { ask, asked, down, later } = federation({}, { 'org.example': { acme } });
  await ask('acme@org.example');
  down.add('org.example');
  later(150);
  expect(await ask('acme@org.example')).toMatchObject({ source: 'stale', age: 150, ttl: 5, endpoint: url('acme') });
  later(2);
  expect([await ask('acme@org.example'), asked.length]).toEqual([expect.objectContaining({ age: 152 }), 2]);
  later(548);
  expect(await ask('acme@org.example')).toEqual({
    code: 'RESOLVER_FAILED',
    identity: 'ai://acme@org.example',
    reason: 'unreachable',
  });
  down.clear();
  later(5);
  expect(await ask('acme@org.example')).toMatchObject({ source: 'delegated', ttl: 100 });
});

test('a name that is gone at its resolver is gone here, however long it was cached', async () => {
  const there: Record<string, ZoneTexts[string]> = { acme };
  const { ask, later } = federation({}, { 'org.example': there });
  await ask('acme@org.example');
  delete there.acme;
  later(100);
  expect((await ask('acme@org.example')).code).toBe('IDENTITY_NOT_FOUND');
});

test('a name that is protected at its resolver is protected here, and a damaged zone is an error that an older one outlives', async () => {
  const there: Record<string, ZoneTexts[string]> = { acme };
  const { ask, later, shut } = federation({}, { 'org.example': there });
  await ask('acme@org.example');
  there.acme = '{';
  later(100);
  expect(await ask('acme@org.example')).toMatchObject({ source: 'stale', age: 100, endpoint: url('acme') });
  shut.add('org.example');
  later(5);
  expect((await ask('acme@org.example')).code).toBe('PROTECTED');
});

test('a zone here inherits from one there, and names of a zone there are of its own resolver', async () => {
  const { ask, asked } = federation(
    { heir: [cascade('base@org.example'), caps('search')], base: [mcp(url('wrong'), 99)] },
    { 'org.example': { base: [cascade('deep')], deep: { ttl: 30, records: [mcp(url('deep'), 5)] } } },
  );
  expect(await ask('heir')).toEqual({ code: 'CAPS_UNSATISFIED', identity: 'ai://heir', requested: [], available: [] });
  expect(await ask('heir', { cascade: 'off' })).toMatchObject({ code: 'NO_MCP_RECORDS' });
  expect(asked).toEqual(['base@org.example', 'deep@org.example']);
  const open = federation(
    { heir: [cascade('base@org.example')] },
    { 'org.example': { base: [cascade('deep')], deep: { ttl: 30, records: [mcp(url('deep'), 5)] } } },
  );
  expect(await open.ask('heir')).toEqual({
    identity: 'ai://heir',
    mode: 'mcp',
    endpoint: url('deep'),
    ttl: 30,
    source: 'inherited',
    resolved_from: 'ai://deep@org.example',
  });
});

describe('what cannot be had there fails the whole, with its reason and its chain', () => {
  test.each([
    ['unknown_identity', { 'org.example': {} }, []],
    ['unreachable', { 'org.example': {} }, ['org.example']],
    ['no_resolver', {}, []],
    ['corrupt', { 'org.example': { base: '{' } }, []],
    ['cycle', { 'org.example': { base: [cascade('base')] } }, []],
  ])('%s', async (reason, others, down) => {
    const all = federation({ heir: [mcp(url('local'), 99), cascade('base@org.example')] }, others);
    for (const authority of down) all.down.add(authority);
    const chain = ['ai://heir', 'ai://base@org.example', ...(reason === 'cycle' ? ['ai://base@org.example'] : [])];
    expect(await all.ask('heir')).toEqual({ code: 'CASCADE_FAILED', identity: 'ai://heir', reason, chain });
  });

  test.each([
    ['RESOLVER_UNKNOWN', 'acme@other.example', 'no_resolver'],
    ['IDENTITY_NOT_FOUND', 'acme@org.example', undefined],
  ])('%s where the name itself is asked for', async (code, name, reason) => {
    const { ask } = federation({ acme }, { 'org.example': {} });
    expect([(await ask(name)).code, (await ask(name)).reason]).toEqual([code, reason]);
  });
});

test('resolvers that send each other on and on are asked for one zone more than a resolution may have', async () => {
  const endless = new Proxy({} as Record<string, ZoneTexts[string]>, {
    get: (_zones, name) => Array.from({ length: 16 }, (_, index) => cascade(`${String(name)}${index}`.slice(-60))),
  });
  const { ask, asked } = federation({}, { 'org.example': endless });
  expect(await ask('z@org.example')).toMatchObject({ code: 'CASCADE_FAILED', reason: 'fanout' });
  expect(asked.length).toBeLessThanOrEqual(BIND_LIMITS.zonesPerResolutionMax + 1);
});

test('requests at the same moment ask once, and the cache keeps within its bound', async () => {
  const many = Object.fromEntries(
    Array.from({ length: BIND_LIMITS.remoteZonesMax + 5 }, (_, index) => [`n${index}`, acme]),
  );
  const { ask, asked } = federation({}, { 'org.example': many });
  await Promise.all([ask('n0@org.example'), ask('n0@org.example'), ask('n0@org.example')]);
  expect(asked.length).toBe(1);
  for (const name of Object.keys(many)) await ask(`${name}@org.example`);
  await ask(`n${BIND_LIMITS.remoteZonesMax + 4}@org.example`);
  expect(asked.length).toBe(BIND_LIMITS.remoteZonesMax + 5);
  await ask('n0@org.example');
  expect(asked.length).toBe(BIND_LIMITS.remoteZonesMax + 6);
  // The zone that is asked for again and again stays, whatever else is asked for.
  for (const name of Object.keys(many).slice(1)) {
    await ask('n0@org.example');
    await ask(`${name}@org.example`);
  }
  const before = asked.length;
  await ask('n0@org.example');
  expect(asked.length).toBe(before);
});

test('zones answer alike here and at another resolver, over random graphs', async () => {
  const dice = new Dice(5);
  const rename = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('@org.example', ''));
  for (let round = 0; round < 300; round += 1) {
    const texts = Object.fromEntries(randomZones(dice).zones) as Record<string, string>;
    const { ask } = federation({}, { 'org.example': texts });
    for (const name of Object.keys(texts).slice(0, 4)) {
      const here = collapse(tableOf(texts), { name }, { ...policy, protectedNames: new Set() });
      const there = rename(await ask(`${name}@org.example`));
      if (here.ok && here.descriptor.source === 'authoritative') {
        expect(there).toEqual({ ...here.descriptor, source: 'delegated' });
      } else expect(there).toEqual(here.ok ? here.descriptor : { code: here.failure.code, ...here.failure.members });
    }
  }
});
