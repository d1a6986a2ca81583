import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repeated, startRepeatingServer } from '../testing/repeating-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

let server: Awaited<ReturnType<typeof startRepeatingServer>>;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
let session: string;

beforeAll(async () => {
  server = await startRepeatingServer();
  gateway = await startTestGateway({ servers: [{ id: 'large', transport: 'http', url: server.url }] });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begun = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  session = begun.headers['mcp-session-id'] as string;
  begun.resume();
});
afterAll(async () => {
  await gateway.close();
  server.close();
});

async function post(message: object): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const sent = request(gateway.url, {
    method: 'POST',
    headers: session === undefined ? headers : { ...headers, 'mcp-session-id': session },
  });
  sent.end(JSON.stringify(message));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

function call(id: number, mark: string, length: number): Promise<IncomingMessage> {
  const params = { name: 'large__repeat', arguments: { mark, length } };
  return post({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

const answerOf = (id: number, mark: string, length: number) => ({
  jsonrpc: '2.0',
  id,
  result: repeated(mark, length),
});

test('large answers that follow each other quickly, many at once, each arrive as they were sent', async () => {
  for (let round = 0; round < 5; round += 1) {
    const calls = Array.from({ length: 24 }, (_, index) => {
      const id = round * 1_000_000 + index;
      return { id, mark: `<${id}>`, length: 1_000 * (index + 1) * (index % 5) + index };
    });
    const answers = await Promise.all(calls.map(async ({ id, mark, length }) => json(await call(id, mark, length))));
    expect(answers).toEqual(calls.map(({ id, mark, length }) => answerOf(id, mark, length)));
  }
});

test('answers that a client reads slowly stay intact while other answers come and go', async () => {
  const length = 900_000;
  const ids = Array.from({ length: 12 }, (_, index) => index + 1);
  // More on one connection than the operating system keeps for a reader that does not read.
  const slow = connect(Number(new URL(gateway.url).port), '127.0.0.1').pause();
  for (const id of ids) slow.write(pipelined(id, `slow ${id} `, length));
  for (let round = 0; round < 10; round += 1) {
    const quick = await Promise.all([4, 5, 6].map(async (id) => json(await call(id, `quick ${id} `, length))));
    expect(quick).toEqual([4, 5, 6].map((id) => answerOf(id, `quick ${id} `, length)));
  }
  const bodies = (await text(slow.resume())).split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s).slice(1);
  expect(bodies.map((body) => JSON.parse(body))).toEqual(ids.map((id) => answerOf(id, `slow ${id} `, length)));
});

function pipelined(id: number, mark: string, length: number): string {
  const params = { name: 'large__repeat', arguments: { mark, length } };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const lines = [
    `POST ${new URL(gateway.url).pathname} HTTP/1.1`,
    `host: ${new URL(gateway.url).host}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `mcp-session-id: ${session}`,
    `content-length: ${body.length}`,
    ...(id === 12 ? ['connection: close'] : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
