import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../../contract/testing/memory-log.ts';
import { publicCatalogue } from '../../../gateway/catalogue/public-catalogue.ts';
import { offeredTools, type ServerOffer } from '../../../gateway/catalogue/server-offer.ts';
import { openDatabase } from '../../open-database.ts';
import { RegisteredServers } from '../../registry/registered-servers.ts';
import { openDatabase as openPostgres } from '../open-database.ts';
import { startPostgres, type TestPostgres } from '../testing/start-postgres.ts';
import { until } from '../testing/until.ts';
import { openNode, type TestNode } from './testing/open-node.ts';

const NOW = '2026-10-01T12:00:00.000Z';
const ADMIN = { name: 'admin', isAdmin: true };
const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const manifest = (name: string, endpoint = `https://${name}.example/mcp`) =>
  ({ name, endpoint, transport: 'http' }) as const;

const row = { name: 's', endpoint: 'http://127.0.0.1:1/mcp', transport: 'http' } as const;

let postgres: TestPostgres;
const nodes = new Set<TestNode>();
const nodeOn = async (url: string, dir?: string) => {
  const node = await openNode(url, dir);
  nodes.add(node);
  return node;
};
const closeNode = (node: TestNode) => {
  nodes.delete(node);
  return node.close();
};
const namesAt = ({ registered }: TestNode) => registered.list().map((server) => server.manifest.name);
const settle = async (...all: TestNode[]) => {
  for (const { registry } of all) await registry.flush();
  for (const { registry } of all) await registry.catchUp();
};

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await Promise.all([...nodes].map((node) => node.close()));
  await postgres.stop();
});

test('keys and registered servers are the same at every node, removals too [gateway:S3]', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [await nodeOn(url), await nodeOn(url)];
  const { key, record } = a.keys.create({ name: 'ci', scopes: ['call'], profiles: [], lifeMs: null }, random);
  a.registered.add(manifest('one'), ADMIN, NOW);
  b.registered.add(manifest('two'), ADMIN, NOW);
  // Nobody asks for it: each node ships by itself, and the others hear of it.
  await until(() => b.keys.verify(key) !== undefined && namesAt(a).length === 2 && namesAt(b).length === 2);
  b.keys.revoke(record.id);
  b.registered.remove('one');
  a.registered.setEnabled('two', false);
  await until(() => a.keys.verify(key) === undefined && namesAt(a).length === 1 && !b.registered.list()[0]?.enabled);
  expect([namesAt(a), namesAt(b), a.registered.list(), a.keys.list()]).toEqual([
    ['two'],
    ['two'],
    b.registered.list(),
    b.keys.list(),
  ]);
});

test('what a server offers is known to nodes that never saw it, and an acceptance holds at all of them [gateway:L4]', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [await nodeOn(url), await nodeOn(url)];
  learn(a, { read: 'Reads.', write: 'Writes.' });
  await settle(a, b);
  expect([b.offers.offers(), rowsOf(b)]).toEqual([a.offers.offers(), rowsOf(a)]);
  const changed = learn(a, { read: 'Reads, and more.' }, true);
  await settle(a, b);
  const [offered] = b.offers.offers().get('s')?.tools ?? [];
  const accepted = b.definitions.acceptForAll(b.offers, 's', [{ tool: 'read', sha256: offered?.sha256 as string }]);
  await settle(b, a);
  expect([
    changed.map(({ tool }) => tool),
    offered?.status,
    accepted,
    a.offers
      .offers()
      .get('s')
      ?.tools.map(({ status }) => status),
    rowsOf(a),
  ]).toEqual([['read'], 'changed', true, ['active'], rowsOf(b)]);
});

test('a node that only knows of a server does not undo what another node learned of it [gateway:L4]', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [await nodeOn(url), await nodeOn(url)];
  // One node was told of the server and notes it; the other one has connected to it meanwhile.
  a.offers.noteServers([{ ...row, status: 'stopped', isServed: true, metadata: { version: '1' } }]);
  learn(b, { read: 'Reads.' });
  await settle(b, a);
  await settle(a, b);
  const namesOf = (node: TestNode) => node.offers.offer('s')?.tools.map(({ definition }) => definition.name);
  expect([namesOf(a), namesOf(b)]).toEqual([['read'], ['read']]);
});

test('whether a server runs, and what one user alone is offered, stays with the node that sees it [gateway:R13]', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [await nodeOn(url), await nodeOn(url)];
  learn(a, { read: 'Reads.' });
  const own: ServerOffer = { ...offerOf(a, { secret: 'For ada alone.' }), owner: 'ada' };
  save(a, own);
  learn(a, { read: 'Reads.' });
  a.offers.noteServers([{ ...row, status: 'error', lastHealthCheck: NOW, isServed: true }]);
  await settle(a, b);
  const statusOf = (node: TestNode) => node.sqlite.prepare('SELECT status FROM mcp_servers').all()[0]?.status;
  expect([statusOf(a), statusOf(b), b.offers.allPrivateOffers(), rowsOf(b).length]).toEqual([
    'error',
    'stopped',
    [],
    1,
  ]);
});

test('a node that was away catches up, and ships what was changed in its file meanwhile', async () => {
  const url = await postgres.newDatabase();
  const a = await nodeOn(url);
  const first = await nodeOn(url);
  a.registered.add(manifest('kept'), ADMIN, NOW);
  a.registered.add(manifest('gone'), ADMIN, NOW);
  await settle(a, first);
  await closeNode(first);
  a.registered.remove('gone');
  a.registered.add(manifest('new'), ADMIN, NOW);
  // A command writes to the file while no gateway runs.
  const file = openDatabase(first.file);
  new RegisteredServers(file).add(manifest('offline'), ADMIN, NOW);
  file.close();
  await settle(a);
  const again = await nodeOn(url, first.dir);
  await settle(a);
  const all = ['kept', 'new', 'offline'];
  expect([namesAt(again), namesAt(a), namesAt(await nodeOn(url))]).toEqual([all, all, all]);
});

test('a registry that one node had before is shipped, and rows that are shared already win', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-node-'));
  const alone = openDatabase(join(dir, 'registry.db'));
  const registered = new RegisteredServers(alone);
  registered.add(manifest('mine'), ADMIN, NOW);
  registered.add(manifest('both', 'https://mine.example/mcp'), ADMIN, NOW);
  alone.close();
  const url = await postgres.newDatabase();
  const a = await nodeOn(url);
  a.registered.add(manifest('both', 'https://theirs.example/mcp'), ADMIN, NOW);
  await settle(a);
  const b = await nodeOn(url, dir);
  await settle(a);
  const endpoints = (node: TestNode) => node.registered.list().map((server) => server.manifest.endpoint);
  expect([endpoints(a), endpoints(b)]).toEqual([
    ['https://theirs.example/mcp', 'https://mine.example/mcp'],
    ['https://theirs.example/mcp', 'https://mine.example/mcp'],
  ]);
});

test('changes while the database is away are there when it is back, in both directions [gateway:R14]', async () => {
  const url = await postgres.newDatabase();
  const way = await postgres.cuttable(url);
  const [a, b] = [await nodeOn(url), await nodeOn(way.url)];
  await way.cut();
  await until(() => !b.database.isReachable);
  a.registered.add(manifest('near'), ADMIN, NOW);
  b.registered.add(manifest('far'), ADMIN, NOW);
  await way.mend();
  await until(() => namesAt(a).length === 2 && namesAt(b).length === 2);
  expect([namesAt(a), namesAt(b)]).toEqual([
    ['far', 'near'],
    ['far', 'near'],
  ]);
});

test('rows of a disconnected node about a registration removed meanwhile are refused, and it takes the rows of the others [gateway:L4] [gateway:QUARANTINE]', async () => {
  const url = await postgres.newDatabase();
  const way = await postgres.cuttable(url);
  const [a, b] = [await nodeOn(url), await nodeOn(way.url)];
  const registrationAt = ({ registered }: TestNode) => registered.list()[0]?.registration as string;
  const accept = (node: TestNode, description: string) => {
    const offer = { ...offerOf(node, { read: description }), registration: registrationAt(node) };
    save(node, offer);
    node.definitions.accept(offer, 'read', offer.tools[0]?.sha256 as string);
  };
  a.registered.add(manifest('s'), ADMIN, NOW);
  await settle(a, b);
  const before = registrationAt(a);
  await way.cut();
  await until(() => !b.database.isReachable);
  accept(b, 'Of the server before.');
  a.registered.remove('s');
  a.registered.add(manifest('s'), ADMIN, NOW);
  accept(a, 'Of the stranger.');
  await a.registry.flush();
  await way.mend();
  await until(() => registrationAt(b) === registrationAt(a));
  await settle(b, a);
  const left = await a.database.query('SELECT part FROM shared_rows WHERE strpos(content, $1) > 0', [before]);
  const descriptionAt = ({ offers }: TestNode) => offers.offer('s')?.tools[0]?.definition.description;
  expect([left, descriptionAt(a), descriptionAt(b), rowsOf(b)]).toEqual([
    [],
    'Of the stranger.',
    'Of the stranger.',
    rowsOf(a),
  ]);
});

test('what could not be taken when it was told is taken soon after, though nothing else changes [gateway:S3]', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [await nodeOn(url), await nodeOn(url)];
  const { key, record } = a.keys.create({ name: 'ci', scopes: ['call'], profiles: [], lifeMs: null }, random);
  await until(() => b.keys.verify(key) !== undefined);
  b.sqlite.exec("CREATE TRIGGER full BEFORE UPDATE ON shared_state BEGIN SELECT RAISE(ABORT, 'the disk is full'); END");
  a.keys.revoke(record.id);
  await until(() => b.log.lines.some(({ fields }) => String(fields.error).includes('the disk is full')));
  const before = b.keys.verify(key) !== undefined;
  b.sqlite.exec('DROP TRIGGER full');
  await until(() => b.keys.verify(key) === undefined);
  expect(before).toBe(true);
});

test('a copy that cannot be read for a while ends nothing, and what was changed in it is shipped afterwards', async () => {
  const url = await postgres.newDatabase();
  const [a, b] = [await nodeOn(url), await nodeOn(url)];
  b.sqlite.exec('ALTER TABLE shared_outbox RENAME TO away');
  await until(() => b.log.lines.some(({ fields }) => String(fields.error).includes('no such table')));
  b.sqlite.exec('ALTER TABLE away RENAME TO shared_outbox');
  b.registered.add(manifest('later'), ADMIN, NOW);
  await until(() => namesAt(a).length === 1);
  expect(namesAt(a)).toEqual(['later']);
});

test('other tools find servers and tools in PostgreSQL under the names that they know', async () => {
  const url = await postgres.newDatabase();
  const a = await nodeOn(url);
  learn(a, { read: 'Reads.' });
  await settle(a);
  expect([
    await a.database.query('SELECT name, transport, capabilities FROM mcp_servers'),
    await a.database.query('SELECT tool_name, server_name, read_only, status FROM tool_registry'),
  ]).toEqual([
    [{ name: 's', transport: 'http', capabilities: ['read'] }],
    [{ tool_name: 's__read', server_name: 's', read_only: true, status: 'active' }],
  ]);
});

test('whatever three nodes do in whichever order, they end with the same registry', async () => {
  const url = await postgres.newDatabase();
  const all = [await nodeOn(url), await nodeOn(url), await nodeOn(url)];
  const step = fc.record({
    node: fc.nat(2),
    name: fc.constantFrom('x', 'y', 'z\u0000"ü'),
    act: fc.constantFrom('add', 'remove', 'enable', 'disable', 'settle'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      for (const { node, name, act } of steps) {
        const { registered, registry } = all[node] as TestNode;
        if (act === 'add') registered.add(manifest(name), ADMIN, NOW);
        else if (act === 'remove') registered.remove(name);
        else if (act === 'settle') await Promise.all([registry.flush(), registry.catchUp()]);
        else registered.setEnabled(name, act === 'enable');
      }
      await settle(...all);
      await settle(...all);
      const [first, ...others] = all.map(({ registered }) => registered.list());
      const truth = await all[0]?.database.query<{ key: string }>(
        "SELECT key FROM shared_rows WHERE part = 'registered_servers' AND content IS NOT NULL",
      );
      expect([others, truth?.map(({ key }) => JSON.parse(key)[0]).sort()]).toEqual([
        [first, first],
        first?.map((server) => server.manifest.name).sort(),
      ]);
    }),
    { numRuns: 30 },
  );
});

function offerOf(
  { definitions }: TestNode,
  descriptions: Readonly<Record<string, string>>,
  pinned = false,
): ServerOffer {
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

function save({ offers }: TestNode, offer: ServerOffer): void {
  const tools = [...publicCatalogue([offer], 'qualified').tools.values()].map((tool) => ({
    ...tool,
    tokens: 10,
    approvalRequired: false,
  }));
  offers.saveOffer(row, offer, tools);
}

function learn(node: TestNode, descriptions: Readonly<Record<string, string>>, pinned = false) {
  const offer = offerOf(node, descriptions, pinned);
  save(node, offer);
  return node.definitions.learn(offer);
}

function rowsOf({ sqlite }: TestNode): unknown[] {
  return sqlite.prepare("SELECT * FROM tool_registry WHERE owner = '' ORDER BY tool_name").all();
}

test('rows shared by the previous version are adopted by an existing node and by a new one [gateway:L4]', async () => {
  const url = await postgres.newDatabase();
  const [old, other] = [await nodeOn(url), await nodeOn(url)];
  old.registered.add(manifest('s'), ADMIN, NOW);
  learn(old, { read: 'Reads.' });
  await settle(old, other);
  await closeNode(other);
  await closeNode(old);
  // Back to one table for what servers show and for what people accept, in the file and in the database.
  const file = openDatabase(old.file);
  file.exec(`
    ${['definitions_in_use', 'acceptances'].flatMap((table) => ['added', 'changed', 'removed'].map((event) => `DROP TRIGGER shared_${table}_${event};`)).join('\n')}
    ALTER TABLE definitions_in_use DROP COLUMN registration;
    ALTER TABLE definitions_in_use RENAME TO accepted_definitions;
    DROP TABLE acceptances;
    DELETE FROM migrations WHERE (part = 'definitions' AND step = 3) OR (part = 'shared' AND step = 3);
    INSERT INTO shared_outbox(part, key) VALUES ('accepted_definitions', '["s","read",""]');
  `);
  file.close();
  const plain = await openPostgres(url, createMemoryLog());
  await plain.query("UPDATE shared_rows SET part = 'accepted_definitions' WHERE part = 'definitions_in_use'");
  await plain.query("DELETE FROM migrations WHERE part = 'shared' AND step = 6");
  await plain.close();
  const [again, fresh] = [await nodeOn(url, old.dir), await nodeOn(url)];
  await settle(again, fresh);
  const knownAt = ({ definitions, registered }: TestNode) => {
    const registration = registered.list()[0]?.registration as string;
    const [[tool, sha256] = ['', '']] = [...definitions.inUse({ server: 's', registration })];
    return [tool, definitions.accepted({ server: 's', registration, endpoint: '' })(tool, sha256)];
  };
  expect([knownAt(again), knownAt(fresh)]).toEqual([
    ['read', true],
    ['read', true],
  ]);
});
