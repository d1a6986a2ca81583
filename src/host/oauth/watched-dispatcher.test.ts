import { Agent, type Dispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { requestJson } from './http-json.ts';
import { OAUTH_LIMITS as LIMITS } from './limits.ts';
import { type SeenRequest, watchedDispatcher } from './watched-dispatcher.ts';

const agent = new Agent();
const fixture = new HttpFixture((reply) => {
  const { path } = reply.seen;
  if (path.startsWith('/moved')) {
    reply.response.writeHead(307, { location: '/metadata?key=secret' });
    reply.response.end();
  } else reply.json({ issuer: 'x' }, path.startsWith('/metadata') ? 200 : 404);
});
beforeAll(() => fixture.listen());
afterAll(async () => {
  await fixture.close();
  await agent.close();
});

test('each request is reported once with its result and without its query, and the answer is unchanged', async () => {
  const seen: SeenRequest[] = [];
  const watched = watchedDispatcher(agent, (one) => seen.push(one));
  const get = (url: URL) => requestJson(watched, { url, method: 'GET', headers: {} }, undefined);
  const answers = [
    await get(new URL('/moved?key=secret', fixture.origin)),
    await get(new URL('/none', fixture.origin)),
  ];
  expect([answers, seen]).toEqual([
    [
      { status: 200, body: { issuer: 'x' } },
      { status: 404, body: { issuer: 'x' } },
    ],
    [
      { method: 'GET', url: `${fixture.origin}/moved`, status: 307, type: null },
      { method: 'GET', url: `${fixture.origin}/metadata`, status: 200, type: 'application/json' },
      { method: 'GET', url: `${fixture.origin}/none`, status: 404, type: 'application/json' },
    ],
  ]);
});

test('a request without an answer is reported too, and without a listener the dispatcher is not wrapped', async () => {
  const seen: SeenRequest[] = [];
  const gone = await new HttpFixture((reply) => reply.json({})).listen();
  const { origin } = gone;
  await gone.close();
  const watched = watchedDispatcher(agent, (one) => seen.push(one));
  const url = new URL('/token', origin);
  await expect(requestJson(watched, { url, method: 'POST', headers: {} }, undefined)).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect([seen, watchedDispatcher(agent, undefined)]).toEqual([
    [{ method: 'POST', url: `${origin}/token`, status: null, type: null }],
    agent,
  ]);
});

test('an answer that breaks off is reported once, with the first content type, shortened', () => {
  const seen: SeenRequest[] = [];
  const passed: string[] = [];
  const types = [['text/html; charset=utf-8', 'text/plain'], ` ${'x'.repeat(200)}`, ' ; a=b'];
  const dispatcher = {
    dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => {
      const headers = { 'content-type': types.shift() };
      handler.onResponseStart?.({} as never, 103, headers, '');
      handler.onResponseStart?.({} as never, 200, headers, '');
      handler.onResponseError?.({} as never, new Error('broken off'));
      return true;
    },
  } as unknown as Dispatcher;
  const handler = {
    onResponseStart: (_: unknown, status: number) => passed.push(String(status)),
    onResponseError: (_: unknown, error: Error) => passed.push(error.message),
  };
  const watched = watchedDispatcher(dispatcher, (one) => seen.push(one));
  for (const path of ['/a?b', '/c#d', '/e'])
    watched.dispatch({ method: 'GET', path, origin: 'https://x.example' }, handler);
  const told = (url: string, type: string | null) => ({
    method: 'GET',
    url: `https://x.example${url}`,
    status: 200,
    type,
  });
  expect(seen).toEqual([told('/a', 'text/html'), told('/c', 'x'.repeat(LIMITS.shownTypeChars)), told('/e', null)]);
  expect(passed.slice(0, 3)).toEqual(['103', '200', 'broken off']);
});
