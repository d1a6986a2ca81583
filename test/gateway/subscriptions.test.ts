import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConformanceFixture } from '../conformance/server-suite.ts';
import { type Earlier, openSession, requestModern } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const URI = 'test://watched-resource';
const ending: (() => unknown)[] = [];
let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  const [legacy, modern] = await Promise.all([
    startConformanceFixture('2025-11-25'),
    startConformanceFixture('2026-07-28'),
  ]);
  ending.push(
    () => legacy.process.kill(),
    () => modern.process.kill(),
  );
  home = await createHome({
    mcp: {
      servers: { legacy: { transport: 'http', url: legacy.url }, modern: { transport: 'http', url: modern.url } },
    },
    gateway: {
      profiles: { legacy: { names: 'bare', servers: ['legacy'] }, modern: { names: 'bare', servers: ['modern'] } },
    },
  });
  ending.unshift(() => home.remove());
  bindery = await startBindery(home);
  ending.unshift(() => bindery.stop());
  await untilKnown(bindery, 'legacy', 'modern');
});

afterAll(async () => {
  for (const end of ending) await end();
});

/** Changes the resource until somebody was told: a subscription takes a moment to reach its server. */
async function touchUntilTold(change: () => Promise<unknown>, told: readonly unknown[]): Promise<void> {
  await until('the change was told', async () => {
    await change();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return told.length > 0;
  });
}

describe.each(['legacy', 'modern'])('a resource of a %s server that changes', (profile) => {
  test('is told to a 2025 client that subscribed, until it unsubscribes [gateway:L3]', async () => {
    const url = `${bindery.mcpUrl}/${profile}`;
    const session = await openSession(url);
    const told: Earlier[] = [];
    const stop = await session.listen((message) => {
      if (message.method === 'notifications/resources/updated') told.push(message);
    });
    const change = () => session.request('tools/call', { name: 'touch_resource', arguments: { uri: URI } });
    await change();
    expect((await session.request('resources/subscribe', { uri: URI })).result).toEqual({});
    await touchUntilTold(change, told);
    expect(told[0]?.params?.uri).toBe(URI);
    expect((await session.request('resources/unsubscribe', { uri: URI })).result).toEqual({});
    stop();
  });

  test('is told to a 2026 client that listens for it, and not to one that listens for another [gateway:L3]', async () => {
    const url = `${bindery.mcpUrl}/${profile}`;
    const closing = new AbortController();
    const listenFor = (uri: string, told: Earlier[]) =>
      void requestModern(
        url,
        'subscriptions/listen',
        { notifications: { resourceSubscriptions: [uri] } },
        { id: uri, signal: closing.signal, onEarlier: (message) => void told.push(message) },
      ).catch(() => {});
    const all: Earlier[] = [];
    const others: Earlier[] = [];
    listenFor(URI, all);
    listenFor('test://static-text', others);
    await until('both are acknowledged', () => all.length === 1 && others.length === 1);
    const updates = () => all.filter(({ method }) => method === 'notifications/resources/updated');
    await until('the change was told', async () => {
      await requestModern(url, 'tools/call', { name: 'touch_resource', arguments: { uri: URI } });
      await new Promise((resolve) => setTimeout(resolve, 50));
      return updates().length > 0;
    });
    closing.abort();
    expect([all[0]?.params?.notifications, updates()[0]?.params, others.length]).toEqual([
      { resourceSubscriptions: [URI] },
      { uri: URI, _meta: { 'io.modelcontextprotocol/subscriptionId': URI } },
      1,
    ]);
  });
});

test('a subscription to more resources than a stream may have is refused, and one to as many is acknowledged [gateway:L3]', async () => {
  const listenTo = (count: number) => {
    const uris = Array.from({ length: count }, (_, at) => (at === 0 ? URI : `test://none-${at}`));
    const leaving = new AbortController();
    return new Promise<unknown>((resolve) => {
      requestModern(
        `${bindery.mcpUrl}/modern`,
        'subscriptions/listen',
        { notifications: { resourceSubscriptions: uris } },
        {
          signal: leaving.signal,
          onEarlier: ({ method }) => {
            resolve(method);
            leaving.abort();
          },
        },
      ).then(({ error }) => resolve(error), resolve);
    });
  };
  expect(await listenTo(1_000)).toBe('notifications/subscriptions/acknowledged');
  expect(await listenTo(1_001)).toMatchObject({ code: -32602, message: expect.stringContaining('subscriptionsMax') });
});
