import { createHook } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../../test/support/raw-client.ts';
import { repeated, startRepeatingServer } from '../testing/repeating-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const timers = new Set<number>();
const timerHook = createHook({
  init: (id, type) => {
    if (type === 'Timeout') timers.add(id);
  },
  destroy: (id) => {
    timers.delete(id);
  },
});

/** Those of client, gateway and server that are open. */
const sockets = new Set<Socket>();
const socketChannels = [channel('net.client.socket'), channel('net.server.socket')];
const onSocket = (message: unknown) => {
  const { socket } = message as { readonly socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
};

const AT_ONCE = 8;
const WARM_UP = 200;
const CALLS = 400;
/** Those of a few connections more, and of one at work; if calls left one each, it would be ten times as many. */
const TIMERS_SLACK = 40;
const LISTENERS_SLACK = 4;

let server: Awaited<ReturnType<typeof startRepeatingServer>>;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;

beforeAll(async () => {
  timerHook.enable();
  for (const each of socketChannels) each.subscribe(onSocket);
  server = await startRepeatingServer();
  gateway = await startTestGateway({ servers: [{ id: 'plain', transport: 'http', url: server.url }] });
});
afterAll(async () => {
  await gateway.close();
  server.close();
  for (const each of socketChannels) each.unsubscribe(onSocket);
  timerHook.disable();
});

/** How many the socket has that has most of them. */
function mostListeners(): number {
  const counts = [...sockets].map((socket) =>
    socket.eventNames().reduce((sum, event) => sum + socket.listenerCount(event), 0),
  );
  return Math.max(...counts);
}

test('calls leave no timers, no listeners and no lines of the log behind', async () => {
  const session = await openSession(gateway.url);
  let called = 0;
  const callMany = (calls: number) =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let left = calls / AT_ONCE; left > 0; left -= 1) {
          called += 1;
          const id = called;
          const params = { name: 'plain__repeat', arguments: { mark: 'x', length: id } };
          const response = await session.send({ id, method: 'tools/call', params });
          expect(await response.json()).toEqual({ jsonrpc: '2.0', id, result: repeated('x', id) });
        }
      }),
    );
  await callMany(WARM_UP);
  const before = { timers: timers.size, listeners: mostListeners() };
  await callMany(CALLS);
  expect(gateway.log.lines).toEqual([]);
  expect(timers.size - before.timers).toBeLessThan(TIMERS_SLACK);
  expect(mostListeners() - before.listeners).toBeLessThan(LISTENERS_SLACK);
});
