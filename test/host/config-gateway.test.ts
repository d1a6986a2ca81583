import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claimDataDir } from '../../src/cli/running-gateway.ts';
import { openHostCommands } from '../support/host-commands.ts';

const ITEM = {
  ...{ id: 'a', transport: 'http', source: 'global', enabled: true, state: 'ready', reason: 'idle', connected: false },
  ...{ status: 'stopped', era: '2026', protocol_version: '2026-07-28', tools: 7, breaker: { state: 'closed' } },
  ...{ last_error: null, last_connected_at: '2026-11-15T12:00:00.000Z', last_health_check: null },
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** An HTTP server that answers as D1 of the gateway does, found by way of the data directory. */
async function openGateway(items: object[] = [ITEM]) {
  const commands = await openHostCommands();
  const dataDir = join(commands.dir, '.bindery');
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
    const url = new URL(request.url ?? '', 'http://x');
    const send = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const [, , , id, action] = url.pathname.split('/');
    if (request.method === 'POST' && request.headers.authorization !== 'Bearer admin-secret')
      return send(401, { title: 'No' });
    if (action === 'login') return send(200, { authorization_url: 'https://sign.example/in' });
    if (action === 'reconnect') return id === 'a' ? send(200, {}) : send(409, { detail: 'it is disabled' });
    if (id !== undefined) return id === 'a' ? send(200, { ...ITEM, stderr: 'line one\nline two' }) : send(404, {});
    const cursor = Number(url.searchParams.get('cursor') ?? 0);
    return send(200, {
      items: items.slice(cursor, cursor + 2),
      next_cursor: items.length > cursor + 2 ? String(cursor + 2) : null,
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const claim = await claimDataDir(dataDir);
  claim.announce(`http://127.0.0.1:${port}`, { cwd: dataDir, registryFile: join(dataDir, 'registry.db') });
  await writeFile(join(dataDir, 'admin.token'), 'admin-secret\n');
  closers.push(() => {
    claim.release();
    server.close();
    server.closeAllConnections();
  });
  return { ...commands, seen, server };
}

describe('with a running gateway', () => {
  test('[host:M5] [gateway:M5] status is what the gateway says, in the shape of the command', async () => {
    const { json, run } = await openGateway();
    expect(await json('mcp', 'status')).toEqual({
      items: [
        {
          ...{ id: 'a', transport: 'http', source: 'global', enabled: true, state: 'ready', reason: 'idle' },
          ...{ connected: false, tools: 7, last_error: null, last_connected_at: '2026-11-15T12:00:00.000Z' },
        },
      ],
      next_cursor: null,
      gateway: 'running',
    });
    expect((await run('mcp', 'status', 'a')).stdout).toBe(
      'a\thttp\tglobal\ttrue\tready\t7\tidle\nlast_error: -\nlast_connected_at: 2026-11-15T12:00:00.000Z\n',
    );
    expect(await json('mcp', 'status', 'zz')).toMatchObject({ code: 'SERVER_NOT_FOUND' });
  });

  test('[host:G5] every page of the gateway is read', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const { json } = await openGateway(ids.map((id) => ({ ...ITEM, id })));
    expect((await json('mcp', 'status')).items.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('[host:C2] logs, reconnect and sign-in go to it, with the admin credential', async () => {
    const { run, json, seen } = await openGateway();
    expect((await run('mcp', 'logs', 'a')).stdout).toBe('line one\nline two\n');
    expect(await json('mcp', 'logs', 'zz')).toMatchObject({ code: 'SERVER_NOT_FOUND' });
    expect((await run('mcp', 'reconnect', 'a')).stdout).toBe('reconnecting a\n');
    expect(await json('mcp', 'reconnect', 'b')).toMatchObject({
      code: 'GATEWAY_REFUSED',
      detail: 'it answered 409: it is disabled',
    });
    expect((await run('mcp', 'auth', 'login', 'a')).stdout).toBe('sign in at https://sign.example/in\n');
    expect(seen).toContain('POST /v1/servers/a/reconnect Bearer admin-secret');
  });

  test('[host:M5] a gateway that is gone, or another program on its port, is none', async () => {
    const { json, server } = await openGateway();
    server.close();
    server.closeAllConnections();
    expect(await json('mcp', 'status')).toEqual({ items: [], next_cursor: null, gateway: 'not_running' });
    expect(await json('mcp', 'logs', 'a')).toMatchObject({ code: 'GATEWAY_NOT_RUNNING' });
  });
});

describe('without a gateway', () => {
  test('[host:M5] [host:M6] status reports config', async () => {
    const { json, run, project, projectFile } = await openHostCommands();
    await run('mcp', 'add', 'on', '--url', 'https://a.example/', '--scope', 'global');
    await run('mcp', 'add', 'off', '--url', 'https://a.example/', '--scope', 'global', '--enabled', 'false');
    await mkdir(join(project, '.bindery'));
    const servers = { bad: { transport: 'http' }, new: { transport: 'stdio', command: 'x' } };
    await writeFile(projectFile, JSON.stringify({ mcp: { servers } }));
    const shown = (await json('mcp', 'status')).items.map(
      ({ id, state, reason }: Record<string, string>) => `${id}: ${state}, ${reason}`,
    );
    expect(shown).toEqual([
      'bad: error, url: is required for transport http (or identity)',
      'new: disabled, untrusted',
      'off: disabled, no gateway is running',
      'on: stopped, no gateway is running',
    ]);
    expect(await json('mcp', 'reconnect', 'on')).toMatchObject({ code: 'GATEWAY_NOT_RUNNING', status: 503 });
  });
});

describe('mcp auth', () => {
  test('[host:C3] tokens are set for the URL of the server, listed without being shown, and cleared', async () => {
    const { run, json, dir } = await openHostCommands();
    await run('mcp', 'add', 'a', '--url', 'https://A.example/mcp');
    const file = join(dir, '.bindery', 'mcp-auth.json');
    const set = await run(
      ...['mcp', 'auth', 'set', 'a', '--access-token', 'acc-123', '--refresh-token', 'ref-123'],
      ...['--expires-at', '1760000000000', '--scope', 'files:read'],
    );
    expect([set.stdout, set.exitCode]).toEqual(['stored a token for a\n', 0]);
    expect(JSON.parse(await readFile(file, 'utf8')).servers.a).toEqual({
      access_token: 'acc-123',
      refresh_token: 'ref-123',
      expires_at: 1760000000000,
      token_type: 'Bearer',
      scope: 'files:read',
      url: 'https://a.example/mcp',
    });
    expect((await run('mcp', 'auth', 'list')).stdout).toBe('a\ttrue\t2025-10-09T08:53:20.000Z\n');
    expect(await json('mcp', 'auth', 'list')).toEqual({
      items: [{ server_id: 'a', has_refresh: true, expires_at: '2025-10-09T08:53:20.000Z' }],
      next_cursor: null,
    });
    expect((await run('mcp', 'auth', 'clear', 'a')).stdout).toBe('cleared a\n');
    expect((await run('mcp', 'auth', 'clear', 'a')).stdout).toBe('nothing is stored for a\n');
    expect(await json('mcp', 'auth', 'clear', 'unknown')).toMatchObject({ code: 'SERVER_NOT_FOUND' });
  });

  test('[host:C3] [host:X18] a new token keeps the registered client, and only that', async () => {
    const { run, dir } = await openHostCommands();
    await run('mcp', 'add', 'a', '--identity', 'ai://sentinel', '--scope', 'global');
    const file = join(dir, '.bindery', 'mcp-auth.json');
    const before = {
      access_token: 'old',
      refresh_token: 'old',
      expires_at: 1,
      client_id: 'cid',
      client_secret: 'cs',
      issuer: 'https://i/',
    };
    await writeFile(file, JSON.stringify({ version: 1, servers: { a: before } }));
    await run('mcp', 'auth', 'set', 'a', '--access-token', 'new', '--expires-in', '60');
    const { expires_at, ...stored } = JSON.parse(await readFile(file, 'utf8')).servers.a;
    expect(stored).toEqual({
      access_token: 'new',
      token_type: 'Bearer',
      url: 'https://sentinel.example/mcp',
      client_id: 'cid',
      client_secret: 'cs',
      issuer: 'https://i/',
    });
    expect(expires_at).toBeGreaterThan(Date.now());
  });

  test('[host:C3] what cannot be meant is refused', async () => {
    const { run, json } = await openHostCommands();
    await run('mcp', 'add', 's', '--command', 'x');
    expect(await json('mcp', 'auth', 'set', 's', '--access-token', 't')).toMatchObject({ code: 'SERVER_INVALID' });
    expect(await json('mcp', 'auth', 'set', 'zz', '--access-token', 't')).toMatchObject({ code: 'SERVER_NOT_FOUND' });
    const both = ['--expires-at', '1', '--expires-in', '1'];
    expect(await json('mcp', 'auth', 'set', 's', '--access-token', 't', ...both)).toMatchObject({ code: 'USAGE' });
  });
});
