import { describe, expect, test } from 'vitest';
import { bindApp, bindDeps } from '../../src/bind/testing/served-room.ts';
import { caps, cascade, keyText, mcp, newKeyPem, url } from '../../src/bind/testing/zones.ts';
import { parseSigningKey } from '../../src/store/bind/signing-key.ts';

const VENDOR = 'application/vnd.codex.mcp+json';
const zones = {
  sentinel: {
    ttl: 900,
    records: [
      mcp({ endpoint: 'https://sentinel.example.com/mcp', capabilities: ['summarize', 'search'] }),
      { type: 'KEY', value: keyText('k') },
    ],
  },
  heir: [cascade('sentinel')],
  empty: [{ type: 'TXT', value: 'x' }],
  bad: [mcp('http://plain.example/')],
  loop: [cascade('loop')],
  dangling: [cascade('gone')],
  corrupt: '{',
  malformed: [mcp(url('a'), 'high')],
  narrow: [mcp(url('a'), 1, { capabilities: ['x'] }), caps('x', 'y')],
};
const deps = bindDeps(zones);
const app = bindApp(deps);

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await app.request(path, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? '' : JSON.parse(text) };
}

const problem = async (path: string, headers: Record<string, string> = {}) => {
  const { status, body } = await get(path, headers);
  expect(body.status).toBe(status);
  return [status, body.code];
};

describe('modes', () => {
  test('[bind:S5] [bind:S10] [bind:A15] [bind:U7] without mode there are records, and none of the members of a descriptor', async () => {
    const { status, body, headers } = await get('/codex/resolve?identity=sentinel');
    expect([status, headers.get('content-type'), body]).toEqual([
      200,
      'application/json',
      { identity: 'ai://sentinel', records: zones.sentinel.records, ttl: 900, warnings: [] },
    ]);
    expect(Object.keys((await get('/codex/resolve?identity=malformed')).body)).toEqual([
      'identity',
      'records',
      'ttl',
      'warnings',
    ]);
  });

  test('[bind:S6] [bind:S10] [bind:A14] mode=mcp, the path form and the Accept header give the descriptor', async () => {
    const descriptor = {
      identity: 'ai://sentinel',
      mode: 'mcp',
      endpoint: 'https://sentinel.example.com/mcp',
      capabilities: ['search', 'summarize'],
      key: keyText('k'),
      ttl: 900,
      source: 'authoritative',
    };
    const asked = [
      await get('/codex/resolve?identity=sentinel&mode=mcp'),
      await get('/codex/resolve/mcp/sentinel'),
      await get('/codex/resolve/mcp/ai%3A%2F%2FSentinel'),
      await get('/codex/resolve?identity=AI://Sentinel@x', { accept: VENDOR }),
    ];
    expect(asked.map(({ status, body }) => [status, body])).toEqual(asked.map(() => [200, descriptor]));
    expect(asked.map(({ headers }) => headers.get('content-type'))).toEqual([
      'application/json',
      'application/json',
      'application/json',
      VENDOR,
    ]);
  });

  test('[bind:A14] [bind:U5] the parameter wins over the header, and the header counts where it prefers the descriptor', async () => {
    const modeFor = async (query: string, accept: string) =>
      (await get(`/codex/resolve?identity=sentinel${query}`, { accept, 'user-agent': 'mcp-client' })).body.mode;
    expect([
      await modeFor('', `text/html, ${VENDOR};q=0.1`),
      await modeFor('', `${VENDOR.toUpperCase()} ; q=1.0`),
      await modeFor('', `application/json;q=0.9, ${VENDOR};q=0.9, */*;q=0.1`),
      await modeFor('', `${VENDOR};q=0`),
      await modeFor('', `application/json, ${VENDOR};q=0.5`),
      await modeFor('', `*/*, ${VENDOR};q=0.5`),
      await modeFor('', `${VENDOR};q=2`),
      await modeFor('', '*/*'),
      await modeFor('&mode=raw', VENDOR),
      await modeFor('&mode=default', VENDOR),
    ]).toEqual(['mcp', 'mcp', 'mcp', ...Array(7).fill(undefined)]);
  });

  test('[bind:A15] trace=1 shows the closure beside the records, and the candidates beside the descriptor', async () => {
    const raw = (await get('/codex/resolve?identity=heir&trace=1')).body;
    const collapsed = (await get('/codex/resolve?identity=heir&mode=mcp&trace=1')).body;
    const zonesOf = (body: { trace: { zones: { identity: string }[] } }) =>
      body.trace.zones.map((zone) => zone.identity);
    expect([zonesOf(raw), zonesOf(collapsed)]).toEqual(Array(2).fill(['ai://heir', 'ai://sentinel']));
    expect([raw.records, collapsed.endpoint]).toEqual([zones.heir, 'https://sentinel.example.com/mcp']);
  });

  test('[bind:A16] an inherited endpoint names its owner', async () => {
    expect((await get('/codex/resolve/mcp/heir')).body).toMatchObject({
      identity: 'ai://heir',
      source: 'inherited',
      resolved_from: 'ai://sentinel',
      ttl: 900,
    });
  });
});

describe('errors', () => {
  test('[bind:A17] [bind:S12] every code has its status', async () => {
    const ask = (identity: string, more = '') => problem(`/codex/resolve?identity=${identity}&mode=mcp${more}`);
    expect([
      await ask('ac.me'),
      await problem('/codex/resolve?identity=sentinel&mode=other'),
      await ask('sentinel', '&match=some'),
      await ask('root'),
      await ask('nobody'),
      await ask('empty'),
      await ask('sentinel', '&caps=pay'),
      await ask('dangling'),
      await ask('loop'),
      await ask('bad'),
      await ask('corrupt'),
      await problem('/codex/resolve?identity=corrupt'),
    ]).toEqual([
      [400, 'INVALID_IDENTITY'],
      [400, 'UNKNOWN_MODE'],
      [400, 'INVALID_PARAMETER'],
      [403, 'PROTECTED'],
      [404, 'IDENTITY_NOT_FOUND'],
      [404, 'NO_MCP_RECORDS'],
      [422, 'CAPS_UNSATISFIED'],
      [502, 'CASCADE_FAILED'],
      [508, 'CASCADE_FAILED'],
      [500, 'INVALID_ENDPOINT'],
      [502, 'ZONE_CORRUPT'],
      [502, 'ZONE_CORRUPT'],
    ]);
  });

  test('[bind:A17] [bind:S8] a problem is a whole object', async () => {
    const cycle = await get('/codex/resolve?identity=loop&mode=mcp');
    expect([cycle.headers.get('content-type'), cycle.body]).toEqual([
      'application/problem+json',
      {
        type: '/reference#CASCADE_FAILED',
        title: 'A zone that the identity inherits from cannot be used',
        status: 508,
        code: 'CASCADE_FAILED',
        detail: 'ai://loop → ai://loop: the zones inherit from each other in a circle',
        identity: 'ai://loop',
        reason: 'cycle',
        chain: ['ai://loop', 'ai://loop'],
        request_id: 'request-1',
        ttl: 5,
      },
    ]);
    expect((await get('/codex/resolve?identity=narrow&mode=mcp&caps=B,a')).body).toMatchObject({
      requested: ['a', 'b'],
      available: [['x']],
      ttl: 60,
    });
  });

  test('[bind:U2] [bind:U3] identity comes first, then the mode, then the parameters, then the zones', async () => {
    expect([
      await problem('/codex/resolve'),
      await problem('/codex/resolve?mode=x&caps='),
      await problem('/codex/resolve?identity=a.b&mode=x'),
      await problem('/codex/resolve?identity=root&mode=x&caps='),
      await problem('/codex/resolve?identity=root&mode=mcp&caps='),
      await problem('/codex/resolve?identity=root&caps=%2C'),
      await problem('/codex/resolve?identity=root&match=x'),
      await problem('/codex/resolve?identity=root'),
    ]).toEqual([
      [400, 'INVALID_IDENTITY'],
      [400, 'INVALID_IDENTITY'],
      [400, 'INVALID_IDENTITY'],
      [400, 'UNKNOWN_MODE'],
      [400, 'INVALID_PARAMETER'],
      [400, 'INVALID_PARAMETER'],
      [400, 'INVALID_PARAMETER'],
      [403, 'PROTECTED'],
    ]);
  });

  test('[bind:U4] every piece of caps is a token', async () => {
    const ask = async (query: string) => (await get(`/codex/resolve?identity=narrow&mode=mcp&${query}`)).status;
    const refused = [
      'caps=',
      'caps=a,,b',
      'caps=a,%20b',
      'caps=%E2%84%AA',
      'caps=,',
      'caps=x&caps=',
      `caps=${'a'.repeat(65)}`,
    ];
    expect(await Promise.all(refused.map(ask))).toEqual(refused.map(() => 400));
    expect(await Promise.all(['caps=X', 'caps=a,x', 'caps=a&caps=x'].map(ask))).toEqual([200, 200, 200]);
  });

  test('[bind:U5] a mode is exactly one of three words', async () => {
    const ask = (query: string) => problem(`/codex/resolve?identity=sentinel&${query}`);
    expect([await ask('mode='), await ask('mode=MCP'), await ask('mode=%20mcp')]).toEqual(
      Array(3).fill([400, 'UNKNOWN_MODE']),
    );
    expect([await ask('mode=mcp&mode=mcp'), await ask('match=any&match=any'), await ask('cap=x')]).toEqual(
      Array(3).fill([400, 'INVALID_PARAMETER']),
    );
  });

  test('[bind:U6] [bind:X10] a zone that cannot be read is never "not found"', async () => {
    expect((await get('/codex/resolve?identity=corrupt')).body).toMatchObject({
      code: 'ZONE_CORRUPT',
      reason: 'corrupt',
      chain: ['ai://corrupt'],
    });
  });
});

describe('caching', () => {
  test('[bind:A11] [bind:A14] an answer may be kept for its ttl, a negative one for a minute, a failure for five seconds', async () => {
    const headersOf = async (path: string) => {
      const { headers } = await get(path);
      return [headers.get('cache-control'), headers.get('vary')];
    };
    expect([
      await headersOf('/codex/resolve/mcp/sentinel'),
      await headersOf('/codex/resolve?identity=empty'),
      await headersOf('/codex/resolve/mcp/nobody'),
      await headersOf('/codex/resolve/mcp/empty'),
      await headersOf('/codex/resolve/mcp/dangling'),
      await headersOf('/codex/resolve/mcp/a.b'),
    ]).toEqual([
      ['public, max-age=900', 'Accept'],
      ['public, max-age=3600', 'Accept'],
      ['public, max-age=60', 'Accept'],
      ['public, max-age=60', 'Accept'],
      ['public, max-age=5', 'Accept'],
      ['no-store', 'Accept'],
    ]);
  });

  test('[bind:A11] an answer from a local zone carries the full ttl however often it is asked for', async () => {
    let now = 0;
    const served = bindApp(bindDeps(zones, { now: () => now }));
    const first = await (await served.request('/codex/resolve/mcp/sentinel')).text();
    now += 600_000;
    expect(await (await served.request('/codex/resolve/mcp/sentinel')).text()).toBe(first);
    expect(JSON.parse(first)).toMatchObject({ ttl: 900, source: 'authoritative' });
  });

  test('[bind:N1] an equal tag is answered with 304, and a changed zone with a new one', async () => {
    const own = bindDeps(zones);
    const served = bindApp(own);
    const paths = ['/codex/resolve/mcp/heir', '/codex/resolve?identity=sentinel', '/codex/zones/sentinel'];
    const tags = await Promise.all(paths.map(async (path) => (await served.request(path)).headers.get('etag') ?? ''));
    const again = async () =>
      Promise.all(
        paths.map(async (path, index) => {
          const response = await served.request(path, { headers: { 'if-none-match': tags[index] as string } });
          return [response.status, (await response.text()).length > 0];
        }),
      );
    expect(tags.every((tag) => /^"sha256-[\w-]{43}"$/.test(tag))).toBe(true);
    expect(await again()).toEqual(paths.map(() => [304, false]));
    own.zones.set('sentinel', Buffer.from(JSON.stringify({ identity: 'sentinel', records: [mcp(url('new'))] })));
    expect(await again()).toEqual(paths.map(() => [200, true]));
  });
});

describe('batch', () => {
  const post = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await app.request('/codex/resolve', { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await json(response) };
  };

  test('[bind:N6] gives an answer or a problem for each name, in order', async () => {
    const { status, body } = await post({ identities: ['sentinel', 'a.b', 'root', 'AI://Heir'], mode: 'mcp' });
    const told = body.results.map((result: Record<string, unknown>) => result.endpoint ?? [result.status, result.code]);
    expect([status, told]).toEqual([
      200,
      [
        'https://sentinel.example.com/mcp',
        [400, 'INVALID_IDENTITY'],
        [403, 'PROTECTED'],
        'https://sentinel.example.com/mcp',
      ],
    ]);
  });

  test('[bind:N6] takes at most a hundred names, and no bad parameters', async () => {
    const names = (count: number) => Array.from({ length: count }, () => 'sentinel');
    const answers = [
      await post({ identities: names(100) }),
      await post({ identities: names(101) }),
      await post({ identities: [] }),
      await post({ identities: ['sentinel'], mode: 'x' }),
      await post({ identities: 'sentinel' }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [400, 'INVALID_PARAMETER'],
      [400, 'INVALID_PARAMETER'],
      [400, 'UNKNOWN_MODE'],
      [400, 'INVALID_PARAMETER'],
    ]);
  });
});

test('names are listed a page at a time, reserved ones left out', async () => {
  const served = bindApp(bindDeps({ a: [], b: [], c: [], root: [] }));
  const page = async (query: string) => json(await served.request(`/codex/zones?${query}`));
  expect([await page('limit=2'), await page('limit=2&after=ai://b')]).toEqual([
    { identities: ['ai://a', 'ai://b'], total: 3, next: 'ai://b' },
    { identities: ['ai://c'], total: 3 },
  ]);
});

test('[bind:N2] descriptors are signed where there is a key, and the key is published', async () => {
  const signing = parseSigningKey(`${newKeyPem()}${newKeyPem()}`);
  const served = bindApp(bindDeps(zones, { signing }));
  const { signature } = await json(await served.request('/codex/resolve/mcp/sentinel'));
  const { keys } = await json(await served.request('/.well-known/jwks.json'));
  expect([signature.kid, keys]).toEqual([signing.signer.kid, signing.published]);
  expect((await get('/.well-known/jwks.json')).body).toEqual({ keys: [] });
});

async function json(response: Response) {
  return JSON.parse(await response.text());
}
