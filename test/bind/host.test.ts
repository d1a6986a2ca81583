import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { toPublicKeyText } from '../../src/bind/public-key.ts';
import { mcp, newKeyPem, zoneText } from '../../src/bind/testing/zones.ts';
import { parseSigningKey } from '../../src/store/bind/signing-key.ts';
import { HttpFixture, legacyHttp } from '../fixtures/servers/http-server.ts';
import { exampleTls, TRUSTS_EXAMPLE_TLS } from '../support/example-tls.ts';
import { openSession } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  listServers,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const servers: HttpFixture[] = [];
let home: BinderyHome;
let bindery: RunningBindery | undefined;

afterEach(async () => {
  await bindery?.stop('SIGKILL');
  bindery = undefined;
  for (const server of servers.splice(0)) await server.close();
  await home.remove();
});

async function serve(): Promise<HttpFixture> {
  const server = await new HttpFixture(legacyHttp(), exampleTls).listen();
  servers.push(server);
  return server;
}

/** As editors write: a new file in the place of the old one. */
async function put(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

const publicKey = (pem: string) =>
  toPublicKeyText(Buffer.from(parseSigningKey(pem).published[0]?.x as string, 'base64url'));

test('[bind:K2] [bind:W1] a gateway connects by name through its own zones, follows the zone, and the keys, while it runs', async () => {
  const [first, second] = [await serve(), await serve()];
  const [oldPem, newPem] = [newKeyPem(), newKeyPem()];
  const config = (...pinned: string[]) => ({
    mcp: {
      servers: { sentinel: { transport: 'http', identity: 'ai://sentinel', identity_keys: pinned.map(publicKey) } },
    },
    bind: { zones: '../zones', allow_private_endpoints: true, signing_key_file: '../signing.pem' },
    gateway: { exposure: 'all' },
  });
  home = await createHome(config(oldPem));
  const [zone, key] = [join(home.dir, 'zones', 'sentinel.json'), join(home.dir, 'signing.pem')];
  await mkdir(join(home.dir, 'zones'));
  await writeFile(zone, zoneText('sentinel', { ttl: 1, records: [mcp(first.url)] }));
  await writeFile(key, oldPem);
  bindery = await startBindery({ ...home, env: { ...home.env, ...TRUSTS_EXAMPLE_TLS } });
  const running = bindery;
  await untilKnown(running, 'sentinel');
  const session = await openSession(running.mcpUrl);
  const call = () => session.request('tools/call', { name: 'sentinel__echo', arguments: { a: 1 } });
  const stateOf = async () => (await listServers(running)).find(({ id }) => id === 'sentinel') ?? {};
  expect((await call()).result).toMatchObject({ content: [{ text: '{"a":1}' }] });

  await put(zone, zoneText('sentinel', { ttl: 1, records: [mcp(second.url)] }));
  await until('the connection has moved', () => second.of('initialize').length > 0);
  await call();
  expect([first.of('tools/call').length, second.of('tools/call').length]).toEqual([1, 1]);

  await put(key, newPem);
  await until('the pinned key signs no more', async () => (await stateOf()).state === 'error');
  const { reason, connected } = await stateOf();
  const published = (await (await fetch(`${running.url}/.well-known/jwks.json`)).json()) as object;
  expect([reason, connected, published]).toEqual([
    expect.stringContaining('no pinned key stands behind the answer for ai://sentinel: it is signed by another key'),
    false,
    { keys: parseSigningKey(newPem).published },
  ]);

  await home.writeConfig(config(oldPem, newPem));
  await until('the new pin counts', async () => (await stateOf()).state === 'ready');
  expect((await call()).result).toMatchObject({ content: [{ text: '{"a":1}' }] });

  await put(key, 'no key at all');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect((await fetch(`${running.url}/codex/resolve/mcp/sentinel`)).status).toBe(200);
}, 60_000);
