import { expect, test } from 'vitest';
import { BinderyError } from '../../../contract/errors.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { NamedEndpoint, type NameResolver, NO_NAMES, type ResolvedName } from './named-endpoint.ts';

const live = () => new AbortController().signal;
const answering = (resolve: NameResolver['resolve']): NameResolver => ({ resolve, distrust: () => undefined });
const never = () => new Promise<ResolvedName>(() => {});

test('[host:B2] a resolver that never answers times out, and the last good endpoint stays in use', async () => {
  let silent = false;
  const resolver = answering(() => (silent ? never() : Promise.resolve({ endpoint: 'https://a/', ttl: 60 })));
  const named = new NamedEndpoint({ name: 'ai://a' }, resolver, Date.now, 20);
  const found = await named.find(live());
  silent = true;
  expect([found, await named.find(live()), named.doubt]).toEqual([
    'https://a/',
    'https://a/',
    'ai://a does not resolve: nobody answers; its last endpoint is in use',
  ]);
});

test('[host:B2] an aborted caller stops waiting, and the answer is ignored', async () => {
  const named = new NamedEndpoint({ name: 'ai://a' }, answering(never), Date.now, 60_000);
  const stopping = new AbortController();
  const finding = named.find(stopping.signal);
  stopping.abort();
  await expect(finding).rejects.toMatchObject({ kind: 'cancelled' });
  await expect(named.find(stopping.signal)).rejects.toMatchObject({ kind: 'cancelled' });
  expect(named.doubt).toBeUndefined();
});

test('[host:B1] an answer is cached for its ttl, which is bounded, and then requested again', async () => {
  let [now, asked] = [0, 0];
  const resolver = answering(async () => {
    asked += 1;
    return { endpoint: `https://${asked}/`, ttl: asked === 1 ? 5 : 1e9 };
  });
  const named = new NamedEndpoint({ name: 'ai://a' }, resolver, () => now);
  const current = async (at: number) => {
    now = at;
    return named.current(live());
  };
  expect([await current(0), await current(4_999), await current(5_000), named.freshMs]).toEqual([
    'https://1/',
    'https://1/',
    'https://2/',
    86_400_000,
  ]);
});

test('[host:B2] without a resolver the error says that nothing resolves names', async () => {
  await expect(new NamedEndpoint({ name: 'ai://a' }, NO_NAMES, Date.now).find(live())).rejects.toThrow(
    'ai://a does not resolve: nothing here resolves names (IDENTITY_UNRESOLVED)',
  );
});

test('[host:B1] an invalid ttl means one second, and a failed name is retried after a pause', async () => {
  let [now, fails, asked] = [0, false, 0];
  const resolver = answering(async () => {
    asked += 1;
    if (fails) throw new Error('network');
    return { endpoint: 'https://a/', ttl: 0 };
  });
  const named = new NamedEndpoint({ name: 'ai://a' }, resolver, () => now);
  const before = named.freshMs;
  await named.find(live());
  const first = named.freshMs;
  now = 1_000;
  fails = true;
  const kept = await named.current(live());
  expect([before, first, kept, named.freshMs, asked]).toEqual([0, 1_000, 'https://a/', LIMITS.nameRetryMs, 2]);
  fails = false;
  now += LIMITS.nameRetryMs;
  expect([named.freshMs, await named.current(live()), named.doubt, asked]).toEqual([0, 'https://a/', undefined, 3]);
  now += 5_000;
  expect(named.freshMs).toBe(0);
});

test('[host:B3] an answer needs a pinned key and the same name, and one that lost its key discards the earlier answers', async () => {
  let answer: ResolvedName = { endpoint: 'https://a/', ttl: 60, identity: 'ai://acme' };
  let [why, fails] = [undefined as string | undefined, false];
  const distrusted: unknown[] = [];
  const resolver: NameResolver = {
    resolve: async () => {
      if (fails) throw new BinderyError('IDENTITY_UNRESOLVED', { detail: 'nowhere' });
      return answer;
    },
    distrust: (given, keys) => {
      distrusted.push([given.endpoint, keys]);
      return why;
    },
  };
  const open = (keys?: string[]) =>
    new NamedEndpoint({ name: 'AI://Acme@here', ...(keys ? { keys } : {}) }, resolver, () => 0);
  const find = (named: NamedEndpoint) => named.find(live()).catch(({ kind, message }) => `${kind}: ${message}`);
  const pinned = open(['k']);
  expect([await find(pinned), distrusted]).toEqual(['https://a/', [['https://a/', ['k']]]]);
  fails = true;
  expect([await find(pinned), pinned.doubt]).toEqual([
    'https://a/',
    'AI://Acme@here does not resolve: nowhere (IDENTITY_UNRESOLVED); its last endpoint is in use',
  ]);
  // The signature of what is kept has run out meanwhile.
  why = 'it is over';
  const ended = 'refused: no pinned key stands behind the answer for AI://Acme@here: it is over';
  expect([await find(pinned), pinned.doubt]).toEqual([ended, undefined]);
  expect(await find(pinned)).toBe('refused: AI://Acme@here does not resolve: nowhere (IDENTITY_UNRESOLVED)');
  [fails, why] = [false, undefined];
  answer = { ...answer, identity: 'ai://other' };
  expect([await find(pinned), await find(open())]).toEqual([
    'refused: no pinned key stands behind the answer for AI://Acme@here: the answer is about another name',
    'https://a/',
  ]);
});

test('[host:B2] the resolver’s signal aborts when the caller stops waiting', async () => {
  const signals: AbortSignal[] = [];
  const resolver = answering((_name, signal) => {
    signals.push(signal);
    return never();
  });
  const stop = new AbortController();
  const finding = new NamedEndpoint({ name: 'ai://a' }, resolver, Date.now, 60_000)
    .find(stop.signal)
    .catch(() => 'given up');
  const before = signals[0]?.aborted;
  stop.abort();
  expect([before, await finding, signals[0]?.aborted]).toEqual([false, 'given up', true]);
  const late = new NamedEndpoint({ name: 'ai://a' }, resolver, Date.now, 5).find(live()).catch(() => 'late');
  expect([await late, signals[1]?.aborted]).toEqual(['late', true]);
});
