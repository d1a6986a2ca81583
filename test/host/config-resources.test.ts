import { afterAll, expect, test } from 'vitest';
import { createHost } from '../../src/host/index.ts';
import { until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, modernHttp, type Reply } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const URI = 'note://1';
const updated = (uri = URI) => ({ method: 'notifications/resources/updated', params: { uri } });

async function open(handler: ConstructorParameters<typeof HttpFixture>[0]) {
  const server = world.keep(await new HttpFixture(handler).listen());
  const host = world.keep(createHost({ servers: { notes: { transport: 'http', url: server.url } } }));
  await host.connect();
  return { server, host };
}

test('[host:R1] a changed resource of a 2025 server is told to everyone who watches it, also after a reconnect', async () => {
  let stream: ReturnType<Reply['stream']> | undefined;
  const { server, host } = await open(
    legacyHttp((reply) => {
      if (reply.seen.verb === 'GET') stream = reply.stream();
      else if (/^resources\/(un)?subscribe$/.test(reply.seen.message?.method ?? '')) reply.result({});
      else return false;
      return true;
    }),
  );
  const told: string[] = [];
  const ends = [await host.watchResource('notes', URI, () => told.push('one'))];
  ends.push(await host.watchResource('notes', URI, () => told.push('two')));
  expect(server.of('resources/subscribe').map(({ message }) => message?.params)).toEqual([{ uri: URI }]);
  stream?.send(updated('note://other'));
  stream?.send(updated());
  await until(() => told.length === 2);
  await host.reconnect('notes');
  await until(() => server.of('resources/subscribe').length === 2);
  stream?.send(updated());
  await until(() => told.length === 4);
  for (const end of ends) await end();
  expect([told, server.of('resources/unsubscribe').length]).toEqual([['one', 'two', 'one', 'two'], 1]);
});

test('[host:R1] a changed resource of a 2026 server is told by the stream that listens for it', async () => {
  const streams: { filter: unknown; stream: ReturnType<Reply['stream']>; closed: boolean }[] = [];
  const { host } = await open(
    modernHttp((reply) => {
      const { message } = reply.seen;
      if (message?.method !== 'subscriptions/listen') return false;
      const entry = { filter: message.params?.notifications, stream: reply.stream(), closed: false };
      reply.response.on('close', () => {
        entry.closed = true;
      });
      streams.push(entry);
      entry.stream.send({ method: 'notifications/subscriptions/acknowledged', params: {} });
      return true;
    }),
  );
  let changes = 0;
  const end = await host.watchResource('notes', URI, () => {
    changes += 1;
  });
  await until(() => streams.length === 1);
  streams[0]?.stream.send(updated());
  await until(() => changes === 1);
  await end();
  await until(() => streams[0]?.closed === true);
  expect(streams.map(({ filter }) => filter)).toEqual([{ resourceSubscriptions: [URI] }]);
});

test('[host:R1] a server that knows no subscriptions says so, and nothing stays behind', async () => {
  const { server, host } = await open(legacyHttp());
  await expect(host.watchResource('notes', URI, () => {})).rejects.toMatchObject({ kind: 'rpc' });
  await host.reconnect('notes');
  expect(server.of('resources/subscribe').length).toBe(1);
});

test('[host:R1] completions are asked for, and come as they are', async () => {
  const { server, host } = await open(
    legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'completion/complete') return false;
      const known = { completion: { values: ['Paris', 'Parma', 7], total: 12, hasMore: true } };
      reply.result(reply.seen.body.includes('ref/prompt') ? known : { completion: 'nonsense' });
      return true;
    }),
  );
  const argument = { name: 'city', value: 'Pa' };
  const first = await host.complete('notes', { prompt: 'greet' }, argument, { country: 'fr' });
  const second = await host.complete('notes', { template: 'note://{city}' }, argument);
  expect([first, second, server.of('completion/complete').map(({ message }) => message?.params)]).toEqual([
    { values: ['Paris', 'Parma'], total: 12, hasMore: true },
    { values: [], hasMore: false },
    [
      { ref: { type: 'ref/prompt', name: 'greet' }, argument, context: { arguments: { country: 'fr' } } },
      { ref: { type: 'ref/resource', uri: 'note://{city}' }, argument },
    ].map((params) => expect.objectContaining(params)),
  ]);
});
