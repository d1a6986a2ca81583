import { afterEach, expect, test } from 'vitest';
import { type CallbackListener, listenForCallback } from './callback-listener.ts';
import { OAuthError } from './oauth-error.ts';

let listener: CallbackListener;
afterEach(() => listener.close());

async function listen(): Promise<void> {
  listener = (await listenForCallback(0)) as CallbackListener;
}
const open = async (query: string, path = listener.redirectUri, method = 'GET') => {
  const response = await fetch(`${path}${query}`, { method });
  return [response.status, /<h1>(.*?)<\/h1>/.exec(await response.text())?.[1]];
};
const never = new AbortController().signal;

test('the browser shows the outcome of the sign-in once it is known', async () => {
  const pages: unknown[] = [];
  for (const error of [undefined, new OAuthError('no_token', 'it gave no token')]) {
    await listen();
    // Nobody is there yet who could be told.
    listener.finish(undefined);
    const arrived = listener.waitFor('s', never);
    const page = open('?state=s&code=c');
    expect((await arrived).get('code')).toBe('c');
    listener.finish(error);
    pages.push(await page);
    listener.close();
  }
  expect(pages).toEqual([
    [200, 'Signed in'],
    [400, 'Not signed in'],
  ]);
});

test('a request with a wrong state or path has no effect', async () => {
  await listen();
  const early = await open('?state=s&code=c');
  const arrived = listener.waitFor('s', never);
  const { origin } = new URL(listener.redirectUri);
  expect([
    early[0],
    (await open('?state=other&code=c'))[0],
    (await open('?code=c'))[0],
    (await open('?state=s', `${origin}/`))[0],
    (await open('?state=s&code=c', listener.redirectUri, 'POST'))[0],
    (await open('?state=other', `${origin}/mcp/oauth/cancel`))[0],
  ]).toEqual([400, 400, 400, 404, 404, 400]);
  const page = open('?state=s&code=c');
  expect((await arrived).get('code')).toBe('c');
  listener.close();
  expect((await page)[0]).toBe(400);
});

test('a request with the right state can cancel', async () => {
  await listen();
  const arrived = listener.waitFor('s', never).catch((error: OAuthError) => error.code);
  const { origin } = new URL(listener.redirectUri);
  expect([await open('?state=s', `${origin}/mcp/oauth/cancel`), await arrived]).toEqual([
    [200, 'Cancelled'],
    'cancelled',
  ]);
});

test('the wait ends with its signal, also if that was aborted before', async () => {
  await listen();
  const over = new AbortController();
  const later = listener.waitFor('s', over.signal).catch((error: OAuthError) => error.code);
  over.abort();
  const before = listener.waitFor('s', over.signal).catch((error: OAuthError) => error.code);
  expect([await later, await before]).toEqual(['timed_out', 'timed_out']);
});

test('a port that is taken gives no listener', async () => {
  await listen();
  expect(await listenForCallback(Number(new URL(listener.redirectUri).port))).toBeUndefined();
});

test('a second request of the redirect replaces the first, which ends without a page', async () => {
  await listen();
  const arrived = listener.waitFor('s', never);
  const first = fetch(`${listener.redirectUri}?state=s&code=one`).then((response) => response.text());
  expect((await arrived).get('code')).toBe('one');
  const second = open('?state=s&code=two');
  expect(await first).toBe('');
  listener.finish(undefined);
  // Whoever was told is not told again.
  listener.finish(new OAuthError('late', 'late'));
  expect(await second).toEqual([200, 'Signed in']);
});

test('the page has headers against caching, framing and referrers, and closes its connection', async () => {
  await listen();
  const { headers } = await fetch(`${listener.redirectUri}?state=x`);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
});

test('of a failure only the message is shown, and a closed listener accepts no connection', async () => {
  await listen();
  const arrived = listener.waitFor('s', never);
  const page = fetch(`${listener.redirectUri}?state=s&code=c`).then((response) => response.text());
  await arrived;
  listener.finish(new OAuthError('no_token', 'it gave no <token>'));
  expect(await page).toContain('it gave no &lt;token&gt;. Go back and try again.');
  const { redirectUri } = listener;
  listener.close();
  await expect(fetch(redirectUri)).rejects.toThrow();
});

test('a custom path replaces the default one', async () => {
  listener = (await listenForCallback(0, '/own')) as CallbackListener;
  const { origin, pathname } = new URL(listener.redirectUri);
  void listener.waitFor('s', never);
  expect([pathname, (await open('?state=x'))[0], (await open('?state=s', `${origin}/mcp/oauth/callback`))[0]]).toEqual([
    '/own',
    400,
    404,
  ]);
});
