import { describe, expect, test } from 'vitest';
import { findBrokenEntry } from '../../src/bind/change-log.ts';
import { signDetached } from '../../src/bind/detached-jws.ts';
import { canonicalJson } from '../../src/bind/digest.ts';
import { toPublicKeyText } from '../../src/bind/public-key.ts';
import { bindApp, bindDeps } from '../../src/bind/testing/served-room.ts';
import { cascade, mcp, newKeyPem, url } from '../../src/bind/testing/zones.ts';
import { parseSigningKey } from '../../src/store/bind/signing-key.ts';

const owner = parseSigningKey(newKeyPem());
const ownerKey = toPublicKeyText(Buffer.from(owner.published[0]?.x as string, 'base64url'));
const zoneOf = (word: string, more: object = {}) => ({
  identity: 'acme',
  created_at: '2026-01-01T00:00:00Z',
  contact: '@acme',
  records: [mcp(url(word)), { type: 'KEY', value: ownerKey }],
  ...more,
});
const bearer = { authorization: 'Bearer registrar-secret' };

function serve() {
  const deps = bindDeps({});
  const app = bindApp(deps);
  const put = async (zone: unknown, headers: Record<string, string> = bearer, name = 'acme') => {
    const response = await app.request(`/codex/zones/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(zone),
    });
    return { status: response.status, etag: response.headers.get('etag') ?? '', body: await json(response) };
  };
  const told = async (zone: unknown, headers?: Record<string, string>, name?: string) => {
    const { status, body } = await put(zone, headers, name);
    return [status, body.code];
  };
  return { app, put, told };
}

describe('[bind:A20] a zone is written', () => {
  test('by a registrar, new and then in place of the version that was read', async () => {
    const { app, put, told } = serve();
    const created = await put(zoneOf('a'));
    expect([created.status, created.body]).toEqual([
      201,
      { identity: 'ai://acme', created: true, etag: created.etag, seq: 1, warnings: [] },
    ]);
    const read = await app.request('/codex/zones/acme');
    expect([read.headers.get('etag'), await json(read)]).toEqual([created.etag, zoneOf('a')]);
    const raw = await app.request('/codex/resolve?identity=acme');
    expect(raw.headers.get('etag')).toBe(created.etag);
    const replaced = await put(zoneOf('b'), { ...bearer, 'if-match': created.etag });
    expect([replaced.status, replaced.body.created]).toEqual([200, false]);
    expect((await json(await app.request('/codex/resolve/mcp/acme'))).endpoint).toBe(url('b'));
    expect([
      await told(zoneOf('c'), { ...bearer, 'if-match': created.etag }),
      await told(zoneOf('c')),
      await told(zoneOf('c'), { ...bearer, 'if-none-match': '*' }),
      await told(zoneOf('x', { identity: 'other' }), { ...bearer, 'if-match': '*' }, 'other'),
      await told(zoneOf('c'), { ...bearer, 'if-match': '*' }),
    ]).toEqual([
      [412, 'ZONE_CHANGED'],
      [428, 'IF_MATCH_REQUIRED'],
      [412, 'ZONE_CHANGED'],
      [412, 'ZONE_CHANGED'],
      [200, undefined],
    ]);
  });

  test('by nobody without a key, with a wrong key, or under a reserved name', async () => {
    const { app, told } = serve();
    expect([
      await told(zoneOf('a'), {}),
      await told(zoneOf('a'), { authorization: 'Bearer wrong' }),
      await told(zoneOf('a'), { authorization: 'Basic registrar-secret' }),
      await told(zoneOf('a', { identity: 'root' }), bearer, 'root'),
      await told(zoneOf('a'), bearer, 'ac.me'),
    ]).toEqual([
      [401, 'REGISTRAR_KEY_REQUIRED'],
      [401, 'REGISTRAR_KEY_REQUIRED'],
      [401, 'REGISTRAR_KEY_REQUIRED'],
      [403, 'PROTECTED'],
      [400, 'INVALID_IDENTITY'],
    ]);
    expect((await app.request('/codex/zones/acme')).status).toBe(404);
  });

  test('by its owner, with a signature for exactly this step', async () => {
    const { put, told } = serve();
    const sign = (zone: unknown, replaces: string, signer = owner.signer) => ({
      'zone-signature': signDetached(canonicalJson(zone), signer, { replaces }),
    });
    expect(await told(zoneOf('a'), sign(zoneOf('a'), ''))).toEqual([403, 'ZONE_SIGNATURE_INVALID']);
    const { etag } = await put(zoneOf('a'));
    const step = { ...sign(zoneOf('b'), etag), 'if-match': etag };
    const stranger = parseSigningKey(newKeyPem()).signer;
    expect([
      await told(zoneOf('c'), step),
      await told(zoneOf('b'), { ...sign(zoneOf('b'), etag, stranger), 'if-match': etag }),
      await told(zoneOf('b'), { ...sign(zoneOf('b'), '"sha256-x"'), 'if-match': etag }),
    ]).toEqual(Array(3).fill([403, 'ZONE_SIGNATURE_INVALID']));
    const second = await put(zoneOf('b'), step);
    expect(second.status).toBe(200);
    // The same signature does not bring the old state back later.
    await put(zoneOf('c'), { ...bearer, 'if-match': second.etag });
    expect(await told(zoneOf('b'), { ...step, 'if-match': '*' })).toEqual([403, 'ZONE_SIGNATURE_INVALID']);
  });

  test('[bind:N10] only if it is valid', async () => {
    const { put, told } = serve();
    const errorsOf = async (more: object) => {
      const { status, body } = await put(zoneOf('a', more));
      return [status, ...body.errors.map((issue: { code: string }) => issue.code)];
    };
    expect([
      await errorsOf({ identity: 'other' }),
      await errorsOf({ created_at: 'yesterday' }),
      await errorsOf({ contact: undefined }),
      await errorsOf({ records: [] }),
      await errorsOf({ records: [mcp('http://x.example/')] }),
      await errorsOf({ records: [mcp('https://192.168.0.1/')] }),
      await errorsOf({ records: [{ type: 'MCP', value: url('a') }] }),
      await errorsOf({ records: [{ type: 'KEY', value: 'ed25519:REPLACE' }] }),
      await errorsOf({ records: [{ type: 'KEY', value: `ed25519:${Buffer.alloc(32).toString('base64')}` }] }),
      await errorsOf({ records: [cascade('acme')] }),
      await errorsOf({ records: [cascade('openai')] }),
      await errorsOf({ records: [{ type: 'FUTURE' }] }),
      await errorsOf({ records: [mcp('https://g\u043e\u043egle.example/')] }),
    ]).toEqual([
      [422, 'wrong_identity'],
      [422, 'bad_created_at'],
      [422, 'no_contact'],
      [422, 'empty'],
      [422, 'invalid_endpoint'],
      [422, 'private_endpoint'],
      [422, 'bad_priority'],
      [422, 'invalid_key'],
      [422, 'placeholder_key'],
      [422, 'self_cascade'],
      [422, 'protected_cascade'],
      [422, 'unknown_type'],
      [422, 'homograph'],
    ]);
    expect(await told(zoneOf('a', { identity: 'g00gle' }), bearer, 'g00gle')).toEqual([422, 'INVALID_ZONE']);
    const { etag } = await put(zoneOf('a'));
    const other = zoneOf('a', { created_at: '2026-01-02T00:00:00Z' });
    expect(await told(other, { ...bearer, 'if-match': etag })).toEqual([409, 'IMMUTABLE_FIELD']);
  });

  test('[bind:N8] and the log tells of it for ever, each entry holding the hash of the one before', async () => {
    const { app, put } = serve();
    const first = await put(zoneOf('a'));
    await put(zoneOf('b'), { ...bearer, 'if-match': first.etag });
    await put(zoneOf('c', { identity: 'other' }), bearer, 'other');
    const page = async (query: string) => json(await app.request(`/codex/log?${query}`));
    const { entries } = await page('');
    expect(
      entries.map(({ seq, identity, by, replaced }: Record<string, unknown>) => [seq, identity, by, replaced]),
    ).toEqual([
      [1, 'ai://acme', expect.stringMatching(/^registrar:[0-9a-f]{8}$/), null],
      [2, 'ai://acme', expect.any(String), first.etag.slice(1, -1)],
      [3, 'ai://other', expect.any(String), null],
    ]);
    expect(findBrokenEntry(entries)).toBe(undefined);
    const altered = entries.map((entry: object, index: number) => (index === 1 ? { ...entry, by: 'x' } : entry));
    expect([
      findBrokenEntry(altered),
      findBrokenEntry([entries[0], entries[2]]),
      findBrokenEntry(entries.slice(1)),
    ]).toEqual([1, 1, 0]);
    expect([await page('since=1&limit=1'), await page('since=3')]).toEqual([
      { entries: [entries[1]], next: 2 },
      { entries: [] },
    ]);
  });
});

async function json(response: Response) {
  return JSON.parse(await response.text());
}
