import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultFailures } from '../contract/execute.ts';
import { incomingBodies } from '../contract/incoming-bodies.ts';
import { LIMITS } from '../contract/limits.ts';
import { bindRoom, defineOperation, READ_ONLY } from '../contract/operation.ts';
import { createHttpApp } from './app.ts';

const lengthOf = defineOperation({
  id: 'sample.length',
  summary: 'Counts.',
  input: z.strictObject({ text: z.string() }),
  output: z.object({ length: z.int() }),
  hints: READ_ONLY,
  http: { method: 'POST', path: '/length', bodyBytesMax: 1000 },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: ({ text }) => ({ length: text.length }),
});

let server: ServerType | undefined;
afterEach(() => server?.close());

async function serve(logged: string[] = []): Promise<number> {
  const log = { debug() {}, info() {}, warn() {}, error: (message: string) => logged.push(message) };
  const rooms = [bindRoom({ name: 'sample', summary: '', operations: [lengthOf] }, {})];
  const app = createHttpApp({ rooms, version: '0', log, newRequestId: () => 'r' });
  server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Sends these parts one after the other and gives back what came until the connection was still or closed. */
async function exchange(port: number, parts: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  for (const part of parts) {
    socket.write(part);
    await new Promise(setImmediate);
  }
  while (!answer.includes('}') && !socket.destroyed) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  return answer;
}

const HEAD = 'POST /length HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

test('a body in chunks is read completely, even if a character is split', async () => {
  const body = Buffer.from(JSON.stringify({ text: 'é'.repeat(40) }));
  const response = await fetch(`http://127.0.0.1:${await serve()}/length`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new ReadableStream({
      async pull(controller) {
        for (let at = 0; at < body.length; at += 3) {
          controller.enqueue(body.subarray(at, at + 3));
          await new Promise(setImmediate);
        }
        controller.close();
      },
    }),
    duplex: 'half',
  } as RequestInit);
  expect(await response.json()).toEqual({ length: 40 });
});

test('a body that grows beyond the limit without having said so is refused while it comes', async () => {
  const pieces = Array.from({ length: 20 }, () => chunk('x'.repeat(100)));
  const answer = await exchange(await serve(), [`${HEAD}transfer-encoding: chunked\r\n\r\n`, ...pieces]);
  expect(answer).toContain('HTTP/1.1 413');
  expect(answer).toContain('"code":"PAYLOAD_TOO_LARGE"');
});

test('a caller that goes away in the middle of its body leaves no error behind, and the server serves on', async () => {
  const logged: string[] = [];
  const port = await serve(logged);
  const socket = connect(port, '127.0.0.1');
  socket.write(`${HEAD}content-length: 500\r\n\r\n{"text":"`);
  await once(socket, 'connect');
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const body = '{"text":"abc"}';
  const answer = await exchange(port, [`${HEAD}content-length: ${body.length}\r\n\r\n${body}`]);
  expect([answer.slice(answer.indexOf('{')), logged]).toEqual(['{"length":3}', []]);
});

test('an unfinished body is evicted for others, and its sender gets an error', async () => {
  const answer = exchange(await serve(), [`${HEAD}content-length: 900\r\n\r\n`, '{"text":"']);
  while (incomingBodies.taken.bytes === 0) await new Promise(setImmediate);
  const others = incomingBodies.begin(LIMITS.bodiesBytesMax, () => {});
  others.add(new Uint8Array(LIMITS.bodiesBytesMax));
  expect(await answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"TOO_MANY_BODIES"/);
  others.drop();
  expect(incomingBodies.taken).toEqual({ bytes: 0, bodies: 0 });
});
