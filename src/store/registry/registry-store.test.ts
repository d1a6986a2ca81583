import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { publicCatalogue } from '../../gateway/catalogue/public-catalogue.ts';
import { offeredTools, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { openDatabase } from '../open-database.ts';
import { AcceptedDefinitions } from './accepted-definitions.ts';
import { RegistryStore } from './registry-store.ts';

let dataDir: string;
let database: DatabaseSync;
let store: RegistryStore;
let definitions: AcceptedDefinitions;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bindery-registry-'));
  open();
});
afterEach(() => {
  database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

function open(): void {
  database = openDatabase(join(dataDir, 'registry.db'));
  store = new RegistryStore(database);
  definitions = new AcceptedDefinitions(database);
}

const row = { name: 's', endpoint: 'http://127.0.0.1:1/mcp', transport: 'http' } as const;

function offerOf(descriptions: Readonly<Record<string, string>>, pinned = false): ServerOffer {
  const raw = Object.entries(descriptions).map(([name, description]) => ({
    name,
    description,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: name === 'read' },
  }));
  return {
    server: 's',
    era: '2025',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'S', version: '1' },
    capabilities: { tools: {} },
    instructions: null,
    tools: offeredTools(raw, { pinned, inUse: definitions.inUse({ server: 's' }) }),
    resources: [],
    resourceTemplates: [],
    prompts: [],
  };
}

function save(offer: ServerOffer): void {
  definitions.learn(offer);
  const tools = [...publicCatalogue([offer], 'qualified').tools.values()];
  store.saveOffer(
    row,
    offer,
    tools.map((tool) => ({ ...tool, tokens: 10, approvalRequired: tool.tool === 'write' })),
  );
}

function rows(columns: string, table = 'tool_registry'): unknown[] {
  const reader = new DatabaseSync(join(dataDir, 'registry.db'), { readOnly: true });
  const found = reader
    .prepare(`SELECT ${columns} FROM ${table}`)
    .all()
    .map((item) => ({ ...item }));
  reader.close();
  return found;
}

test('a server’s offer is there after a restart, in the tables that other programs query', () => {
  const offer = offerOf({ read: 'Reads.', write: 'Writes.' });
  save(offer);
  database.close();
  open();
  expect(store.offers()).toEqual(new Map([['s', offer]]));
  expect(rows('tool_name, server_name, read_only, original_name, tokens, status')).toEqual([
    { tool_name: 's__read', server_name: 's', read_only: 1, original_name: 'read', tokens: 10, status: 'active' },
    { tool_name: 's__write', server_name: 's', read_only: 0, original_name: 'write', tokens: 10, status: 'active' },
  ]);
  expect(rows('name, container_name, endpoint, transport, capabilities, status', 'mcp_servers')).toEqual([
    {
      name: 's',
      container_name: 's',
      endpoint: 'http://127.0.0.1:1/mcp',
      transport: 'http',
      capabilities: '["read","write"]',
      status: 'running',
    },
  ]);
});

test('a tool that vanished and came back is compared with what was accepted of it [gateway:L4]', () => {
  save(offerOf({ read: 'one' }));
  save(offerOf({}));
  expect(rows('status')).toEqual([{ status: 'removed' }]);
  const changed = offerOf({ read: 'two' }, true);
  save(changed);
  expect(changed.tools.map(({ status }) => status)).toEqual(['changed']);
  const sha256 = changed.tools[0]?.sha256 as string;
  store.activate('s', 'read', 'another');
  expect(rows('status')).toEqual([{ status: 'changed' }]);
  definitions.acceptForAll(store, 's', [{ tool: 'read', sha256 }]);
  expect([rows('status'), store.offers().get('s')?.tools[0]?.status]).toEqual([[{ status: 'active' }], 'active']);
  expect(offerOf({ read: 'two' }, true).tools.map(({ status }) => status)).toEqual(['active']);
});

test('a server that is served no more does not run and offers nothing, and has its tools again when it comes back', () => {
  const offer = offerOf({ read: 'Reads.', write: 'Writes.' });
  save(offer);
  const note = (status: 'running' | 'stopped' | 'error', isServed = true) =>
    store.noteServers([{ ...row, status, isServed }]);
  const state = () => [
    ...rows('name, status, is_served', 'mcp_servers'),
    ...rows('original_name, status'),
    store.servedOffers().size,
  ];
  const tools = (status: string) => [
    { original_name: 'read', status },
    { original_name: 'write', status },
  ];
  note('error');
  expect(state()).toEqual([{ name: 's', status: 'error', is_served: 1 }, ...tools('active'), 1]);
  note('stopped', false);
  store.noteNoOthers(['s']);
  expect(state()).toEqual([{ name: 's', status: 'stopped', is_served: 0 }, ...tools('removed'), 0]);
  note('running');
  expect(state()).toEqual([{ name: 's', status: 'running', is_served: 1 }, ...tools('active'), 1]);
  // Somebody put a row there by hand.
  database.exec(
    "INSERT INTO mcp_servers(name, container_name, endpoint, transport, capabilities, status) VALUES ('x', 'x', 'y', 'http', '[]', 'running')",
  );
  store.noteNoOthers(['s']);
  expect(rows('name, status, is_served', 'mcp_servers')).toEqual([
    { name: 's', status: 'running', is_served: 1 },
    { name: 'x', status: 'stopped', is_served: 0 },
  ]);
  store.noteAllStopped();
  expect(rows('status', 'mcp_servers')).toEqual([{ status: 'stopped' }, { status: 'stopped' }]);
});

test('metadata of the registration is merged with metadata of the connected server', () => {
  const note = () =>
    store.noteServers([{ ...row, status: 'running', isServed: true, metadata: { version: '1.0', domain: 'a.b' } }]);
  note();
  save(offerOf({ read: 'Reads.' }));
  note();
  expect(JSON.parse(String((rows('metadata', 'mcp_servers')[0] as { metadata: string }).metadata))).toEqual({
    version: '1.0',
    domain: 'a.b',
    server_info: { name: 'S', version: '1' },
    protocol_version: '2025-11-25',
  });
});

test('an undeclared tool counts as writing, and approval follows policy [gateway:D2]', () => {
  save(offerOf({ read: 'Reads.', write: 'Writes.' }));
  expect(rows('original_name, read_only, approval_required')).toEqual([
    { original_name: 'read', read_only: 1, approval_required: 0 },
    { original_name: 'write', read_only: 0, approval_required: 1 },
  ]);
  store.setApproval(store.judgedTools().map((tool) => ({ ...tool, approvalRequired: !tool.approvalRequired })));
  expect(rows('original_name, approval_required')).toEqual([
    { original_name: 'read', approval_required: 1 },
    { original_name: 'write', approval_required: 0 },
  ]);
  database.exec(
    "INSERT INTO tool_registry(tool_name, server_name, original_name, definition_sha256, accepted_sha256, status) VALUES ('s__x', 's', 'x', '', '', 'active')",
  );
  expect(rows('original_name, read_only, approval_required').at(-1)).toEqual({
    original_name: 'x',
    read_only: 0,
    approval_required: 0,
  });
});

test('an ended session stays ended, and expired ones are forgotten [gateway:S3]', () => {
  store.saveSession('a', 1_000, { ended: false, state: { level: 'info' } });
  store.saveSession('a', 1_000, { ended: true, state: {} });
  store.saveSession('a', 1_000, { ended: false, state: {} });
  expect(store.session('a')).toEqual({ ended: true, state: {} });
  expect([store.reclaimSessions(999), store.reclaimSessions(1_000), store.session('a')]).toEqual([0, 1, undefined]);
});

test('a database of a newer version is refused rather than guessed at', () => {
  database.exec("INSERT INTO migrations(part, step) VALUES ('registry', 99), ('registry', 98)");
  expect(() => new RegistryStore(database)).toThrow('newer version');
});

test('definitions that another version stored in a form that clients refuse are read in one that they accept', () => {
  const offer = offerOf({ read: 'Reads.', list: 'Lists.', write: 'Writes.' });
  const malformed: Record<string, object> = { list: { inputSchema: { type: 'array' } }, write: { title: 5 } };
  const tools = offer.tools.map((tool) => {
    const { name } = tool.definition;
    return { ...tool, definition: { ...tool.definition, ...malformed[name] } };
  });
  const extras = { resources: [{ uri: 'a:1' }], resourceTemplates: [{ uriTemplate: 'a:{x}' }] };
  save({ ...offer, ...extras, tools, prompts: [{ name: 'p', arguments: null }] });
  const whole = {
    ...offer,
    tools: offer.tools.filter(({ definition }) => definition.name !== 'list'),
    resources: [{ uri: 'a:1', name: 'a:1' }],
    resourceTemplates: [{ uriTemplate: 'a:{x}', name: 'a:{x}' }],
    prompts: [{ name: 'p' }],
  };
  expect([store.offer('s'), store.offers().get('s')]).toEqual([whole, whole]);
});
