import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { AcceptedDefinitions } from './accepted-definitions.ts';
import { RegisteredServers } from './registered-servers.ts';
import { RegistryStore } from './registry-store.ts';

test('a registry of the version before keeps what was accepted, for the server that has the name', () => {
  const database = new DatabaseSync(':memory:');
  const empty = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
  const lists = JSON.stringify(empty).slice(1, -1);
  const registry = new RegistryStore(database);
  const registered = new RegisteredServers(database);
  // As the version before left it: one table for what servers show and for what people accept.
  database.exec(`
    INSERT INTO migrations(part, step) VALUES ('definitions', 1), ('definitions', 2);
    CREATE TABLE accepted_definitions (
      owner TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, sha256 TEXT NOT NULL, definition JSON NOT NULL,
      PRIMARY KEY (server, tool, owner)
    );
    INSERT INTO registered_servers(name, manifest, registered_by, registered_at)
      VALUES ('far', '{"name":"far","endpoint":"https://far.example/mcp","transport":"http"}', 'admin', '2026-10-01T12:00:00.000Z');
    INSERT INTO mcp_servers(name, container_name, endpoint, transport, capabilities, status, offer) VALUES
      ('far', 'far', 'https://far.example/mcp', 'http', '[]', 'running', '{"server":"far","endpoint":"https://far.example/mcp",${lists}}'),
      ('own', 'own', 'stdio:own', 'stdio', '[]', 'running', '{"server":"own","endpoint":"stdio:own",${lists}}');
    INSERT INTO tool_registry(tool_name, server_name, original_name, definition_sha256, accepted_sha256, status)
      VALUES ('own__asks', 'own', 'asks', 'c', 'c', 'active');
    INSERT INTO accepted_definitions(owner, server, tool, sha256, definition) VALUES
      ('', 'far', 'read', 'a', '{"name":"read"}'), ('', 'own', 'write', 'b', '{"name":"write"}');
  `);
  const definitions = new AcceptedDefinitions(database);
  const registration = registered.list()[0]?.registration as string;
  const isAccepted = (server: string, id: string, endpoint: string) => (tool: string, sha256: string) =>
    definitions.accepted({ server, registration: id, endpoint })(tool, sha256);
  expect([
    registration,
    isAccepted('far', registration, '')('read', 'a'),
    isAccepted('far', 'another', '')('read', 'a'),
    isAccepted('own', '', 'stdio:own')('write', 'b'),
    isAccepted('own', '', 'stdio:other')('write', 'b'),
    // The table of tools says what was in use, and not what a person accepted.
    isAccepted('own', '', 'stdio:own')('asks', 'c'),
    definitions.inUse({ server: 'far', registration }),
    definitions.inUse({ server: 'own' }),
    registry.offer('far'),
    registry.offer('own'),
  ]).toEqual([
    'far 2026-10-01T12:00:00.000Z',
    true,
    false,
    true,
    false,
    false,
    new Map([['read', 'a']]),
    new Map([
      ['asks', 'c'],
      ['write', 'b'],
    ]),
    { server: 'far', endpoint: 'https://far.example/mcp', registration, ...empty },
    { server: 'own', endpoint: 'stdio:own', ...empty },
  ]);
  database.close();
});
