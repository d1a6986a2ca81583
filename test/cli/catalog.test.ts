import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { blanksOf, CatalogEntry, configEntry } from '../../src/gateway/catalog/catalog-entry.ts';
import { checkServerEntry } from '../../src/host/config/server-entry.ts';
import { wellKnownServers } from '../../src/runtime/well-known-servers.ts';
import { openCommandHome } from '../support/command-home.ts';

const WELL_KNOWN = wellKnownServers();

const REGISTRY = {
  servers: [
    {
      server: {
        name: 'io.example/weather',
        description: 'Forecasts.',
        packages: [
          {
            registryType: 'npm',
            identifier: '@example/weather',
            version: '1.2.3',
            packageArguments: [{ type: 'named', name: '--units', isRequired: true }],
            environmentVariables: [{ name: 'WEATHER_KEY', description: 'the key', isRequired: true, isSecret: true }],
          },
        ],
      },
    },
    {
      server: { name: 'io.example/remote', remotes: [{ type: 'streamable-http', url: 'https://remote.example/mcp' }] },
    },
    { server: { name: 'io.example/image', packages: [{ registryType: 'oci', identifier: 'image' }] } },
  ],
  metadata: {},
};

test.each(WELL_KNOWN.map((entry) => [entry.name, entry] as const))(
  '%s is whole, and the config takes it',
  (_, entry) => {
    expect(CatalogEntry.parse(entry)).toEqual(entry);
    const filled = Object.fromEntries(blanksOf(entry).map((name) => [name, 'x']));
    expect(checkServerEntry(entry.name, configEntry(entry, filled, {})).reason).toBeUndefined();
    expect([entry.trust !== null, entry.labels.length > 0, /\.$/.test(entry.description)]).toEqual([true, true, true]);
  },
);

test('names are in order and stand once; there are enough to start from', () => {
  const names = WELL_KNOWN.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
  expect(names.length).toBeGreaterThanOrEqual(40);
});

test('a server is found, shown and added; what it needs is said, and no secret is written', async () => {
  const { json, run } = openCommandHome();
  const names = async (query: string) =>
    (await json('catalog', 'search', query)).items.map(({ name }: { name: string }) => name);
  expect([(await names('write files'))[0], (await names('files')).slice(0, 2)]).toEqual([
    'filesystem',
    ['filesystem', 'gdrive'],
  ]);
  expect((await run('catalog', 'add', 'filesystem')).stderr).toContain('--set folder=VALUE');
  expect((await run('catalog', 'add', 'filesystem', '--set', `folder=${import.meta.dirname}`)).exitCode).toBe(0);
  const added = await run('catalog', 'add', 'slack', '--env', 'SLACK_TEAM_ID=T1');
  expect(added.stdout).toContain('set SLACK_BOT_TOKEN');
  expect((await run('catalog', 'add', 'linear')).stdout).toContain('bindery mcp auth login linear');
  const listed = (await json('mcp', 'list', '--scope', 'global')).items;
  expect(listed.map(({ id, transport }: { id: string; transport: string }) => [id, transport])).toEqual([
    ['filesystem', 'stdio'],
    ['linear', 'http'],
    ['slack', 'stdio'],
  ]);
  expect((await run('catalog', 'add', 'linear')).stderr).toContain('SERVER_EXISTS');
});

test('a registry file and a registry API are looked in where they are named or configured', async () => {
  const asked: string[] = [];
  const api = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(REGISTRY));
  });
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  try {
    const { json, run, write } = openCommandHome();
    const file = write('registry.json', JSON.stringify(REGISTRY));
    const found = await json('catalog', 'search', 'io.example', '--registry', file);
    expect(found.items.map(({ name }: { name: string }) => name)).toEqual(['io.example/remote', 'io.example/weather']);
    expect((await run('catalog', 'show', 'io.example/weather', '--registry', file)).stdout).toContain(
      'npx -y @example/weather@1.2.3 --units {units}',
    );
    // Addresses of this machine are no registries, unless the person says so.
    expect((await run('catalog', 'search', '--registry', url)).stderr).toContain('REGISTRY_UNREACHABLE');
    write('.bindery/config.json', JSON.stringify({ catalog: { registries: [url], allow_private_endpoints: true } }));
    expect((await run('catalog', 'add', 'io.example/weather', '--set', 'units=metric')).exitCode).toBe(0);
    expect(asked).toEqual(['/v0.1/servers?limit=100&version=latest&search=io.example%2Fweather']);
    expect((await json('mcp', 'list', '--scope', 'global')).items[0].id).toBe('io-example-weather');
  } finally {
    api.close();
  }
});

test.each([
  ['browser automation', 'playwright'],
  ['query a database', 'mongodb'],
  ['save notes', 'memory'],
])('what a newcomer types finds a server: %s', async (query, name) => {
  const { items } = await openCommandHome().json('catalog', 'search', query);
  expect(items.slice(0, 4).map((item: { name: string }) => item.name)).toContain(name);
});

test('an id that is taken is refused with steps that work', async () => {
  const home = openCommandHome();
  await home.run('catalog', 'add', 'memory');
  const { stderr } = await home.run('catalog', 'add', 'memory');
  expect(stderr).toContain('(SERVER_EXISTS)');
  const steps = [...stderr.matchAll(/`bindery ([^`]+)`/g)].map(([, line = '']) => line);
  expect(steps).toEqual(['catalog add memory --id memory-2', 'mcp remove memory --scope global']);
  for (const line of steps) expect((await home.run(...line.split(' '))).exitCode).toBe(0);
  expect((await home.run('catalog', 'add', 'memory')).exitCode).toBe(0);
});
