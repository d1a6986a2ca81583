import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cascade, mcp, newKeyPem, url, zoneText } from '../../src/bind/testing/zones.ts';
import {
  type BinderyHome,
  commandLine,
  createHome,
  type RunningBindery,
  startBindery,
} from '../support/running-bindery.ts';

const run = promisify(execFile);
const homes: BinderyHome[] = [];
let org: RunningBindery;
let here: RunningBindery;
let hereHome: BinderyHome;

/** A home with zones, and what its config has beside them. */
async function homeWith(zones: Readonly<Record<string, unknown[]>>, bind: object): Promise<BinderyHome> {
  const home = await createHome({ bind });
  homes.push(home);
  mkdirSync(join(home.dir, 'zones'));
  for (const [name, records] of Object.entries(zones)) {
    writeFileSync(join(home.dir, 'zones', `${name}.json`), zoneText(name, records));
  }
  return home;
}

beforeAll(async () => {
  const pem = newKeyPem();
  const stranger = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x as string;
  const orgHome = await homeWith(
    { acme: [mcp(url('acme'))], base: [cascade('deep')], deep: [mcp(url('deep'), 7)] },
    { signing_key_file: 'signing.pem' },
  );
  writeFileSync(join(orgHome.dir, '.bindery', 'signing.pem'), pem);
  org = await startBindery(orgHome, '--zones', join(orgHome.dir, 'zones'));
  const jwks = (await (await fetch(`${org.url}/.well-known/jwks.json`)).json()) as { keys: { x: string }[] };
  const keyText = (x: string) => `ed25519:${Buffer.from(x, 'base64url').toString('base64')}`;
  hereHome = await homeWith(
    { heir: [cascade('base@org.example')], acme: [mcp(url('local'))] },
    {
      allow_private_endpoints: true,
      resolvers: {
        'org.example': { url: org.url, keys: [keyText(jwks.keys[0]?.x as string)] },
        'forged.example': { url: org.url, keys: [keyText(stranger)] },
        'gone.example': { url: 'http://127.0.0.1:9' },
      },
    },
  );
  here = await startBindery(hereHome, '--zones', join(hereHome.dir, 'zones'));
});

afterAll(async () => {
  await Promise.all([here?.stop(), org?.stop()]);
  await Promise.all(homes.map((home) => home.remove()));
});

async function ask(identity: string): Promise<Record<string, unknown>> {
  const query = new URLSearchParams({ identity, mode: 'mcp' });
  const body = (await (await fetch(`${here.url}/codex/resolve?${query}`)).json()) as Record<string, unknown>;
  return body.code === undefined ? body : { code: body.code, reason: body.reason, status: body.status };
}

test('a name at another gateway resolves through its signed zones, and a local name of the same spelling stays local', async () => {
  expect([await ask('ai://acme@org.example'), await ask('acme')]).toMatchObject([
    { identity: 'ai://acme@org.example', endpoint: url('acme'), source: expect.stringMatching(/^(delegated|cache)$/) },
    { identity: 'ai://acme', endpoint: url('local'), source: 'authoritative' },
  ]);
  expect(await ask('heir')).toMatchObject({
    endpoint: url('deep'),
    source: 'inherited',
    resolved_from: 'ai://deep@org.example',
  });
});

test('the registry lists a zone whose endpoint another resolver has', async () => {
  const name = encodeURIComponent('local.bindery/heir');
  const answer = await fetch(`${here.url}/v0.1/servers/${name}/versions/latest`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { server: { remotes: [{ url: url('deep') }] } }]);
});

test('a wrong key, no answer and an unlisted authority are errors, never the local zone', async () => {
  expect([await ask('acme@forged.example'), await ask('acme@gone.example'), await ask('acme@other.example')]).toEqual([
    { code: 'RESOLVER_FAILED', reason: 'untrusted', status: 502 },
    { code: 'RESOLVER_FAILED', reason: 'unreachable', status: 502 },
    { code: 'RESOLVER_UNKNOWN', reason: 'no_resolver', status: 404 },
  ]);
});

test('the command asks the same resolvers, without zones of its own', async () => {
  const explained = await run(process.execPath, commandLine('bind', 'explain', 'base@org.example', '--json'), {
    cwd: hereHome.cwd,
    env: hereHome.env,
  });
  expect(JSON.parse(explained.stdout)).toMatchObject({
    descriptor: { endpoint: url('deep'), resolved_from: 'ai://deep@org.example' },
    candidates: [{ zone: 'ai://deep@org.example', verdict: 'selected' }],
  });
});
