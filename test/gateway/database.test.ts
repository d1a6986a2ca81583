import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { startBindery } from '../support/running-bindery.ts';

const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

test('--db names the file of the registry for a gateway and for every command that opens it', async () => {
  const home = openCommandHome();
  const file = join(home.home, 'elsewhere', 'shared.sqlite');
  const { id } = await home.json('keys', 'create', 'ours', '--db', file);
  expect([existsSync(join(home.dataDir, 'registry.db')), idsOf(await home.json('keys', 'list', '--db', file))]).toEqual(
    [false, [id]],
  );
  const bindery = await startBindery(home, '--db', file);
  try {
    const body = { name: 'far', endpoint: 'https://tools.example/mcp', transport: 'http' };
    expect((await bindery.api('POST', '/v1/servers', body)).status).toBe(201);
    // A command that is told of no file opens that of the gateway that runs.
    expect(idsOf(await home.json('keys', 'list'))).toEqual([id]);
    expect((await home.run('approvals', 'list', '--db', file)).exitCode).toBe(0);
  } finally {
    await bindery.stop();
  }
  expect([idsOf(await home.json('keys', 'list')), registered(file)]).toEqual([[], ['far']]);
});

test('a backup takes the registry from the file that --db names, and puts it back there', async () => {
  const home = openCommandHome();
  const file = join(home.home, 'elsewhere', 'registry-of-ours');
  const { id } = await home.json('keys', 'create', 'kept', '--db', file);
  const backup = join(home.home, 'all.backup');
  expect((await home.run('backup', 'create', backup, '--db', file)).exitCode).toBe(0);
  await home.run('keys', 'create', 'later', '--db', file);
  expect((await home.run('backup', 'restore', backup, '--db', file)).exitCode).toBe(0);
  expect([idsOf(await home.json('keys', 'list', '--db', file)), existsSync(join(home.dataDir, 'registry.db'))]).toEqual(
    [[id], false],
  );
});

test('a file that is no database, a folder and another kind of database are refused with a code [gateway:G3]', async () => {
  const home = openCommandHome();
  const text = home.write('notes.txt', 'not a database, '.repeat(100));
  const folder = join(home.home, 'folder');
  mkdirSync(folder);
  const codeOf = async (...argv: string[]) => {
    const { stdout, stderr, exitCode } = await home.run(...argv);
    return [exitCode, /\(([A-Z_]+)\)/.exec(stderr)?.[1] ?? JSON.parse(stdout).code];
  };
  expect([
    await codeOf('up', '--port', '0', '--db', text),
    await codeOf('up', '--port', '0', '--db', folder),
    await codeOf('up', '--port', '0', '--db', join(text, 'below-a-file')),
    await codeOf('keys', 'list', '--db', text),
    await codeOf('approvals', 'list', '--json', '--db', text),
    await codeOf('up', '--port', '0', '--db', ''),
    await codeOf('up', '--port', '0', '--db', 'mysql://root:secret@db.example/x'),
  ]).toEqual([
    [1, 'DATABASE_UNUSABLE'],
    [1, 'DATABASE_UNUSABLE'],
    [1, 'DATABASE_UNUSABLE'],
    [1, 'DATABASE_UNUSABLE'],
    [1, 'DATABASE_UNUSABLE'],
    [1, 'USAGE'],
    [1, 'DATABASE_UNSUPPORTED'],
  ]);
  expect(readFileSync(text, 'utf8')).toContain('not a database');
});

test('a database of a newer version is refused with a code', async () => {
  const home = openCommandHome();
  const file = join(home.home, 'newer.db');
  await home.run('keys', 'list', '--db', file);
  const database = new DatabaseSync(file);
  database.prepare("INSERT INTO migrations(part, step) VALUES ('keys', 99)").run();
  database.close();
  expect((await home.json('keys', 'list', '--db', file)).code).toBe('DATABASE_UNUSABLE');
});

function registered(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare('SELECT name FROM registered_servers')
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
}
