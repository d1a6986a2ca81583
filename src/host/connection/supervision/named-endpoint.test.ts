import { expect, test } from 'vitest';
import { NamedEndpoint, type NameResolver, NO_NAMES, type ResolvedName } from './named-endpoint.ts';

const live = () => new AbortController().signal;
const answering = (resolve: NameResolver['resolve']): NameResolver => ({ resolve, distrust: () => undefined });
const never = () => new Promise<ResolvedName>(() => {});

test('[host:B2] a resolver that never answers fails in time, and the last good endpoint counts on', async () => {
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

test('[host:B2] whoever no longer wants the answer does not wait for it, and nothing is taken from that', async () => {
  const named = new NamedEndpoint({ name: 'ai://a' }, answering(never), Date.now, 60_000);
  const stopping = new AbortController();
  const finding = named.find(stopping.signal);
  stopping.abort();
  await expect(finding).rejects.toMatchObject({ kind: 'cancelled' });
  await expect(named.find(stopping.signal)).rejects.toMatchObject({ kind: 'cancelled' });
  expect(named.doubt).toBeUndefined();
});

test('[host:B1] an answer is kept for its ttl, which is bounded, and then asked for again', async () => {
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

test('[host:B2] without a resolver a name says that nothing resolves it', async () => {
  await expect(new NamedEndpoint({ name: 'ai://a' }, NO_NAMES, Date.now).find(live())).rejects.toThrow(
    'ai://a does not resolve: nothing here resolves names (IDENTITY_UNRESOLVED)',
  );
});
