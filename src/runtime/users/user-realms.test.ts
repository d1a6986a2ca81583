import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { CLIENT_INFO } from '../../host/client-info.ts';
import { Host } from '../../host/host.ts';
import type { UpstreamNotice } from '../../proxy/lists/change-feed.ts';
import { newKeyLine, parseKeyRing } from '../../store/credentials/key-ring.ts';
import { SealedCredentials } from '../../store/credentials/sealed-credentials.ts';
import { OAuthCallbacks } from './oauth-callbacks.ts';
import { REALM_LIMITS, UserRealms } from './user-realms.ts';

const log = createMemoryLog();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function openRealms() {
  const time = { now: 1_000_000 };
  const credentials = new SealedCredentials(
    new DatabaseSync(':memory:'),
    parseKeyRing(newKeyLine()),
    { now: () => 0 },
    log,
  );
  const notices: UpstreamNotice[] = [];
  const client = { info: CLIENT_INFO, callbacks: {} };
  const realms = new UserRealms({
    createHost: (owner) =>
      new Host({ client, environment: {}, redact: (text) => text, log, tokens: credentials.of(owner) }),
    openOwn: (host, server, { capabilities }) => host.openSession(server, { ...client, capabilities }),
    sharing: () => 'auto',
    ownHooks: () => ({
      onNotification: ({ server, key }, { method, params }) => notices.push({ server, key, method, params }),
    }),
    remembered: () => new Map(),
    learn: async (owner, server) => ({ server, owner }) as ServerOffer,
    shared: { version: () => 0, offers: () => [], policyLayers: () => [] },
    onNotice: (notice) => notices.push(notice),
    onChanged: () => {},
    callbacks: new OAuthCallbacks(),
    log,
    now: () => time.now,
  });
  closing.push(() => realms.close());
  return { realms, time, notices };
}

const profile = { name: 'default', names: 'qualified' } as const;
const clientOf = (key: string) => ({ key, capabilities: {}, info: undefined });

test('each caller has its own connections, and those of an idle caller are closed [gateway:WHO12]', async () => {
  const fixture = await new HttpFixture(legacyHttp()).listen();
  closing.push(() => fixture.close());
  const { realms, time } = openRealms();
  realms.apply([{ id: 'mail', transport: 'http', url: fixture.url }]);
  const connect = (caller: string) =>
    realms.of(caller).connections.connection('mail', clientOf(caller), AbortSignal.timeout(10_000));
  const [ada, grace] = [await connect('ada'), await connect('grace')];
  expect([ada === grace, await connect('ada')]).toEqual([false, ada]);
  time.now += REALM_LIMITS.idleMs - 1;
  realms.of('grace');
  time.now += 1;
  realms.closeIdle();
  await realms.close();
  expect([[...realms.all()].length, ada.closed, grace.closed]).toEqual([0, true, true]);
});

test('the realm of an idle caller is closed, that of an active one is not [gateway:WHO12]', () => {
  const { realms, time } = openRealms();
  realms.of('ada');
  time.now += REALM_LIMITS.idleMs - 1;
  realms.of('grace');
  time.now += 1;
  realms.closeIdle();
  expect([...realms.all()].map(({ owner }) => owner)).toEqual(['grace']);
});

test('there is a most of users at once [gateway:WHO12]', () => {
  const { realms, time } = openRealms();
  for (let index = 0; index < REALM_LIMITS.realmsMax; index += 1) realms.of(`user-${index}`);
  expect(() => realms.of('late')).toThrow('too many users');
  time.now += REALM_LIMITS.idleMs;
  expect(realms.of('late').owner).toBe('late');
});

test('a profile without such a server has no private view [gateway:R13]', () => {
  const { realms } = openRealms();
  const before = realms.privateTo(profile, 'ada');
  realms.apply([{ id: 'mail', transport: 'http', url: 'http://127.0.0.1:9/mcp' }]);
  expect([
    before,
    realms.privateTo({ ...profile, servers: ['web'] }, 'ada'),
    realms.privateTo({ ...profile, servers: ['mail'] }, 'ada'),
    realms.privateTo(profile, 'ada'),
  ]).toEqual([undefined, undefined, realms.of('ada').view, realms.of('ada').view]);
});
