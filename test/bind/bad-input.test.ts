import { expect, test } from 'vitest';
import { collapse } from '../../src/bind/collapse.ts';
import { bindApp, bindDeps } from '../../src/bind/testing/served-room.ts';
import { caps, cascade, mcp, policy, tableOf, url } from '../../src/bind/testing/zones.ts';

const put = (app: ReturnType<typeof bindApp>, name: string, body: string) =>
  app.request(`/codex/zones/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: 'Bearer registrar-secret' },
    body,
  });

async function told(response: Response | Promise<Response>) {
  const { status, code } = JSON.parse(await (await response).text());
  return [status, code];
}

test('a zone of ten megabytes of records is resolved by the same rules', () => {
  const records = Array.from({ length: 60_000 }, (_, index) =>
    mcp({ endpoint: url(`host-${index}`), capabilities: [`cap-${index}`], padding: 'x'.repeat(80) }, index % 1000),
  );
  const table = tableOf({ acme: records, heir: [cascade('acme')] });
  expect((table.get('acme')?.text.length ?? 0) > 1e7).toBe(true);
  expect([
    collapse(table, { name: 'heir' }, policy),
    collapse(table, { name: 'acme', caps: ['cap-59000'] }, policy),
  ]).toMatchObject([
    { ok: true, descriptor: { endpoint: url('host-999'), resolved_from: 'ai://acme' } },
    { ok: true, descriptor: { endpoint: url('host-59000') } },
  ]);
  const none = collapse(table, { name: 'acme', caps: ['nobody'] }, policy);
  expect(none.ok || (none.failure.members.available as unknown[]).length).toBe(64);
});

test('ten megabytes are too much for a write', async () => {
  const app = bindApp(bindDeps({}));
  expect(await told(put(app, 'acme', `{"identity":"acme","x":"${'x'.repeat(1e7)}"}`))).toEqual([
    413,
    'PAYLOAD_TOO_LARGE',
  ]);
});

test('hundreds of thousands of capabilities are matched without trying every pair', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `c${index}`);
  const table = tableOf({ acme: [caps(...many), cascade('up')], up: [mcp(url('up'), 1, { capabilities: many })] });
  const outcome = collapse(table, { name: 'acme', caps: ['c99999'] }, policy);
  expect(outcome.ok && outcome.descriptor.capabilities?.length).toBe(100_000);
});

test('a write of what is no zone is refused with a code, and nothing of the inside is told', async () => {
  const app = bindApp(bindDeps({}));
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  expect([
    await told(put(app, 'acme', '{')),
    await told(put(app, 'acme', '[]')),
    await told(put(app, 'acme', '"zone"')),
    await told(put(app, 'acme', '{}')),
    await told(put(app, 'acme', `{"identity":"acme","records":${deep}}`)),
    await told(put(app, 'acme', '{"identity":"acme","records":[null,5,{"type":"MCP"}]}')),
  ]).toEqual([
    [400, 'MALFORMED_JSON'],
    [400, 'INVALID_PARAMETER'],
    [400, 'INVALID_PARAMETER'],
    [422, 'INVALID_ZONE'],
    [422, 'INVALID_ZONE'],
    [422, 'INVALID_ZONE'],
  ]);
});

test('halves of surrogate pairs, prototype names and odd numbers in a zone are data like any other', async () => {
  const text =
    '{"identity":"acme","__proto__":{"x":1},"records":[{"type":"TXT","value":"\\ud800","__proto__":1},{"type":"MCP","value":"https://a.example/","priority":1e1}]}';
  const app = bindApp(bindDeps({ acme: text }));
  const raw = await app.request('/codex/resolve?identity=acme');
  expect([raw.status, (await raw.text()).includes('"\\ud800","__proto__":1')]).toEqual([200, true]);
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
  expect(await Promise.all(names.map((name) => told(app.request(`/codex/resolve?identity=${name}`))))).toEqual([
    [404, 'IDENTITY_NOT_FOUND'],
    [400, 'INVALID_IDENTITY'],
    [404, 'IDENTITY_NOT_FOUND'],
    [404, 'IDENTITY_NOT_FOUND'],
  ]);
});

test('identities that try to leave the folder are no identities', async () => {
  const app = bindApp(bindDeps({}));
  const tried = ['..%2F..%2Fetc%2Fpasswd', '%2Fetc%2Fpasswd', '..', 'a%00', '%252e%252e'];
  expect(await Promise.all(tried.map((name) => told(app.request(`/codex/resolve?identity=${name}`))))).toEqual(
    tried.map(() => [400, 'INVALID_IDENTITY']),
  );
});
