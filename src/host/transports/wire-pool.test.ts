import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { WirePool } from './wire-pool.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

function pool(): WirePool {
  const created = new WirePool();
  ending.push(() => created.destroy());
  return created;
}

async function httpServer(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  ending.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function rawServer(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer(onSocket);
  ending.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function post(
  wires: WirePool,
  origin: string,
  body: string,
  hold?: (controller: Dispatcher.DispatchController) => void,
) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    let status = 0;
    let text = '';
    wires.dispatch(
      { origin, path: '/mcp', method: 'POST', headers: { 'x-a': 'b' }, body: Buffer.from(body) },
      {
        onRequestStart: (controller) => hold?.(controller),
        onResponseStart: (_controller, code) => {
          status = code;
        },
        onResponseData: (_controller, chunk) => {
          text += chunk.toString();
        },
        onResponseEnd: () => resolve({ status, body: text }),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => response.end(`${request.socket.remotePort} ${Buffer.concat(chunks).length}`));
};

test('one connection carries requests in sequence, and several run in parallel', async () => {
  const origin = await httpServer(echo);
  const wires = pool();
  const portOf = ({ body }: { body: string }) => body.split(' ')[0];
  const first = await post(wires, origin, 'one');
  const second = await post(wires, origin, 'x'.repeat(200_000));
  const both = await Promise.all([post(wires, origin, 'a'), post(wires, origin, 'b')]);
  expect([first.status, portOf(second) === portOf(first), second.body.split(' ')[1]]).toEqual([200, true, '200000']);
  expect(new Set(both.map(portOf)).size).toBe(2);
});

test('a connection whose server asks to close it is not used again', async () => {
  const ports: (number | undefined)[] = [];
  const origin = await httpServer((request, response) => {
    ports.push(request.socket.remotePort);
    response.setHeader('connection', 'close').end('ok');
  });
  const wires = pool();
  await post(wires, origin, 'a');
  await post(wires, origin, 'b');
  expect(new Set(ports).size).toBe(2);
});

test('a connection whose server sends more than its answer is closed with that answer', async () => {
  const origin = await rawServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n'));
  });
  await expect(post(pool(), origin, 'a')).rejects.toMatchObject({ name: 'MalformedResponse' });
});

test('an answer that breaks off fails as a lost connection, and a dead address as a refused one', async () => {
  const origin = await rawServer((socket) => {
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'));
  });
  await expect(post(pool(), origin, 'a')).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(post(pool(), 'http://127.0.0.1:1', 'a')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('aborting ends the request; a controller of an ended request affects no other', async () => {
  const origin = await httpServer((request, response) => {
    request.resume();
    request.on('end', () => setTimeout(() => response.end('late'), 50));
  });
  const wires = pool();
  let held: Dispatcher.DispatchController | undefined;
  await post(wires, origin, 'a', (controller) => {
    held = controller;
  });
  const next = post(wires, origin, 'b');
  held?.abort(new Error('too late'));
  expect((await next).body).toBe('late');
  await expect(
    post(wires, origin, 'c', (controller) => {
      setTimeout(() => controller.abort(new Error('enough')), 5);
    }),
  ).rejects.toThrow('enough');
});

test('a request without a body has no Content-Length; a long-lived stream blocks no request and arrives in parts', async () => {
  let send: (part: string) => void = () => {};
  let end = () => {};
  const heads: [string | undefined, string | undefined][] = [];
  const origin = await httpServer((request, response) => {
    heads.push([request.method, request.headers['content-length']]);
    if (request.method === 'POST') return echo(request, response);
    send = (part) => response.write(part);
    end = () => void response.end();
    send('first');
  });
  const wires = pool();
  const parts: string[] = [];
  const [part, done] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  wires.dispatch(
    { origin, path: '/mcp', method: 'GET', headers: {}, body: null },
    {
      onResponseData: (_controller, chunk) => {
        parts.push(chunk.toString());
        part.resolve();
      },
      onResponseEnd: () => done.resolve('complete'),
      onResponseError: (_controller, error) => done.reject(error),
    },
  );
  await part.promise;
  const beside = await post(wires, origin, 'beside');
  send('second');
  end();
  expect([await done.promise, parts.join(), beside.status]).toEqual(['complete', 'first,second', 200]);
  expect(heads).toEqual([
    ['GET', undefined],
    ['POST', '6'],
  ]);
});

test('no value can start another line in a request', () => {
  const request = { origin: 'http://127.0.0.1:1', path: '/', method: 'POST', body: Buffer.from('') };
  const wires = pool();
  expect(() => wires.dispatch({ ...request, headers: { a: 'b\r\nc: d' } }, {})).toThrow(TypeError);
  expect(() => wires.dispatch({ ...request, headers: { 'a\r\nb': 'c' } }, {})).toThrow(TypeError);
  expect(() => wires.dispatch({ ...request, path: '/ HTTP/1.1\r\nx: y', headers: {} }, {})).toThrow(TypeError);
});
