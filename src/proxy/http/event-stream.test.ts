import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { PROXY_LIMITS } from '../limits.ts';
import { endWhenExpired } from './edge-exchange.ts';
import { EventStream } from './event-stream.ts';

const server = http.createServer();

afterEach(async () => {
  vi.useRealTimers();
  server.removeAllListeners('request');
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** A client that asks for a stream and reads nothing. */
async function ask() {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [http.IncomingMessage, http.ServerResponse];
  return { socket, response };
}

test('a stream whose credential ran out while its client does not read is written to no more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const { response } = await ask();
  const stream = new EventStream(response);
  const errors: Error[] = [];
  response.on('error', (error) => errors.push(error));
  for (let sent = 0; response.writableLength < 1_000_000 && sent < 100; sent += 1) {
    stream.send(Buffer.alloc(200_000, 0x61));
    await wait(1);
  }
  endWhenExpired(response, Date.now());
  await expect.poll(() => response.writableEnded).toBe(true);
  expect(response.closed).toBe(false);
  vi.advanceTimersByTime(PROXY_LIMITS.streamKeepAliveMs * 2);
  await wait(10);
  expect(errors).toEqual([]);
});

test('a stream for a client that left before it was opened keeps nothing', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { socket, response } = await ask();
  socket.destroy();
  await once(response, 'close');
  const stream = new EventStream(response);
  let isOver = false;
  stream.onClose(() => {
    isOver = true;
  });
  expect([isOver, vi.getTimerCount()]).toEqual([true, 0]);
});
