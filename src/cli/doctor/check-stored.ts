import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { TrustStore } from '../../host/trust/trust-store.ts';
import { credentialKeys, privateKey } from '../../runtime/config/private-file.ts';
import { asDatabase } from '../../store/open-database.ts';
import { type SetUp, trouble } from './finding.ts';

/** Databases up to this size are checked completely; larger ones only by opening them. */
const CHECKED_BYTES_MAX = 64_000_000;
const DATABASES_MAX = 64;

/** Checks the files that `bindery up` opens: it refuses to start if it cannot read one. Read-only. */
export async function checkStored(setUp: SetUp, registryFile: string): Promise<Diagnosis[]> {
  const { dataDir, configDir, cwd } = setUp;
  const trust = new TrustStore(join(configDir, 'trust.json'), cwd, { now: Date.now });
  return [
    ...databaseFiles(dataDir, registryFile).flatMap((file) => checkDatabase(file, setUp.running !== undefined)),
    ...checkKey(
      join(dataDir, 'session.key'),
      privateKey,
      'Put back the file of a backup, or delete it: `bindery up` makes a new one, and clients sign in again.',
    ),
    ...checkKey(
      join(dataDir, 'credentials.key'),
      () => credentialKeys(dataDir),
      'Put back the file of a backup: it opens the credentials of users in the database.',
    ),
    ...(await trust.list().then(
      () => [],
      ({ detail, message, next }) => [trouble('error', 'data', detail ?? message, next)],
    )),
  ];
}

/** Expired API keys: clients that send one are refused. */
export function checkKeys(registryFile: string): Diagnosis[] {
  if (!existsSync(registryFile)) return [];
  const now = new Date().toISOString();
  const ended = readOnly(registryFile, (database) => {
    const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'api_keys'").get();
    const sql = 'SELECT id, name, expires_at FROM api_keys WHERE revoked_at IS NULL AND expires_at <= ? ORDER BY id';
    return isThere ? (database.prepare(sql).all(now) as { id: string; name: string; expires_at: string }[]) : [];
  });
  return ended.map(({ id, name, expires_at }) =>
    trouble(
      'warning',
      'keys',
      `the API key ${name} has expired (${expires_at.slice(0, 10)})`,
      `Make a new one: \`bindery keys create ${name}\`. Then \`bindery keys revoke ${id}\` takes this one off the list.`,
    ),
  );
}

function databaseFiles(dataDir: string, registryFile: string): string[] {
  const own = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(dataDir).filter((name) => name.endsWith('.db'))
    : [];
  const files = own.slice(0, DATABASES_MAX).map((name) => join(dataDir, name));
  return [...new Set([...files, ...(existsSync(registryFile) ? [registryFile] : [])])];
}

/** A database in use by a running gateway gets only a light check. */
function checkDatabase(file: string, isInUse: boolean): Diagnosis[] {
  try {
    const damage = damageOf(file, isInUse);
    if (damage === undefined) return [];
    return [trouble('error', 'data', `"${file}" is damaged: ${damage}`, DATABASE_REMEDY)];
  } catch (thrown) {
    const { detail, message } = thrown as { readonly detail?: string; readonly message: string };
    return [trouble('error', 'data', detail ?? `"${file}": ${message}`, DATABASE_REMEDY)];
  }
}

const DATABASE_REMEDY =
  'Put it back with `bindery backup restore FILE`, or move it away: `bindery up` makes a new one.';

function damageOf(file: string, isInUse: boolean): string | undefined {
  return readOnly(file, (database) => {
    const isSmall = !isInUse && statSync(file).size <= CHECKED_BYTES_MAX;
    const row = database.prepare(isSmall ? 'PRAGMA quick_check(1)' : 'SELECT count(*) FROM sqlite_schema').get();
    const [answer] = Object.values(row ?? {});
    return isSmall && answer !== 'ok' ? String(answer).replaceAll('\n', ' ') : undefined;
  });
}

function readOnly<T>(file: string, read: (database: DatabaseSync) => T): T {
  const address = pathToFileURL(file);
  // Without a write-ahead log there is no writer, and `immutable` keeps SQLite from creating files.
  if (!existsSync(`${file}-wal`)) address.search = 'immutable=1';
  return asDatabase(file, () => {
    const database = new DatabaseSync(address, { readOnly: true });
    try {
      return read(database);
    } finally {
      database.close();
    }
  });
}

function checkKey(file: string, read: (file: string) => unknown, remedy: string): Diagnosis[] {
  if (!existsSync(file)) return [];
  try {
    read(file);
    return [];
  } catch (thrown) {
    const { detail, message } = thrown as { readonly detail?: string; readonly message: string };
    return [trouble('error', 'data', detail ?? `${file}: ${message}`, remedy)];
  }
}
