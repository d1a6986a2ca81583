import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { AuditWriter } from '../../src/store/audit/audit-writer.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { RegistryStore } from '../../src/store/registry/registry-store.ts';
import { openCommandHome } from '../support/command-home.ts';
import { startBindery } from '../support/running-bindery.ts';

const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
const openWriter = (dataDir: string) => AuditWriter.open({ dataDir, node: 'local', clock: { now: Date.now }, random });
const append = (writer: AuditWriter, call_id: string) =>
  writer.append({ kind: 'call', phase: 'single', call_id, time: new Date().toISOString(), outcome: 'ok' });

test('a backup holds registry, audit log and keys, and a restore brings them back and sets aside what was there [gateway:R1]', async () => {
  const home = openCommandHome();
  const writer = openWriter(home.dataDir);
  await append(writer, 'one');
  writer.close();
  home.write('.bindery/session.key', 'session-key\n', 0o600);
  const { id } = await home.json('keys', 'create', 'before');
  const before = (await home.json('audit', 'verify')).records;
  const file = join(home.home, 'safe.backup');
  expect((await home.run('backup', 'create', file)).exitCode).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await home.json('backup', 'create', file)).toMatchObject({ code: 'USAGE', detail: `${file} exists` });

  await home.run('keys', 'create', 'after');
  writeFileSync(join(home.dataDir, 'session.key'), 'another\n');
  expect(await home.json('backup', 'restore', file)).toEqual({
    set_aside: expect.stringContaining('replaced-'),
    files: 3,
    records: before,
  });
  expect((await home.json('keys', 'list')).items.map((key: { id: string }) => key.id)).toEqual([id]);
  expect([readFileSync(join(home.dataDir, 'session.key'), 'utf8'), (await home.json('audit', 'verify')).ok]).toEqual([
    'session-key\n',
    true,
  ]);
  const [aside] = readdirSync(join(home.dataDir, 'backups')).filter((name) => name.startsWith('replaced-'));
  expect(readFileSync(join(home.dataDir, 'backups', aside as string, 'session.key'), 'utf8')).toBe('another\n');
});

test('a backup has config and policy, and leaves out what addresses are hashed with, and says so', async () => {
  const home = openCommandHome();
  home.write('.bindery/config.json', '{"version":1}');
  home.write('.bindery/project_mcp.json', '{"allowlist":{"servers":["*"]}}');
  home.write('.bindery/civic/pepper', 'p'.repeat(32), 0o600);
  new DatabaseSync(join(home.dataDir, 'civic-salts.db')).close();
  const file = join(home.home, 'civic.backup');
  const { stdout } = await home.run('backup', 'create', file);
  expect(stdout).toContain('left out on purpose: civic-salts.db, civic/pepper.');
  const database = new DatabaseSync(file, { readOnly: true });
  const names = database.prepare('SELECT name FROM files ORDER BY name').all();
  database.close();
  expect(names.map(({ name }) => name)).toEqual(['config.json', 'project_mcp.json']);
  writeFileSync(join(home.dataDir, 'civic', 'pepper'), 'q'.repeat(32));
  await home.run('backup', 'restore', file);
  expect(readFileSync(join(home.dataDir, 'civic', 'pepper'), 'utf8')).toBe('q'.repeat(32));
});

test('neither is done while a gateway uses the data directory', async () => {
  const home = openCommandHome();
  const bindery = await startBindery(home);
  const file = join(home.home, 'running.backup');
  expect((await home.json('backup', 'create', file)).code).toBe('GATEWAY_RUNNING');
  await bindery.stop();
  await home.run('backup', 'create', file);
  const again = await startBindery(home);
  expect((await home.json('backup', 'restore', file)).code).toBe('GATEWAY_RUNNING');
  await again.stop();
  expect((await home.run('backup', 'restore', file)).exitCode).toBe(0);
});

test('a damaged, a foreign and a newer backup are refused, and nothing is touched', async () => {
  const home = openCommandHome();
  const writer = openWriter(home.dataDir);
  await append(writer, 'kept');
  writer.close();
  const file = join(home.home, 'x.backup');
  await home.run('backup', 'create', file);
  const change = (sql: string) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  change("UPDATE chunks SET content = zeroblob(10) WHERE name = 'audit-0.db'");
  const refused = [(await home.json('backup', 'restore', file)).code];
  change("UPDATE files SET name = '../evil.db'");
  refused.push((await home.json('backup', 'restore', file)).code);
  change('UPDATE backup SET format = 2');
  refused.push((await home.json('backup', 'restore', file)).code);
  refused.push(
    (await home.json('backup', 'restore', home.write('text', 'no database'))).code,
    (await home.json('backup', 'restore', 'nothing')).code,
  );
  expect(refused).toEqual(['BACKUP_INVALID', 'BACKUP_INVALID', 'BACKUP_INVALID', 'BACKUP_INVALID', 'BACKUP_NOT_FOUND']);
  expect([
    existsSync(join(home.home, 'evil.db')),
    (await home.json('audit', 'search', '--q', 'kept')).items.length,
  ]).toEqual([false, 1]);
});

test('the backup of an older version is restored, and its tables are brought up to date', async () => {
  const old = openCommandHome();
  mkdirSync(old.dataDir, { recursive: true });
  // As the first version left it: the registry with one server, no tables for keys, definitions or registered servers.
  const database = openDatabase(join(old.dataDir, 'registry.db'));
  new RegistryStore(database).saveOffer(
    { name: 's', endpoint: 'http://127.0.0.1:1/mcp', transport: 'http' },
    {
      server: 's',
      era: '2026',
      protocolVersion: '2026-07-28',
      serverInfo: null,
      capabilities: {},
      instructions: null,
      tools: [],
      resources: [],
      resourceTemplates: [],
      prompts: [],
    },
    [],
  );
  database.close();
  const audit = new DatabaseSync(join(old.dataDir, 'audit-0.db'));
  audit.exec(
    'CREATE TABLE chain (name TEXT NOT NULL); CREATE TABLE records (seq INTEGER PRIMARY KEY, hash TEXT NOT NULL, text TEXT NOT NULL, kind TEXT, phase TEXT, call_id TEXT, time TEXT, caller TEXT, session TEXT, server TEXT, tool TEXT, outcome TEXT);',
  );
  audit.exec("INSERT INTO chain VALUES ('local/0')");
  audit.close();
  const file = join(old.home, 'old.backup');
  await old.run('backup', 'create', file);

  const home = openCommandHome();
  expect((await home.run('backup', 'restore', file)).exitCode).toBe(0);
  const { key } = await home.json('keys', 'create', 'new');
  expect(key).toMatch(/^bk_/);
  const bindery = await startBindery(home);
  expect(
    (await bindery.api('POST', '/v1/servers', { name: 'n', endpoint: 'http://127.0.0.1:1/mcp', transport: 'http' }))
      .status,
  ).toBe(201);
  await bindery.stop();
  const restored = openDatabase(join(home.dataDir, 'registry.db'));
  expect([...new RegistryStore(restored).offers().keys()].sort()).toEqual(['s']);
  restored.close();
  expect((await home.json('audit', 'verify')).ok).toBe(true);
});

test('a backup holds the config, the policy and the sign-ins too, wherever the config is; one without them leaves those that are there', async () => {
  const home = openCommandHome();
  const files = { 'config.json': '{"version": 1} // mine\n', 'project_mcp.json': '{"allowlist":{"servers":[]}}' };
  await home.run('keys', 'create', 'k');
  const bare = join(home.home, 'bare.backup');
  await home.run('backup', 'create', bare);
  for (const [name, text] of Object.entries(files)) home.write(`.bindery/${name}`, text);
  const whole = join(home.home, 'whole.backup');
  await home.run('backup', 'create', whole);
  const now = () => Object.keys(files).map((name) => readFileSync(join(home.dataDir, name), 'utf8'));
  expect((await home.run('backup', 'restore', bare)).exitCode).toBe(0);
  expect(now()).toEqual(Object.values(files));
  for (const name of Object.keys(files)) home.write(`.bindery/${name}`, '{}');
  expect((await home.run('backup', 'restore', whole)).exitCode).toBe(0);
  expect(now()).toEqual(Object.values(files));
});
