import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { RegisteredServers, type ServerManifest } from './registered-servers.ts';

const NOW = '2026-10-01T12:00:00.000Z';
const manifest = (name: string): ServerManifest => ({
  name,
  endpoint: `https://${name}.example/mcp`,
  transport: 'http',
});

test('it is stored whether an admin registered a server, with any credential', () => {
  const servers = new RegisteredServers(new DatabaseSync(':memory:'));
  servers.add(manifest('a'), { name: 'admin', isAdmin: true }, NOW);
  servers.add(manifest('b'), { name: 'key:1', isAdmin: true }, NOW);
  servers.add(manifest('c'), { name: 'key:2', isAdmin: false }, NOW);
  // A manifest does not speak for its registrar.
  servers.add({ ...manifest('d'), by_admin: true } as ServerManifest, { name: 'key:2', isAdmin: false }, NOW);
  expect(servers.list()).toEqual(
    [true, true, false, false].map((isByAdmin, at) => ({
      manifest: manifest('abcd'[at] as string),
      enabled: true,
      isByAdmin,
      registration: expect.any(String),
    })),
  );
});

test('rows of earlier versions are an admin’s if the admin token registered them', () => {
  const database = new DatabaseSync(':memory:');
  const servers = new RegisteredServers(database);
  const insert = database.prepare(
    'INSERT INTO registered_servers(name, manifest, registered_by, registered_at) VALUES (?, ?, ?, ?)',
  );
  insert.run('a', JSON.stringify(manifest('a')), 'admin', NOW);
  insert.run('b', JSON.stringify(manifest('b')), 'key:admin', NOW);
  expect(servers.list().map(({ isByAdmin }) => isByAdmin)).toEqual([true, false]);
});
