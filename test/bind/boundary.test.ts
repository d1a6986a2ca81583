import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { bindApp, bindDeps } from '../../src/bind/testing/served-room.ts';
import { cascade, mcp } from '../../src/bind/testing/zones.ts';

const connections: Socket[] = [];
const endpoint = createServer((socket) => connections.push(socket)).listen(0, '127.0.0.1');
const opened: unknown[] = [];
const onSocket = (message: unknown) => opened.push(message);
diagnostics.subscribe('net.client.socket', onSocket);

afterAll(() => {
  diagnostics.unsubscribe('net.client.socket', onSocket);
  endpoint.close();
});

test('[bind:S11] [bind:A21] [bind:A19] thousands of resolutions open not one connection', async () => {
  if (!endpoint.listening) await once(endpoint, 'listening');
  const { port } = endpoint.address() as { port: number };
  const live = `https://127.0.0.1:${port}/mcp`;
  const deps = bindDeps(
    {
      acme: [mcp(live, 1), cascade('up')],
      up: [mcp(live, 2), { type: 'BIND', value: live }, { type: 'APP', value: live }],
      broken: [cascade('gone')],
    },
    { policy: { allowPrivateEndpoints: true } },
  );
  const app = bindApp(deps);
  const fetched: unknown[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = (...args) => {
    fetched.push(args);
    return fetch(...args);
  };
  try {
    const paths = ['acme', 'up', 'broken'].flatMap((name) => [
      `/codex/resolve?identity=${name}`,
      `/codex/resolve?identity=${name}&mode=mcp&trace=1`,
      `/codex/resolve/mcp/${name}`,
    ]);
    const statuses = new Map<number, number>();
    for (let turn = 0; turn < 600; turn += 1) {
      for (const path of paths) {
        const { status } = await app.request(path);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    expect([...statuses]).toEqual([
      [200, 4200],
      [502, 1200],
    ]);
    const zone = { identity: 'new', created_at: '2026-01-01T00:00:00Z', contact: '@x', records: [mcp(live)] };
    const put = await app.request('/codex/zones/new', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: 'Bearer registrar-secret' },
      body: JSON.stringify(zone),
    });
    expect(put.status).toBe(201);
  } finally {
    globalThis.fetch = fetch;
  }
  expect([connections.length, opened.length, fetched.length]).toEqual([0, 0, 0]);
});
