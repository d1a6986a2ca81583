import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../connection/limits.ts';
import { WirePool } from './wire-pool.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

interface Server {
  readonly origin: string;
  /** Every request that came whole, and the number of its connection. */
  readonly got: string[];
  /** The connections, in the order in which they were opened. */
  readonly sockets: Socket[];
}

/** Answers every request, but for those with the path `/die`: it reads them and ends their connection. */
async function startServer(keepAliveTimeout: number, headers: Record<string, string> = {}): Promise<Server> {
  const [got, sockets]: [string[], Socket[]] = [[], []];
  const server = createServer({ keepAliveTimeout }, async (request, response) => {
    const bytes = await bodyBytes(request);
    got.push(`${request.method} ${request.url} ${bytes} on ${sockets.indexOf(request.socket)}`);
    if (request.url === '/die') request.socket.destroy();
    else response.writeHead(200, headers).end('ok');
  });
  server.on('connection', (socket: Socket) => sockets.push(socket.on('error', () => {})));
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got, sockets };
}

async function bodyBytes(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  return bytes;
}

function newPool(): WirePool {
  const pool = new WirePool();
  ending.push(() => pool.destroy());
  return pool;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body?: Uint8Array;
  readonly onStart?: (abort: (reason: Error) => void) => void;
}

/** What became of a request: its status, or the code of its failure. */
function send(pool: WirePool, origin: string, { method = 'POST', path = '/', body, onStart }: Sent = {}) {
  return new Promise<number | string>((resolve) => {
    let status = 0;
    pool.dispatch(
      { origin, path, method, headers: {}, body: method === 'POST' ? (body ?? Buffer.from('{}')) : null },
      {
        onRequestStart: (controller) => onStart?.((reason) => controller.abort(reason)),
        onResponseStart: (_controller, code) => {
          status = code;
        },
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => resolve(String((error as { code?: unknown }).code ?? error.message)),
      },
    );
  });
}

const beIdle = () => sleep(LIMITS.idleCheckMs + 20);

test('a request on a connection that its server closes at the same moment is retried once on a new one', async () => {
  const { origin, got, sockets } = await startServer(60_000);
  const pool = newPool();
  await send(pool, origin);
  for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
    await beIdle();
    // The FIN or the RST is in the kernel before the request is written, and nobody has read it.
    sockets.at(-1)?.[end]();
    expect(await send(pool, origin)).toBe(200);
  }
  expect(got).toEqual([0, 1, 2, 3].map((connection) => `POST / 2 on ${connection}`));
});

test('if a connection in constant use is reset, its next request is retried on a new one', async () => {
  const { origin, got, sockets } = await startServer(60_000);
  const pool = newPool();
  await send(pool, origin);
  sockets[0]?.resetAndDestroy();
  expect(await send(pool, origin, { body: Buffer.alloc(3_000_000) })).toBe(200);
  expect(got).toEqual(['POST / 2 on 0', 'POST / 3000000 on 1']);
});

test('a POST that a server has read is not retried; a GET and a DELETE are, once', async () => {
  const { origin, got } = await startServer(60_000);
  const pool = newPool();
  await send(pool, origin);
  expect(await send(pool, origin, { path: '/die' })).toBe('ECONNRESET');
  await send(pool, origin);
  expect(await send(pool, origin, { method: 'GET', path: '/die' })).toBe('ECONNRESET');
  await send(pool, origin);
  expect(await send(pool, origin, { method: 'DELETE', path: '/die' })).toBe('ECONNRESET');
  expect(got).toEqual([
    'POST / 2 on 0',
    'POST /die 2 on 0',
    'POST / 2 on 1',
    'GET /die 0 on 1',
    'GET /die 0 on 2',
    'POST / 2 on 3',
    'DELETE /die 0 on 3',
    'DELETE /die 0 on 4',
  ]);
});

test('the first request of a connection is never retried', async () => {
  const { origin, got } = await startServer(60_000);
  expect(await send(newPool(), origin, { method: 'GET', path: '/die' })).toBe('ECONNRESET');
  expect(got).toHaveLength(1);
});

test('a request that is aborted before it was written is not written', async () => {
  const { origin, got } = await startServer(60_000);
  const pool = newPool();
  await send(pool, origin);
  await beIdle();
  const onStart = (abort: (reason: Error) => void) => void setImmediate(() => abort(new Error('enough')));
  expect(await send(pool, origin, { onStart })).toBe('enough');
  await send(pool, origin);
  expect(got).toEqual(['POST / 2 on 0', 'POST / 2 on 1']);
});

test('a request that waits for the idle check is not written to a connection that was retired meanwhile', async () => {
  const { origin, got } = await startServer(60_000);
  const pool = newPool();
  await send(pool, origin);
  await beIdle();
  const sent = send(pool, origin);
  pool.retire('');
  expect(await sent).toBe(200);
  expect(got).toEqual(['POST / 2 on 0', 'POST / 2 on 1']);
});

test.for([
  ['no longer than the margin gets one request per connection', 'timeout=1', 2],
  ['a long time gets the next request on the same connection', 'timeout=600', 1],
] as const)('a server that keeps connections for %s', async ([, keepAlive, connections]) => {
  const { origin, sockets } = await startServer(60_000, { connection: 'keep-alive', 'keep-alive': keepAlive });
  const pool = newPool();
  await send(pool, origin);
  await beIdle();
  await send(pool, origin);
  expect(sockets).toHaveLength(connections);
});
