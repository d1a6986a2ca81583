import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkZone } from './check-zone.ts';
import { readZoneText } from './read-zone.ts';
import { exportServerJson, importServerJson } from './server-json.ts';
import { mcp, policy, tableOf, url } from './testing/zones.ts';
import type { Zone } from './zone.ts';

const options = { name: 'weather', createdAt: '2026-01-01T00:00:00.000Z' };
const server = {
  name: 'io.github.user/weather',
  description: 'Weather for everyone',
  version: '1.2.0',
  websiteUrl: 'https://weather.example/',
  packages: [{ registryType: 'npm', identifier: 'weather' }],
  remotes: [
    { type: 'sse', url: 'https://weather.example/sse' },
    { type: 'streamable-http', url: 'https://weather.example/mcp' },
    { type: 'streamable-http', url: 'https://{region}.weather.example/mcp' },
  ],
};

test('[bind:N5] a server.json becomes a zone: remotes by their order, legacy transports behind', () => {
  const { zone, warnings } = importServerJson(server, options);
  const value = (endpoint: string, more: object = {}) => ({ endpoint, version: '1.2.0', ...more });
  expect(zone).toEqual({
    identity: 'weather',
    created_at: '2026-01-01T00:00:00.000Z',
    contact: 'https://weather.example/',
    info: 'Weather for everyone',
    records: [
      mcp(value('https://weather.example/sse', { features: ['sse'] }), 500),
      mcp(value('https://weather.example/mcp'), 999),
      { type: 'APP', value: 'https://weather.example/' },
      { type: 'TXT', value: 'mcp-registry:name=io.github.user/weather' },
    ],
  });
  expect(warnings.map(({ code, message }) => [code, message])).toEqual([
    ['dropped', '"packages" (1) was left out: a zone names endpoints, not programs to run.'],
    ['variable', expect.stringContaining('{region}')],
  ]);
  expect(checkZone('weather', zone, policy)).toEqual([]);
});

test('variables take their values, and what has none is left out with a warning', () => {
  const { zone, warnings } = importServerJson(server, { ...options, variables: { region: 'eu' } });
  expect([zone.records[2], warnings]).toEqual([
    mcp({ endpoint: 'https://eu.weather.example/mcp', version: '1.2.0' }, 998),
    [expect.objectContaining({ code: 'dropped' })],
  ]);
});

test('a deprecated server is imported with a warning, a deleted one not at all', () => {
  const withStatus = (status: string) => ({
    server,
    _meta: { 'io.modelcontextprotocol.registry/official': { status } },
  });
  const { warnings } = importServerJson(withStatus('deprecated'), { ...options, variables: { region: 'eu' } });
  expect(warnings.map(({ code }) => code)).toEqual(['deprecated', 'dropped']);
  expect(() => importServerJson(withStatus('deleted'), options)).toThrow('deleted');
});

test('an import says what it leaves out, of the server and of each remote', () => {
  const rich = {
    ...server,
    title: 'Weather',
    icons: [{ src: 'https://weather.example/icon.png' }],
    packages: [],
    remotes: [{ type: 'streamable-http', url: url('a'), headers: [{ name: 'X-Key', isSecret: true }] }],
  };
  expect(importServerJson(rich, options).warnings.map(({ message }) => message)).toEqual([
    '"title" was left out: a zone has no place for it.',
    '"icons" (1) was left out: a zone has no place for it.',
    'Remote 0: "headers" (1) was left out: a zone holds no headers; configure them where the server is used.',
  ]);
});

test('a remote over plain HTTP makes a zone that no write accepts', () => {
  const { zone } = importServerJson({ ...server, remotes: [{ type: 'sse', url: 'http://x.example/' }] }, options);
  expect(checkZone('weather', zone, policy).map(({ code }) => code)).toEqual(['invalid_endpoint']);
});

test('what a zone holds beside its import stays when it is imported again', () => {
  const key = { type: 'KEY', value: 'k' };
  const records = [mcp(url('old')), key, { type: 'TXT', value: 'mcp-registry:name=io.github.user/weather' }];
  const current = tableOf({ weather: { created_at: '2025-05-05T00:00:00Z', records } }).get('weather') as Zone;
  const { zone } = importServerJson(server, { ...options, current });
  expect([zone.created_at, zone.records.filter((record) => record.type === 'KEY'), zone.records.length]).toEqual([
    '2025-05-05T00:00:00Z',
    [key],
    5,
  ]);
});

test('[bind:N5] a zone goes out and comes back with its endpoints in the same order', () => {
  const zones = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(zones, (priorities) => {
      const records = priorities.map((priority) => mcp(url(`h${priority + 50}`), priority));
      const zone = tableOf({ weather: records }).get('weather') as Zone;
      const exported = exportServerJson(zone, 'io.github.user/weather');
      const imported = importServerJson(exported, options).zone;
      const back = readZoneText('weather', JSON.stringify(imported));
      expect(back.endpoints.map(({ endpoint }) => endpoint)).toEqual(zone.endpoints.map(({ endpoint }) => endpoint));
      expect(exportServerJson(back, undefined)).toEqual({ ...exported, version: '0.0.0' });
    }),
    { numRuns: 200 },
  );
});

test('an imported server goes out as it came in, apart from what zones do not hold', () => {
  const { zone } = importServerJson(server, { ...options, variables: { region: 'eu' } });
  const { packages: _, ...rest } = server;
  expect(exportServerJson(readZoneText('weather', JSON.stringify(zone)), undefined)).toEqual({
    $schema: expect.stringContaining('server.schema.json'),
    ...rest,
    remotes: [
      { type: 'streamable-http', url: 'https://weather.example/mcp' },
      { type: 'streamable-http', url: 'https://eu.weather.example/mcp' },
      { type: 'sse', url: 'https://weather.example/sse' },
    ],
  });
});

test('a zone without a registry name, or with an endpoint that is no URL, is not exported', () => {
  const zone = tableOf({ a: [mcp(url('a'))], b: [mcp('http://x/')] });
  expect(() => exportServerJson(zone.get('a') as Zone, undefined)).toThrow('name in the registry');
  expect(() => exportServerJson(zone.get('b') as Zone, 'x/y')).toThrow();
});
