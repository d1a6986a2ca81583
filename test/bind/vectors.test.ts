import { describe, expect, test } from 'vitest';
import { convertAscendingZone } from '../../src/bind/ascending-zone.ts';
import { type CollapseRequest, collapse } from '../../src/bind/collapse.ts';
import { caps, cascade, keyText, mcp, policy, tableOf, url, type ZoneTexts } from '../../src/bind/testing/zones.ts';

/** The descriptor, or the failure with its members in one object. */
function resolve(zones: ZoneTexts, request: Partial<CollapseRequest> = {}): Record<string, unknown> {
  const outcome = collapse(tableOf(zones), { name: 'acme', ...request }, policy);
  return outcome.ok ? { ...outcome.descriptor } : { code: outcome.failure.code, ...outcome.failure.members };
}

const descriptor = (word: string, more: object = {}) => ({
  identity: 'ai://acme',
  mode: 'mcp',
  endpoint: url(word),
  ttl: 3600,
  source: 'authoritative',
  ...more,
});
const inherited = (word: string, from: string, more: object = {}) =>
  descriptor(word, { source: 'inherited', resolved_from: `ai://${from}`, ...more });
const failed = (reason: string, ...chain: string[]) => ({
  code: 'CASCADE_FAILED',
  identity: 'ai://acme',
  reason,
  chain: chain.map((name) => `ai://${name}`),
});
const corrupt = { code: 'ZONE_CORRUPT', identity: 'ai://acme', reason: 'corrupt', chain: ['ai://acme'] };
/** acme → z1 → … → zN, the endpoint in the last. */
const line = (edges: number): ZoneTexts =>
  Object.fromEntries(
    Array.from({ length: edges + 1 }, (_, index) => [
      index === 0 ? 'acme' : `z${index}`,
      index === edges ? [mcp(url('end'))] : [cascade(`z${index + 1}`)],
    ]),
  );

describe('priority', () => {
  test('[bind:S3] [bind:S7] [bind:A1] the higher of two priorities wins', () => {
    expect(resolve({ acme: [mcp(url('low'), 0), mcp(url('high'), 5)] })).toEqual(descriptor('high'));
  });

  test('[bind:A1] a zone whose lower priority wins is turned round by an explicit conversion alone', () => {
    const records = [mcp(url('low'), 0), mcp(url('high'), 5), { type: 'MCP', value: url('none') }];
    const { zone, errors } = convertAscendingZone({ records });
    expect({ zone, errors }).toEqual({
      zone: { records: [mcp(url('low'), 0), mcp(url('high'), -5), mcp(url('none'), -10)] },
      errors: [],
    });
    expect(resolve({ acme: zone.records as unknown[] })).toEqual(descriptor('low'));
    expect(convertAscendingZone({ records: [mcp(url('x'), -(2 ** 31))] }).errors).toEqual([
      { level: 'error', code: 'bad_priority', record: 0, message: 'The priority cannot be turned.' },
    ]);
  });

  test('[bind:A5] [bind:A6] [bind:X3] on a tie the nearer zone wins, then the cascade that comes first, then the record', () => {
    const upstream = [mcp(url('up'), 10)];
    expect(resolve({ acme: [cascade('up'), mcp(url('local'), 10)], up: upstream })).toEqual(descriptor('local'));
    expect(resolve({ acme: [cascade('up'), mcp(url('local'), 9)], up: upstream })).toEqual(inherited('up', 'up'));
    const siblings = { a: [mcp(url('a'))], b: [mcp(url('b'))] };
    expect(resolve({ acme: [cascade('a'), cascade('b')], ...siblings })).toEqual(inherited('a', 'a'));
    expect(resolve({ acme: [cascade('a'), cascade('b', 11)], ...siblings })).toEqual(inherited('b', 'b'));
    expect(resolve({ acme: [mcp(url('first'), 1), mcp(url('second'), 1)] })).toEqual(descriptor('first'));
  });
});

describe('cascade', () => {
  test('[bind:S9] [bind:X1] a diamond is no cycle', () => {
    const zones = { acme: [cascade('b'), cascade('c')], b: [cascade('d')], c: [cascade('d')], d: [mcp(url('d'))] };
    expect(resolve(zones)).toEqual(inherited('d', 'd'));
  });

  test('[bind:A7] [bind:A8] a zone that leads back to itself fails, however good its own endpoint is', () => {
    expect(resolve({ acme: [mcp(url('local')), cascade('acme')] })).toEqual(failed('cycle', 'acme', 'acme'));
    const pair = { acme: [mcp(url('local')), cascade('b')], b: [cascade('acme')] };
    expect(resolve(pair)).toEqual(failed('cycle', 'acme', 'b', 'acme'));
    const far = { acme: [cascade('b'), cascade('c')], b: [], c: [cascade('d')], d: [cascade('b'), cascade('c')] };
    expect(resolve(far)).toEqual(failed('cycle', 'acme', 'c', 'd', 'c'));
  });

  test('[bind:A7] [bind:X9] eight edges are followed, and nine are not', () => {
    expect(resolve(line(8))).toEqual(inherited('end', 'z8'));
    expect(resolve(line(9))).toEqual(
      failed('depth', 'acme', ...Array.from({ length: 9 }, (_, index) => `z${index + 1}`)),
    );
  });

  test('[bind:A8] [bind:X2] [bind:S12] a zone that is not there fails the whole, with or without a local endpoint', () => {
    expect(resolve({ acme: [mcp(url('local'), 100), cascade('gone')] })).toEqual(
      failed('unknown_identity', 'acme', 'gone'),
    );
    expect(resolve({ acme: [cascade('b')], b: [cascade('gone')] })).toEqual(
      failed('unknown_identity', 'acme', 'b', 'gone'),
    );
  });

  test('[bind:A8] [bind:X8] a reserved name is refused upstream too, also where it has a zone', () => {
    expect(resolve({ acme: [cascade('ai://OpenAI')], openai: [mcp(url('x'))] })).toEqual(
      failed('protected', 'acme', 'openai'),
    );
  });

  test('[bind:A7] [bind:U23] at most 16 records and 64 zones', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
    const empty = (names: string[]) => Object.fromEntries(names.map((name) => [name, []]));
    const wide = (count: number) => ({ acme: [mcp(url('local')), ...many(count).map((name) => cascade(name))] });
    expect(resolve({ ...wide(16), ...empty(many(16)) })).toEqual(descriptor('local'));
    expect(resolve({ ...wide(17), ...empty(many(17)) })).toEqual(failed('fanout', 'acme'));
    const equal = { acme: [mcp(url('local')), ...Array.from({ length: 17 }, () => cascade('b'))], b: [] };
    expect(resolve(equal)).toEqual(failed('fanout', 'acme'));
    const tree = (leaves: number) => ({
      acme: [mcp(url('local')), ...['a', 'b', 'c', 'd'].map((name) => cascade(name))],
      ...Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((name, index) => [
          name,
          many(leaves)
            .slice(index * 16, index * 16 + 16)
            .map((leaf) => cascade(leaf)),
        ]),
      ),
      ...empty(many(leaves)),
    });
    expect(resolve(tree(59))).toEqual(descriptor('local'));
    expect(resolve(tree(60))).toEqual(failed('fanout', 'acme', 'd', 'u59'));
  });

  test('[bind:U23] the first fault in visit order is the one that is told, and a cycle comes last', () => {
    const both = { acme: [cascade('gone'), cascade('openai')] };
    expect(resolve(both)).toEqual(failed('unknown_identity', 'acme', 'gone'));
    expect(resolve({ acme: [cascade('acme'), cascade('b')], b: [cascade('gone')] })).toEqual(
      failed('unknown_identity', 'acme', 'b', 'gone'),
    );
    const back = { ...line(8), z8: [mcp(url('end')), cascade('z7')] };
    expect(resolve(back)).toMatchObject({ reason: 'cycle' });
    expect(resolve({ ...line(8), z8: [cascade('openai')] })).toMatchObject({ reason: 'depth' });
  });

  test('[bind:A8] [bind:U6] [bind:X10] a corrupt zone is told as such, upstream and when it is asked for', () => {
    expect(resolve({ acme: [mcp(url('local')), cascade('b')], b: '{' })).toEqual(failed('corrupt', 'acme', 'b'));
    expect(resolve({ acme: '{' })).toEqual(corrupt);
  });

  test('[bind:U22] a cascade is spelled like any identity; what is none leads nowhere', () => {
    expect(resolve({ acme: [cascade('AI://Base@there/p')], base: [mcp(url('b'))] })).toEqual(inherited('b', 'base'));
    expect(resolve({ acme: [cascade('ac.me')] })).toEqual(failed('unknown_identity', 'acme', 'ac.me'));
    expect(resolve({ acme: [{ type: 'CASCADE', value: 5 }] })).toEqual(corrupt);
  });

  test('[bind:A8] cascade=off looks at the local records, and says so', () => {
    const zones = { acme: [mcp(url('local')), cascade('gone'), caps('a')], gone2: [] };
    expect(resolve(zones, { cascade: 'off' })).toEqual(descriptor('local', { capabilities: ['a'], cascade: 'off' }));
    const up = { acme: [mcp(url('local'), 1), cascade('up')], up: { ttl: 5, records: [mcp(url('up'), 9)] } };
    expect(resolve(up, { cascade: 'off' })).toEqual(descriptor('local', { cascade: 'off' }));
  });

  test('[bind:A9] only MCP records are inherited', () => {
    const up = [
      caps('a'),
      { type: 'KEY', value: keyText('u') },
      { type: 'APP', value: 'x' },
      { type: 'BIND', value: 'y' },
    ];
    expect(resolve({ acme: [mcp(url('local')), cascade('up')], up })).toEqual(descriptor('local'));
  });
});

describe('capabilities', () => {
  const unsatisfied = (requested: string[], ...available: string[][]) => ({
    code: 'CAPS_UNSATISFIED',
    identity: 'ai://acme',
    requested,
    available,
  });
  const offers = (...capabilities: string[]) => ({ capabilities });

  test('[bind:S8] [bind:A3] an endpoint is chosen whose capabilities meet the request', () => {
    const acme = [mcp(url('a'), 9, offers('search')), mcp(url('b'), 1, offers('orders', 'Search'))];
    expect(resolve({ acme }, { caps: ['orders'] })).toEqual(descriptor('b', offers('orders', 'search')));
    expect(resolve({ acme }, { caps: ['orders', 'search'] })).toEqual(descriptor('a', offers('search')));
    const all = resolve({ acme }, { caps: ['orders', 'search'], match: 'all' });
    expect(all).toEqual(descriptor('b', offers('orders', 'search')));
    expect(resolve({ acme }, { caps: ['none'] })).toEqual(unsatisfied(['none'], ['search'], ['orders', 'search']));
  });

  test('[bind:A2] [bind:A3] the value, the record and the zone may declare, in this order', () => {
    const value = { endpoint: url('a'), capabilities: ['v'], version: '1', features: ['tools'] };
    expect(resolve({ acme: [mcp(value, 1, offers('r'))] })).toEqual(descriptor('a', offers('v')));
    expect(resolve({ acme: [mcp({ endpoint: url('a') }, 1, offers('r'))] })).toEqual(descriptor('a', offers('r')));
    expect(resolve({ acme: [mcp(url('a')), caps('z', 'y')] })).toEqual(descriptor('a', offers('y', 'z')));
    expect(resolve({ acme: [mcp(url('a'))] })).toEqual(descriptor('a'));
  });

  test('[bind:A3] [bind:U16] an empty CAPS allows nothing, unless another one allows something', () => {
    expect(resolve({ acme: [mcp(url('a'), 1, offers('x')), caps()] })).toEqual(unsatisfied([], []));
    expect(resolve({ acme: [mcp(url('a')), caps()] })).toEqual(unsatisfied([], []));
    const beside = { acme: [mcp(url('a'), 1, offers('x')), caps(), caps('x')] };
    expect(resolve(beside)).toEqual(descriptor('a', offers('x')));
  });

  test('[bind:A3] [bind:U17] unknown capabilities satisfy no request and no CAPS', () => {
    expect(resolve({ acme: [mcp(url('a'))] }, { caps: ['x'] })).toEqual(unsatisfied(['x']));
    const limited = { acme: [caps('x'), cascade('up')], up: [mcp(url('up'))] };
    expect(resolve(limited)).toEqual(unsatisfied([]));
  });

  test('[bind:U18] an endpoint that declares nothing at all is eligible where nobody asks', () => {
    expect(resolve({ acme: [mcp(url('a'), 1, offers())] })).toEqual(descriptor('a', offers()));
    expect(resolve({ acme: [mcp(url('a'), 1, offers()), caps('x')] })).toEqual(unsatisfied([], []));
  });

  test('[bind:A3] [bind:A9] [bind:X5] what is inherited is lowered by every CAPS on its way, never widened', () => {
    const zones = {
      acme: [caps('a', 'b'), cascade('mid')],
      mid: [caps('b', 'c'), cascade('up')],
      up: [mcp(url('up'), 1, offers('a', 'b', 'c'))],
    };
    expect(resolve(zones)).toEqual(inherited('up', 'up', offers('b')));
    expect(resolve(zones, { caps: ['a'] })).toEqual(unsatisfied(['a'], ['b']));
  });

  test('[bind:A4] an inherited endpoint is taken where all local ones fail CAPS, and it is disclosed', () => {
    const zones = {
      acme: [mcp(url('local'), 99, offers('x')), cascade('up')],
      up: [mcp(url('up'), 1, offers('y'))],
    };
    expect(resolve(zones, { caps: ['y'] })).toEqual(inherited('up', 'up', offers('y')));
  });

  test('[bind:U19] in a diamond the way is the one by which the zone came in first', () => {
    const zones = {
      acme: [cascade('b', 1), cascade('c', 2)],
      b: [caps('x'), cascade('d')],
      c: [caps('y'), cascade('d')],
      d: [mcp(url('d'), 1, offers('x', 'y'))],
    };
    expect(resolve(zones)).toEqual(inherited('d', 'd', offers('y')));
  });
});

describe('key and ttl', () => {
  const key = (letter: string, priority?: number) => ({
    type: 'KEY',
    value: keyText(letter),
    ...(priority === undefined ? {} : { priority }),
  });

  test('[bind:A10] [bind:X4] the key is the one of the zone that owns the endpoint, or none', () => {
    expect(resolve({ acme: [mcp(url('local')), cascade('up')], up: [key('u')] })).toEqual(descriptor('local'));
    const zones = { acme: [key('l'), cascade('up')], up: [mcp(url('up')), key('u')] };
    expect(resolve(zones)).toEqual(inherited('up', 'up', { key: keyText('u') }));
  });

  test('[bind:A10] [bind:U13] the highest key counts, a missing priority is 10, and an overlap shows all keys', () => {
    const acme = [mcp(url('a')), key('a', 9), key('b'), key('c', 10)];
    const keys = [keyText('b'), keyText('c'), keyText('a')];
    expect(resolve({ acme })).toEqual(descriptor('a', { key: keyText('b'), keys }));
  });

  test('[bind:U21] [bind:A10] a malformed key makes its zone corrupt', () => {
    const wrong = ['ed25519:BASE64...', `ed25519:${Buffer.alloc(31).toString('base64')}`, keyText('a').slice(0, -1), 5];
    const unpadded = keyText('a').replace(/.=$/, 'B=');
    for (const value of [...wrong, unpadded]) {
      const record = { type: 'KEY', value, priority: 99 };
      expect(resolve({ acme: [mcp(url('a')), record, key('k', 1)] })).toEqual(corrupt);
      expect(resolve({ acme: [mcp(url('a')), cascade('b')], b: [record] })).toEqual(failed('corrupt', 'acme', 'b'));
    }
  });

  test('[bind:A11] [bind:X12] the ttl is the least of all zones that were consulted', () => {
    const zones = {
      acme: { ttl: 600, records: [mcp(url('a')), cascade('b')] },
      b: { ttl: 300, records: [cascade('c')] },
      c: { ttl: 900, records: [] },
    };
    expect(resolve(zones)).toEqual(descriptor('a', { ttl: 300 }));
  });

  test('[bind:U20] the ttl of the selected record stands for its zone, and other records play no part', () => {
    const zone = (ttl: number, recordTtl: number) => ({
      acme: {
        ttl,
        records: [mcp(url('a'), 9, { ttl: recordTtl }), mcp(url('b'), 1, { ttl: 1 }), { ...caps('x'), ttl: 2 }],
      },
    });
    expect(resolve(zone(60, 7200))).toEqual(descriptor('a', { ttl: 7200, capabilities: ['x'] }));
    const zones = { acme: [cascade('up')], up: { ttl: 60, records: [mcp(url('up'), 1, { ttl: 7200 })] } };
    expect(resolve(zones)).toEqual(inherited('up', 'up'));
  });

  test('[bind:A11] [bind:U15] a ttl is kept within 1 and 86400 seconds', () => {
    const ttl = (value: number) => resolve({ acme: { ttl: value, records: [mcp(url('a'))] } }).ttl;
    expect([0, -7, 1, 86_400, 86_401, 1e9].map(ttl)).toEqual([1, 1, 1, 86_400, 86_400, 86_400]);
  });
});

describe('errors', () => {
  test('[bind:S12] [bind:X13] a name without a zone and a zone without MCP records are two things', () => {
    expect(resolve({})).toEqual({ code: 'IDENTITY_NOT_FOUND', identity: 'ai://acme' });
    expect(resolve({ acme: [caps('x')] })).toEqual({ code: 'NO_MCP_RECORDS', identity: 'ai://acme' });
  });

  test('[bind:U9] resolving needs no contact, no time of creation and no records', () => {
    expect(resolve({ acme: '{"identity":"acme","records":[]}' })).toEqual({
      code: 'NO_MCP_RECORDS',
      identity: 'ai://acme',
    });
    const bare = JSON.stringify({ identity: 'acme', records: [mcp(url('a'))] });
    expect(resolve({ acme: bare })).toEqual(descriptor('a'));
  });

  test('[bind:A12] [bind:X6] [bind:S13] [bind:U27] a selected endpoint that is not valid is an error, not the next one', () => {
    for (const value of ['http://plain.example/', 'https://10.0.0.1/', 5, null, {}, [], { endpoint: 'x' }]) {
      expect(resolve({ acme: [mcp(value, 9), mcp(url('good'), 1)] }), JSON.stringify(value)).toEqual({
        code: 'INVALID_ENDPOINT',
        identity: 'ai://acme',
        zone: 'ai://acme',
      });
      expect(resolve({ acme: [mcp(value, 1), mcp(url('good'), 9)] })).toEqual(descriptor('good'));
    }
  });

  test('[bind:A17] the first error in the order of the rules is the one that is told', () => {
    const everything = {
      root: '{',
      acme: [mcp('http://x/', 9), caps(), cascade('gone')],
      only: [mcp('http://x/'), caps()],
    };
    expect(resolve(everything, { name: 'root' })).toMatchObject({ code: 'PROTECTED' });
    expect(resolve(everything)).toMatchObject({ code: 'CASCADE_FAILED' });
    expect(resolve(everything, { name: 'only' })).toMatchObject({ code: 'CAPS_UNSATISFIED' });
  });

  test('[bind:A16] [bind:S10] the identity is the one that was asked for, and the owner is named where it is another', () => {
    const zones = { acme: [cascade('b')], b: [cascade('c')], c: [mcp(url('c'))] };
    expect(resolve(zones)).toEqual(inherited('c', 'c'));
    expect(resolve(zones, { name: 'c' })).toEqual({ ...descriptor('c'), identity: 'ai://c' });
  });
});

test('[bind:S4] CAPS, KEY and CASCADE may stand beside an MCP record, and none of them must', () => {
  expect(resolve({ acme: [mcp(url('a'))] })).toEqual(descriptor('a'));
  const acme = [mcp(url('a')), caps('x'), { type: 'KEY', value: keyText('k') }, cascade('up')];
  expect(resolve({ acme, up: [] })).toEqual(descriptor('a', { capabilities: ['x'], key: keyText('k') }));
});

describe('what plays no part', () => {
  test('[bind:U11] [bind:A18] [bind:A19] [bind:A5] unknown types, paths, BIND and X_SHADOW change nothing', () => {
    const acme = [
      mcp(url('low'), 1),
      mcp(url('high'), 5, { path: '/elsewhere' }),
      { type: 'mcp', value: url('x'), priority: 'much' },
      { type: 'FUTURE', ttl: 'x' },
      { type: 'X_SHADOW', value: true },
      { type: 'BIND', value: 'https://other.example/', priority: 99 },
      cascade('up'),
    ];
    expect(resolve({ acme, up: [mcp(url('up'), 9)] })).toEqual(inherited('up', 'up'));
    expect(resolve({ acme, up: [] })).toEqual(descriptor('high'));
  });
});
