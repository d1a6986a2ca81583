import { createServer } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { Answers, type Signing } from '../../src/bind/answers.ts';
import { toPublicKeyText } from '../../src/bind/public-key.ts';
import { createResolver } from '../../src/bind/resolver.ts';
import { mcp, newKeyPem, policy, zoneText } from '../../src/bind/testing/zones.ts';
import { ZoneTable } from '../../src/bind/zone-table.ts';
import type { NameResolver, ResolvedName } from '../../src/host/connection/supervision/named-endpoint.ts';
import type { HttpSpec } from '../../src/host/connection/supervision/server-set.ts';
import { parseSigningKey } from '../../src/store/bind/signing-key.ts';
import { textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const serve = async (handler = legacyHttp()) => world.keep(await new HttpFixture(handler).listen());
const call = (name: string, args: object = {}) => ({ method: 'tools/call', params: { name, arguments: args } });
const named = (keys?: readonly string[]): HttpSpec => ({
  ...{ id: 'acme', transport: 'http' },
  identity: { name: 'ai://Acme@here', ...(keys ? { keys } : {}) },
});
const keyOf = (signing: Signing) => toPublicKeyText(Buffer.from(signing.published[0]?.x as string, 'base64url'));

/** Real zones and signatures; only the address is another one, since a zone names public https endpoints alone. */
class Names implements NameResolver {
  readonly zones = new ZoneTable();
  signing: Signing | undefined;
  /** What stands in for `https://host.example/mcp`. */
  readonly servers = new Map<string, string>();
  /** Servers of tests are on loopback. */
  allowsPrivate = true;
  lookups = 0;
  fails: Error | undefined;
  /** Changes an answer on its way. */
  tamper = (answer: ResolvedName): ResolvedName => answer;
  #nowMs = () => Date.now();
  readonly #resolver = createResolver(
    new Answers({ zones: this.zones, policy, clock: { now: () => this.#nowMs() }, signing: () => this.signing }),
    { now: Date.now },
  );

  signAt(nowMs: number): void {
    this.#nowMs = () => nowMs;
  }

  publish(host: string, server: string, ttl = 3600): void {
    const endpoint = `https://${host}.example/mcp`;
    this.servers.set(endpoint, server);
    this.zones.set('acme', Buffer.from(zoneText('acme', { ttl, records: [mcp(endpoint)] })));
  }

  async resolve(name: string): Promise<ResolvedName> {
    this.lookups += 1;
    if (this.fails) throw this.fails;
    const answer = this.tamper(await this.#resolver.resolve(name));
    return { ...answer, endpoint: this.servers.get(answer.endpoint) as string, answer };
  }

  allowsPrivateEndpoints(): boolean {
    return this.allowsPrivate;
  }

  distrust({ answer }: ResolvedName, keys: readonly string[]): string | undefined {
    return this.#resolver.distrust(answer as ResolvedName, keys);
  }
}

describe('a name', () => {
  test('[wire:URL] [host:B1] is resolved at each connect, and a reload of the same config connects nothing anew', async () => {
    const server = await serve();
    const names = new Names();
    names.publish('a', server.url);
    const host = world.host({ names });
    host.apply([named()]);
    await host.settled();
    host.apply([named()]);
    expect([names.lookups, server.of('initialize').length]).toEqual([1, 1]);
    await host.reconnect('acme');
    expect([host.statusOf('acme')?.state, names.lookups, server.of('initialize').length]).toEqual(['ready', 2, 2]);
  });

  test('[host:B1] is resolved again when its time is over; the same endpoint keeps its connection', async () => {
    const server = await serve();
    const names = new Names();
    names.publish('a', server.url, 1);
    const host = world.host({ names });
    host.apply([named()]);
    await until(() => names.lookups >= 3);
    expect([host.statusOf('acme'), server.of('initialize').length]).toMatchObject([
      { state: 'ready', reason: undefined, connected: true },
      1,
    ]);
  });

  test('[host:B1] that leads elsewhere when its time is over takes its connection there, and running calls end', async () => {
    let finish = () => {};
    const first = await serve(
      legacyHttp(({ seen, result }) => {
        if (seen.message?.method !== 'tools/call') return false;
        finish = () => result({ content: [{ type: 'text', text: 'from the first' }] });
        return true;
      }),
    );
    const second = await serve();
    const names = new Names();
    names.publish('a', first.url, 1);
    const host = world.host({ names });
    const moved: string[] = [];
    host.on('removed', (id) => moved.push(id));
    host.apply([named()]);
    await host.settled();
    const running = host.request('acme', call('echo'));
    names.publish('b', second.url, 3600);
    await until(() => second.of('initialize').length === 1 && host.statusOf('acme')?.state === 'ready');
    finish();
    expect([textOf(await running), textOf(await host.request('acme', call('echo', { a: 1 }))), moved]).toEqual([
      'from the first',
      '{"a":1}',
      ['acme'],
    ]);
  });

  test('[host:B1] is resolved afresh when its endpoint fails', async () => {
    const first = await serve();
    const second = await serve();
    const names = new Names();
    names.publish('a', first.url);
    const host = world.host({ names });
    host.apply([named()]);
    await host.settled();
    await first.close();
    names.publish('b', second.url);
    await expect(host.request('acme', call('echo'))).rejects.toThrow();
    await until(() => second.of('initialize').length === 1 && host.statusOf('acme')?.state === 'ready');
    expect(textOf(await host.request('acme', call('echo', { b: 1 })))).toBe('{"b":1}');
  });

  test('[host:B2] that never resolved is an error with the words of the resolver', async () => {
    const host = world.host({ names: new Names() });
    host.apply([named()]);
    await host.settled();
    expect(host.statusOf('acme')).toMatchObject({
      state: 'error',
      lastError: 'ai://Acme@here does not resolve: There is no such identity (IDENTITY_NOT_FOUND)',
    });
  });

  test.each([
    [
      'has no zone any more',
      (names: Names) => names.zones.delete('acme'),
      'There is no such identity (IDENTITY_NOT_FOUND)',
    ],
    [
      'has a resolver that fails',
      (names: Names) => {
        names.fails = new Error('ECONNREFUSED 10.0.0.7');
      },
      'nobody answers',
    ],
  ])('[host:B2] that %s keeps its last endpoint, and says so', async (_, spoil, why) => {
    const server = await serve();
    const names = new Names();
    names.publish('a', server.url, 1);
    const host = world.host({ names });
    host.apply([named()]);
    await host.settled();
    spoil(names);
    const reason = `ai://Acme@here does not resolve: ${why}; its last endpoint is in use`;
    await until(() => host.statusOf('acme')?.reason === reason);
    expect([server.of('initialize').length, textOf(await host.request('acme', call('echo', { c: 1 })))]).toEqual([
      1,
      '{"c":1}',
    ]);
    await host.reconnect('acme');
    expect(host.statusOf('acme')).toMatchObject({ state: 'ready', reason, connected: true });
    names.fails = undefined;
    names.publish('a', server.url);
    await host.reconnect('acme');
    expect(host.statusOf('acme')).toMatchObject({ state: 'ready', reason: undefined });
  });
});

describe('a pinned key', () => {
  const [ours, next, foreign] = [newKeyPem(), newKeyPem(), newKeyPem()].map(parseSigningKey) as [
    Signing,
    Signing,
    Signing,
  ];

  /** A listener that counts who comes, and tells nobody anything. */
  async function counted() {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    world.keep({ close: async () => server.close() });
    const { port } = server.address() as { port: number };
    return { url: `http://127.0.0.1:${port}/mcp`, connections: () => connections };
  }

  test.each<[string, (names: Names) => void, string]>([
    ['nobody signed', (names) => Object.assign(names, { signing: undefined }), 'it is not signed'],
    ['another key signed', (names) => Object.assign(names, { signing: foreign }), 'it is signed by another key'],
    ['was rotated away from it', (names) => Object.assign(names, { signing: next }), 'it is signed by another key'],
    [
      'was changed on the way',
      (names) => Object.assign(names, { tamper: (answer: ResolvedName) => ({ ...answer, capabilities: ['all'] }) }),
      'its signature is wrong',
    ],
    ['is long over', (names) => names.signAt(Date.now() - 7 * 86_400_000), 'its signature has expired'],
    [
      'is about another name',
      (names) => Object.assign(names, { tamper: (answer: ResolvedName) => ({ ...answer, identity: 'ai://other' }) }),
      'the answer is about another name',
    ],
  ])('[host:B3] refuses an answer that %s: nothing is connected', async (_, spoil, why) => {
    const listener = await counted();
    const names = new Names();
    names.signing = ours;
    names.publish('a', listener.url);
    spoil(names);
    const host = world.host({ names });
    host.apply([named([keyOf(ours)])]);
    await host.settled();
    await expect(host.request('acme', call('echo'))).rejects.toMatchObject({ kind: 'refused' });
    await expect(host.openSession('acme', { info: { name: 't', version: '1' }, callbacks: {} })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect([host.statusOf('acme'), listener.connections()]).toMatchObject([
      {
        ...{ state: 'error', connected: false },
        lastError: `no pinned key stands behind the answer for ai://Acme@here: ${why}`,
      },
      0,
    ]);
    // The listener does count: without a pinned key the same answer is followed.
    host.apply([named()]);
    await host.settled();
    expect(listener.connections()).toBeGreaterThan(0);
  });

  test('[host:B3] lets its own answers through, and during a rotation those of both keys', async () => {
    const server = await serve();
    const names = new Names();
    names.signing = ours;
    names.publish('a', server.url);
    const host = world.host({ names });
    host.apply([named([keyOf(ours), keyOf(next)])]);
    await host.settled();
    names.signing = next;
    await host.reconnect('acme');
    expect([host.statusOf('acme')?.state, server.of('initialize').length]).toEqual(['ready', 2]);
  });

  test('[host:B3] that no longer signs when the time of an answer is over ends the connection, and none is opened', async () => {
    const server = await serve();
    const names = new Names();
    names.signing = ours;
    names.publish('a', server.url, 1);
    const host = world.host({ names });
    host.apply([named([keyOf(ours)])]);
    await host.settled();
    names.signing = foreign;
    await until(() => host.statusOf('acme')?.state === 'error');
    const seen = server.of('initialize').length;
    await expect(host.request('acme', call('echo'))).rejects.toThrow('it is signed by another key');
    expect([seen, server.of('initialize').length, host.statusOf('acme')?.connected]).toEqual([1, 1, false]);
  });
});
