import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identityOf } from '../../src/bind/registry.ts';
import { caps, cascade, mcp, url, zoneText } from '../../src/bind/testing/zones.ts';
import {
  type BinderyHome,
  commandLine,
  createHome,
  type RunningBindery,
  startBindery,
} from '../support/running-bindery.ts';

const run = promisify(execFile);
const homes: BinderyHome[] = [];
let registry: RunningBindery;

const ZONES = {
  acme: { info: 'Orders', records: [mcp({ endpoint: url('acme'), version: '2.0.0' }, 5), mcp(url('low'), 1)] },
  heir: [cascade('acme')],
  weather: [
    mcp({ endpoint: url('sse'), features: ['sse'] }),
    { type: 'TXT', value: 'mcp-registry:name=io.github.user/weather' },
  ],
  broken: [cascade('nobody')],
  hidden: [mcp('https://10.0.0.1/')],
  shut: [mcp(url('shut'), 1, { capabilities: ['a'] }), caps('b')],
};

async function homeOf(zones: object): Promise<BinderyHome> {
  const home = await createHome({});
  homes.push(home);
  mkdirSync(join(home.dir, 'zones'));
  for (const [name, zone] of Object.entries(zones)) {
    writeFileSync(join(home.dir, 'zones', `${name}.json`), zoneText(name, zone));
  }
  return home;
}

beforeAll(async () => {
  const home = await homeOf(ZONES);
  registry = await startBindery(home, '--zones', join(home.dir, 'zones'));
});

afterAll(async () => {
  await registry?.stop();
  await Promise.all(homes.map((home) => home.remove()));
});

interface List {
  readonly servers: readonly { readonly server: { readonly name: string; readonly remotes: readonly object[] } }[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

async function get(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: List }> {
  const answer = await fetch(`${registry.url}${path}`, init);
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as List };
}

test('zones are listed as servers, those without a usable endpoint chain left out, page by page', async () => {
  const { body } = await get('/v0.1/servers');
  expect(body.servers.map(({ server }) => [server.name, server.remotes])).toEqual([
    ['io.github.user/weather', [{ type: 'sse', url: url('sse') }]],
    [
      'local.bindery/acme',
      [
        { type: 'streamable-http', url: url('acme') },
        { type: 'streamable-http', url: url('low') },
      ],
    ],
    [
      'local.bindery/heir',
      [
        { type: 'streamable-http', url: url('acme') },
        { type: 'streamable-http', url: url('low') },
      ],
    ],
    ['local.bindery/hidden', []],
    ['local.bindery/shut', []],
  ]);
  const names: string[] = [];
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const page: List = (await get(`/v0.1/servers?limit=2&cursor=${encodeURIComponent(cursor)}`)).body;
    names.push(...page.servers.map(({ server }) => server.name));
    cursor = page.metadata.nextCursor;
  }
  expect(names).toEqual(body.servers.map(({ server }) => server.name));
  expect((await get('/v0.1/servers?search=WEATH&version=latest')).body.metadata).toEqual({ count: 1 });
  expect((await get('/v0.1/servers?updated_since=2999-01-01T00:00:00Z')).body.metadata).toEqual({ count: 0 });
});

test('one server answers by its encoded name, for "latest", its version and no other', async () => {
  const path = `/v0.1/servers/${encodeURIComponent('local.bindery/acme')}/versions`;
  const latest = await get(`${path}/latest`);
  expect(latest.body).toMatchObject({
    server: { name: 'local.bindery/acme', description: 'Orders', version: '2.0.0' },
  });
  expect([
    (await get(`${path}/2.0.0`)).body,
    (await get(path)).body.servers[0],
    (await get(`${path}/1.0.0`)).status,
    (await get(`/v0.1/servers/nobody%2Fhere/versions/latest`)).status,
    (await get(`/v0.1/servers/${encodeURIComponent('local.bindery/broken')}/versions/latest`)).status,
  ]).toEqual([latest.body, latest.body, 404, 404, 502]);
});

test('a page of any origin may read the registry, and nothing else', async () => {
  const headers = { origin: 'https://elsewhere.example' };
  const listed = await get('/v0.1/servers', { headers });
  const preflight = await fetch(`${registry.url}/v0.1/servers`, { method: 'OPTIONS', headers });
  expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  const [plain, none] = [await get('/v0.1/servers'), await get('/v0.1/servers/nobody%2Fhere/versions')];
  expect([plain, none].map((answer) => answer.headers.get('access-control-allow-origin'))).toEqual(['*', '*']);
  expect((await get('/codex/zones')).headers.get('access-control-allow-origin')).toBeNull();
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect((await get('/codex/zones', { headers })).status).toBe(403);
  expect((await get('/v0.1/servers', { headers, method: 'POST' }).catch(() => ({ status: 405 }))).status).toBe(405);
});

test('a directory is imported from another registry and from a file, again without a change, and says what it skips', async () => {
  const home = await homeOf({});
  const zones = join(home.dir, 'zones');
  const bind = async (...argv: string[]) => {
    const all = commandLine('bind', ...argv, '--zones', zones, '--json');
    const { stdout } = await run(process.execPath, all, { cwd: home.cwd, env: home.env });
    return JSON.parse(stdout);
  };
  const flags = ['--contact', 'mailto:a@example.com', '--allow-private-endpoints'];
  const expected = {
    created: ['weather-user-github-io', 'acme-bindery-local', 'heir-bindery-local'],
    replaced: [],
    unchanged: 0,
    skipped: [
      { server: 'local.bindery/hidden', reason: 'it has no remote endpoint' },
      { server: 'local.bindery/shut', reason: 'it has no remote endpoint' },
    ],
    dry_run: false,
  };
  expect(await bind('import-registry', registry.url, '--dry-run', ...flags)).toEqual({ ...expected, dry_run: true });
  expect(readdirSync(zones)).toEqual([]);
  expect(await bind('import-registry', registry.url, ...flags)).toEqual(expected);
  expect(await bind('import-registry', registry.url, ...flags)).toMatchObject({ created: [], unchanged: 3 });
  expect(await bind('resolve', 'acme-bindery-local', '--mode', 'mcp')).toMatchObject({ endpoint: url('acme') });
  const file = join(home.dir, 'registry.json');
  writeFileSync(file, JSON.stringify((await get('/v0.1/servers?search=acme')).body).replaceAll('2.0.0', '2.1.0'));
  expect(await bind('import-registry', file, ...flags)).toMatchObject({ replaced: ['acme-bindery-local'] });
  expect(readFileSync(join(zones, 'acme-bindery-local.json'), 'utf8')).toContain('2.1.0');
});

test('servers that name no contact are skipped with a hint, and --contact is for those alone', async () => {
  const home = await homeOf({});
  const zones = join(home.dir, 'zones');
  const remotes = [{ type: 'streamable-http', url: url('a') }];
  const file = join(home.dir, 'registry.json');
  const servers = [
    { name: 'org.example/bare', remotes },
    { name: 'org.example/known', remotes, websiteUrl: 'https://known.example/' },
  ];
  writeFileSync(file, JSON.stringify({ servers: servers.map((server) => ({ server })) }));
  const bind = async (...argv: string[]) => {
    const all = commandLine('bind', 'import-registry', file, '--zones', zones, '--json', ...argv);
    return JSON.parse((await run(process.execPath, all, { cwd: home.cwd, env: home.env })).stdout);
  };
  expect(await bind()).toMatchObject({
    created: ['known-example-org'],
    skipped: [{ server: 'org.example/bare', reason: 'it names no contact; pass --contact for such servers' }],
  });
  expect(await bind('--contact', '@me')).toMatchObject({ created: ['bare-example-org'], unchanged: 1, skipped: [] });
  const contactOf = (name: string) => JSON.parse(readFileSync(join(zones, `${name}.json`), 'utf8')).contact;
  expect(['bare-example-org', 'known-example-org'].map(contactOf)).toEqual(['@me', 'https://known.example/']);
});

test('a registry that is not there, or is not allowed, is an error with a code', async () => {
  const home = await homeOf({});
  const bind = (...argv: string[]) =>
    run(
      process.execPath,
      commandLine('bind', 'import-registry', ...argv, '--zones', join(home.dir, 'zones'), '--json'),
      {
        cwd: home.cwd,
        env: home.env,
      },
    ).catch(({ stdout }: { stdout: string }) => JSON.parse(stdout).code);
  expect([await bind('http://127.0.0.1:9', '--allow-private-endpoints'), await bind(registry.url)]).toEqual([
    'REGISTRY_UNREACHABLE',
    'REGISTRY_UNREACHABLE',
  ]);
});

test('an identity is made of the labels of a server name', () => {
  expect(
    ['io.github.user/weather', 'com.Example/My.Server', 'plain', 'a/', `x/${'y'.repeat(70)}`].map(identityOf),
  ).toEqual(['weather-user-github-io', 'my-server-example-com', undefined, 'a', undefined]);
});
