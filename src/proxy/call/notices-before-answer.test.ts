import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../../test/support/raw-client.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

/**
 * What the server says before its answer: numbers that no parser keeps, a message over two lines, parameters that are no JSON; progress
 * under the token of another call, and what is not about a call.
 */
const NOTICES = [
  'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":12345678901234567890.0}}',
  'data: {"jsonrpc":"2.0","method":"notifications/message",\ndata: "params":{"level":"info","data":"two lines"}}',
  'data: {"jsonrpc":"2.0","method":"notifications/message","params":{level}}',
  'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"forged"}}',
  ...[
    'resources/updated',
    'tools/list_changed',
    'cancelled',
    'initialized',
    'tasks',
    'tasks/status',
    'bogus',
    'PROGRESS',
  ].map(
    (name) => `data: {"jsonrpc":"2.0","method":"notifications/${name}","params":{"uri":"other://x","requestId":1}}`,
  ),
];
const PASSED = [
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":12345678901234567890.0}}',
  '{"jsonrpc":"2.0","method":"notifications/message", "params":{"level":"info","data":"two lines"}}',
  '{"jsonrpc":"2.0","method":"notifications/message"}',
];
const capabilities = { tools: {}, logging: {} };

const server = createServer(async (incoming, response) => {
  if (incoming.method !== 'POST') return void response.writeHead(405).end();
  const { id, method } = (await json(incoming)) as { id?: number; method: string };
  if (id === undefined) return void response.writeHead(202).end();
  const answer = (result: object) => JSON.stringify({ jsonrpc: '2.0', id, result });
  if (method === 'tools/call') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end([...NOTICES, `data: ${answer({ content: [] })}`, ''].join('\n\n'));
    return;
  }
  const serverInfo = { name: 'talker', version: '1' };
  const result =
    method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities, serverInfo }
      : { tools: [{ name: 'talk', inputSchema: { type: 'object' } }] };
  response.writeHead(200, { 'content-type': 'application/json' }).end(answer(result));
});

let gateway: Awaited<ReturnType<typeof startTestGateway>>;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  gateway = await startTestGateway({ servers: [{ id: 'talker', transport: 'http', url }] });
});
afterAll(async () => {
  await gateway.close();
  server.close();
});

test('messages of a server before its answer reach the client unchanged, on one line, and only valid JSON', async () => {
  const session = await openSession(gateway.url);
  const response = await session.send({ id: 1, method: 'tools/call', params: { name: 'talker__talk', arguments: {} } });
  const events = (await response.text()).split('\n\n').filter((event) => event !== '');
  expect(events.map((event) => event.replace('event: message\ndata: ', ''))).toEqual([
    ...PASSED,
    '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}',
  ]);
});

test('progress under the token of another call becomes progress of its own call', async () => {
  const session = await openSession(gateway.url);
  const params = { name: 'talker__talk', arguments: {}, _meta: { progressToken: 'mine' } };
  const response = await session.send({ id: 1, method: 'tools/call', params });
  const progress = (await response.text()).split('\n').filter((line) => line.includes('notifications/progress'));
  expect(progress).toEqual([expect.stringContaining('"progressToken":"mine","progress":1,"message":"forged"')]);
});
