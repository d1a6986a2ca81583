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
  writeFileSync(join(orgHome.dir, 'zones', 'torn.json'), '{"records": [');
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

test('a wrong key, no answer, a damaged zone and an unlisted authority are errors, never the local zone', async () => {
  const names = ['acme@forged.example', 'torn@org.example', 'acme@gone.example', 'acme@other.example'];
  expect(await Promise.all(names.map(ask))).toEqual([
    { code: 'RESOLVER_FAILED', reason: 'untrusted', status: 502 },
    { code: 'ZONE_CORRUPT', reason: 'corrupt', status: 502 },
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

test('the command says why another resolver gave no zone', async () => {
  const failed = (name: string) =>
    run(process.execPath, commandLine('bind', 'resolve', name), { cwd: hereHome.cwd, env: hereHome.env }).then(
      () => 'resolved',
      ({ stderr }: { stderr: string }) => stderr,
    );
  expect(await failed('acme@forged.example')).toContain('the zone is not signed by a key of bind.resolvers');
  expect(await failed('acme@gone.example')).toContain('the resolver does not answer as one (RESOLVER_FAILED)');
});

test('the command writes nothing where only other resolvers are configured', async () => {
  const file = join(hereHome.dir, 'registry.json');
  const remotes = [{ type: 'streamable-http', url: url('a') }];
  writeFileSync(file, JSON.stringify({ servers: [{ server: { name: 'org.example/a', remotes } }] }));
  const argv = commandLine('bind', 'import-registry', file, '--contact', '@me');
  const { stderr } = await run(process.execPath, argv, { cwd: hereHome.cwd, env: hereHome.env }).catch(
    (error) => error,
  );
  expect(stderr).toContain('there are no zones to look at (USAGE)');
});

test('resolvers that change in config.json are used without a restart, and /readyz names keys that need one', async () => {
  const home = await homeWith({ acme: [mcp(url('local'))] }, {});
  const running = await startBindery(home, '--zones', join(home.dir, 'zones'));
  try {
    const codeOf = async () =>
      (
        (await (await fetch(`${running.url}/codex/resolve?identity=acme@org.example&mode=mcp`)).json()) as {
          code?: string;
        }
      ).code;
    const warnings = async () =>
      ((await (await fetch(`${running.url}/readyz`)).json()) as { warnings?: string[] }).warnings ?? [];
    expect(await codeOf()).toBe('RESOLVER_UNKNOWN');
    const resolvers = { 'org.example': { url: org.url } };
    await home.writeConfig({ bind: { resolvers, registry_namespace: 'other.example' } });
    // Private addresses are another key, which needs the restart: the resolver is known, and may not be dialled.
    await expect.poll(codeOf, { timeout: 20_000 }).toBe('RESOLVER_FAILED');
    expect(await warnings()).toEqual([
      'bind: bind.registry_namespace changed in config.json; restart the gateway to use it',
    ]);
    await home.writeConfig({ bind: { resolvers: 7 } });
    await expect
      .poll(warnings, { timeout: 20_000 })
      .toEqual([
        expect.stringContaining('bind: the last good configuration stays in use'),
        expect.stringContaining('bind.registry_namespace'),
      ]);
    expect(await codeOf()).toBe('RESOLVER_FAILED');
    await home.writeConfig({});
    await expect.poll(codeOf, { timeout: 20_000 }).toBe('RESOLVER_UNKNOWN');
    expect(await warnings()).toEqual([]);
  } finally {
    await running.stop();
  }
});

test('/readyz names damaged zones until they are repaired', async () => {
  const home = await homeWith({ acme: [mcp(url('local'))], bad: [{ type: 'MCP', priority: 'first' }] }, {});
  const zones = join(home.dir, 'zones');
  writeFileSync(join(zones, 'broken.json'), '{');
  const running = await startBindery(home, '--zones', zones);
  try {
    const warnings = async () =>
      ((await (await fetch(`${running.url}/readyz`)).json()) as { warnings?: string[] }).warnings ?? [];
    expect(await warnings()).toEqual(['bind: 2 damaged zones do not resolve (bad, broken); see `bindery bind lint`']);
    for (const name of ['bad', 'broken']) writeFileSync(join(zones, `${name}.json`), zoneText(name, [mcp(url(name))]));
    await expect.poll(warnings, { timeout: 20_000 }).toEqual([]);
  } finally {
    await running.stop();
  }
});
