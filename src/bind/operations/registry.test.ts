import { expect, test } from 'vitest';
import { BIND_LIMITS } from '../limits.ts';
import { bindApp, bindDeps } from '../testing/served-room.ts';
import { mcp, url } from '../testing/zones.ts';

test('a page that takes too long ends early, and its cursor leads on to all the others', async () => {
  let now = Date.UTC(2026, 0, 1);
  const names = ['a', 'b', 'c', 'd'];
  const zones = Object.fromEntries(names.map((name) => [name, [mcp(url(name))]]));
  // Each look at the clock takes half of what a page may take.
  const app = bindApp(
    bindDeps(zones, {
      now: () => {
        now += BIND_LIMITS.remoteBudgetMs / 2;
        return now;
      },
    }),
  );
  const listed: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined = ''; cursor !== undefined && pages < 10; pages += 1) {
    const answer = await app.request(`/v0.1/servers?cursor=${encodeURIComponent(cursor)}`);
    const body = (await answer.json()) as {
      servers: { server: { name: string } }[];
      metadata: { nextCursor?: string };
    };
    listed.push(...body.servers.map(({ server }) => server.name));
    cursor = body.metadata.nextCursor;
  }
  expect([listed, pages]).toEqual([names.map((name) => `local.bindery/${name}`), 2]);
});

test('a cursor that no page gave is refused; one whose server is gone leads on', async () => {
  const app = bindApp(bindDeps({ a: [mcp(url('a'))], c: [mcp(url('c'))] }));
  const answers = await Promise.all(
    ['zzz', 'local.bindery/b'].map(async (cursor) => {
      const answer = await app.request(`/v0.1/servers?cursor=${encodeURIComponent(cursor)}`);
      return [answer.status, await answer.json()];
    }),
  );
  expect(answers).toMatchObject([
    [400, { code: 'INVALID_PARAMETER', detail: 'cursor: must be nextCursor of the page before' }],
    [200, { servers: [{ server: { name: 'local.bindery/c' } }] }],
  ]);
});
