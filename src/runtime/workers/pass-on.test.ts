import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { passOn } from './pass-on.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-pass-'));
const servers: http.Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function listen(handler: http.RequestListener, at: string | number): Promise<http.Server> {
  const server = http.createServer(handler);
  servers.push(server);
  server.listen(at);
  await once(server, 'listening');
  return server;
}

test('a body that comes in chunks stays the body of its request, whatever the method', async () => {
  const seen: string[] = [];
  const socketPath = join(folder, 'primary.sock');
  await listen(async (request, response) => {
    seen.push(`${request.method} ${request.url} ${await text(request)}`);
    response.end(request.url);
  }, socketPath);
  const pass = passOn(socketPath);
  const worker = await listen((request, response) => pass(request, response), 0);
  const hidden = 'POST /hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
  for (const method of ['GET', 'DELETE', 'POST']) {
    const socket = connect((worker.address() as AddressInfo).port);
    socket.write(`${method} /outer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`);
    socket.write(`${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`);
    expect(await text(socket)).toContain('/outer');
  }
  expect(seen).toEqual(['GET', 'DELETE', 'POST'].map((method) => `${method} /outer ${hidden}`));
});
