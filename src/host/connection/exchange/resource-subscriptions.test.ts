import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

/** A connection to a server, and what it was asked. */
class Server extends EventEmitter {
  readonly asked: string[] = [];
  readonly era: '2025' | '2026';
  closed = false;
  fails = false;
  constructor(era: '2025' | '2026') {
    super();
    this.era = era;
  }
  async request({ method, params }: { method: string; params: { uri: string } }): Promise<object> {
    this.asked.push(`${method.split('/')[1]} ${params.uri}`);
    if (this.fails) throw new Error('no');
    return {};
  }
  listen({ resourceSubscriptions: [uri] = [] }: { resourceSubscriptions?: string[] }) {
    this.asked.push(`listen ${uri}`);
    return { close: () => void this.asked.push(`close ${uri}`) };
  }
}

class Connections extends EventEmitter {
  current: Server;
  constructor(current: Server) {
    super();
    this.current = current;
  }
  async connection() {
    return this.current;
  }
  updated(id: string, uri: string, method = 'notifications/resources/updated'): void {
    this.emit('notification', id, { method, params: { uri } });
  }
  async back(id: string, connected = true): Promise<void> {
    this.emit('status', { id, connected });
    await new Promise(setImmediate);
  }
}

function open(era: '2025' | '2026') {
  const server = new Server(era);
  const connections = new Connections(server);
  const subscriptions = new ResourceSubscriptions(connections as never);
  const heard: string[] = [];
  const watch = (uri: string, name = uri, id = 's') => subscriptions.watch(id, uri, () => heard.push(name));
  return { server, connections, heard, watch };
}

test('a listener gets the changes of its resource only; the server is subscribed once, and unsubscribed after the last listener', async () => {
  const { server, connections, heard, watch } = open('2025');
  const [one, two] = [await watch('a', 'one'), await watch('a', 'two')];
  await watch('b');
  connections.updated('s', 'a');
  connections.updated('other', 'a');
  connections.updated('s', 'a', 'notifications/tools/list_changed');
  connections.updated('s', 'b');
  expect([heard, server.asked]).toEqual([
    ['one', 'two', 'b'],
    ['subscribe a', 'subscribe b'],
  ]);
  await one();
  connections.updated('s', 'a');
  const afterOne = [...server.asked];
  await two();
  await two();
  expect([heard.slice(3), afterOne.length, server.asked.slice(2)]).toEqual([['two'], 2, ['unsubscribe a']]);
});

test('a 2026 server is listened to until the last listener leaves', async () => {
  const { server, watch } = open('2026');
  const end = await watch('a');
  await end();
  expect(server.asked).toEqual(['listen a', 'close a']);
});

test('a reconnected server is subscribed again, the same connection is not, and a closed one is not unsubscribed', async () => {
  const { server, connections, watch } = open('2025');
  const end = await watch('a');
  await connections.back('s');
  await connections.back('s', false);
  const next = new Server('2025');
  connections.current = next;
  await connections.back('other');
  expect([server.asked, next.asked]).toEqual([['subscribe a'], []]);
  await connections.back('s');
  expect(next.asked).toEqual(['subscribe a']);
  next.closed = true;
  await end();
  expect(next.asked).toEqual(['subscribe a']);
  const modern = open('2026');
  await modern.watch('b');
  modern.connections.current = new Server('2026');
  await modern.connections.back('s');
  expect([modern.server.asked, modern.connections.current.asked]).toEqual([['listen b', 'close b'], ['listen b']]);
});

test('a failing subscription rejects and leaves nothing; one that is lost later is retried at the next reconnect', async () => {
  const { server, connections, heard, watch } = open('2025');
  server.fails = true;
  await expect(watch('a')).rejects.toThrow('no');
  connections.updated('s', 'a');
  server.fails = false;
  await watch('a');
  const next = new Server('2025');
  next.fails = true;
  connections.current = next;
  await connections.back('s');
  next.fails = false;
  await connections.back('s');
  await connections.back('s');
  expect([heard, next.asked]).toEqual([[], ['subscribe a', 'subscribe a']]);
  connections.updated('s', 'a');
  expect(heard).toEqual(['a']);
});

test('a server that does not answer an unsubscribe does not fail the caller', async () => {
  const { server, watch } = open('2025');
  const end = await watch('a');
  server.fails = true;
  await expect(end()).resolves.toBeUndefined();
});
