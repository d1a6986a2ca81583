import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataBackup } from './data-backup.ts';

const clock = { now: () => Date.UTC(2026, 10, 16) };
const ASIDE = 'replaced-20261116T000000.000Z';
let dir: string;
let dataDir: string;
let backup: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'bindery-backup-'));
  dataDir = join(dir, 'data');
  backup = join(dir, 'safe.backup');
  mkdirSync(dataDir);
  new DatabaseSync(join(dataDir, 'registry.db')).close();
  writeKeys('before');
  await new DataBackup(dataDir, clock).create(backup);
  writeKeys('now');
});
afterEach(() => rmSync(dir, { recursive: true }));

function writeKeys(content: string): void {
  for (const name of ['admin.token', 'credentials.key', 'session.key']) writeFileSync(join(dataDir, name), content);
}

/** The files of the data directory, and what stands in those that are keys. */
function contents(): unknown {
  const entries = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile());
  const isKey = (name: string) => !name.includes('.db');
  const files = entries.map(({ name }) => [name, isKey(name) ? readFileSync(join(dataDir, name), 'utf8') : 'database']);
  return Object.fromEntries(files);
}

const leftInBackups = () => readdirSync(join(dataDir, 'backups'));
const refused = (detail: string) => ({ code: 'STORE_UNAVAILABLE', detail });

test('a restore whose registry has no place leaves everything as it was', async () => {
  const before = contents();
  const elsewhere = join(dir, 'file', 'registry.db');
  writeFileSync(join(dir, 'file'), '');
  await expect(new DataBackup(dataDir, clock, { registryFile: elsewhere }).restore(backup)).rejects.toMatchObject(
    refused('nothing was restored'),
  );
  expect([contents(), leftInBackups()]).toEqual([before, []]);
});

test('a restore that fails half way puts back what it had set aside, and names the folder where something is left', async () => {
  const before = contents();
  mkdirSync(join(dataDir, 'backups', ASIDE, 'session.key'), { recursive: true });
  await expect(new DataBackup(dataDir, clock).restore(backup)).rejects.toMatchObject(
    refused(`what could not be put back is in backups/${ASIDE}`),
  );
  expect([contents(), leftInBackups()]).toEqual([before, [ASIDE]]);
});

test('a registry elsewhere is restored there', async () => {
  const elsewhere = join(dir, 'new', 'registry.db');
  const restored = await new DataBackup(dataDir, clock, { registryFile: elsewhere }).restore(backup);
  expect([restored, readdirSync(join(dir, 'new')), readFileSync(join(dataDir, 'session.key'), 'utf8')]).toEqual([
    { files: 4, records: 0, set_aside: expect.stringContaining('replaced-') },
    ['registry.db'],
    'before',
  ]);
});
