import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { bridgeStdio } from './stdio-bridge.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

type Answer = (response: ServerResponse, id: number | undefined) => void;

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const answer = (response: ServerResponse, body: object, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** A gateway that gives out sessions, can forget them, and can refuse new ones. */
async function startGateway() {
  const state = { sessions: 0, known: '', refuse: undefined as Answer | undefined };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method } = (await json(request)) as Message;
    if (method === 'initialize') {
      if (state.refuse) return state.refuse(response, id);
      state.sessions += 1;
      state.known = `session-${state.sessions}`;
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'g', version: '1' } };
      return answer(response, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': state.known });
    }
    if (request.headers['mcp-session-id'] !== state.known) return response.writeHead(404).end();
    if (method === 'never') return undefined;
    if (id === undefined) return response.writeHead(202).end();
    return answer(response, { jsonrpc: '2.0', id, result: { by: state.known } });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.closeAllConnections(),
    () => void server.close(),
  );
  return Object.assign(state, { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`) });
}

async function startClient(url: URL) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const over = new AbortController();
  const ended = bridgeStdio({ url, authorization: undefined, input, output, ended: over.signal });
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: output }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    waiting.get(message.id as number)?.(message);
  });
  const tell = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (id: number, method: string, params: object = {}) =>
    new Promise<Message>((resolve) => {
      waiting.set(id, resolve);
      tell({ id, method, params });
    });
  const clientInfo = { name: 'pipe', version: '1' };
  await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const end = () => {
    input.end();
    return ended;
  };
  return { tell, ask, end, input, over };
}

test.each<[string, Answer]>([
  ['fails', (response) => response.writeHead(503).end('restarting')],
  ['is refused', (response, id) => answer(response, { jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } })],
])('a session that is lost is opened again by the next request where the first attempt %s', async (_how, refuse) => {
  const gateway = await startGateway();
  const client = await startClient(gateway.url);
  Object.assign(gateway, { known: '', refuse });
  const refused = await client.ask(1, 'tools/list');
  client.tell({ method: 'notifications/cancelled', params: { requestId: 1 } });
  gateway.refuse = undefined;
  expect([refused.error?.message, (await client.ask(2, 'tools/list')).result]).toEqual([
    expect.stringContaining('The running gateway did not answer'),
    { by: 'session-2' },
  ]);
  await client.end();
});

test('requests that find their session lost at the same time open one together', async () => {
  const gateway = await startGateway();
  const client = await startClient(gateway.url);
  gateway.known = '';
  const answers = await Promise.all([1, 2, 3].map((id) => client.ask(id, 'tools/list')));
  expect([answers.map(({ result }) => result), gateway.sessions]).toEqual([Array(3).fill({ by: 'session-2' }), 2]);
  await client.end();
});

test('a client that is gone is left, whatever still runs for it', async () => {
  const gateway = await startGateway();
  const client = await startClient(gateway.url);
  client.tell({ id: 1, method: 'never', params: {} });
  expect((await client.ask(2, 'tools/list')).result).toEqual({ by: 'session-1' });
  client.input.destroy();
  client.over.abort();
  await client.end();
});
