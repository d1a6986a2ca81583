import { afterAll, expect, test } from 'vitest';
import { http, World } from '../../../test/fixtures/connect.ts';
import { HttpFixture, legacyHttp, modernHttp } from '../../../test/fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

test('a connection exposes its session, so that another process can continue it', async () => {
  const sessionOf = async (handler: ConstructorParameters<typeof HttpFixture>[0]) => {
    const server = world.keep(await new HttpFixture(handler).listen());
    const { session, sessionBound } = await world.connect(http(server.url));
    return [session?.id, session?.capabilities, sessionBound];
  };
  expect([
    await sessionOf(legacyHttp()),
    await sessionOf(legacyHttp(() => false, { sessions: false })),
    await sessionOf(modernHttp()),
  ]).toEqual([
    ['session-1', { tools: { listChanged: true } }, true],
    [undefined, undefined, false],
    [undefined, undefined, false],
  ]);
});
