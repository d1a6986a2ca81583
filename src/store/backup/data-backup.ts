import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BinderyError } from '../../contract/errors.ts';
import type { Clock } from '../../contract/ports.ts';
import { readAudit } from '../audit/audit-reader.ts';
import { holdEverySlot } from '../audit/slot-lock.ts';
import { moveFile, moveFiles } from './move-files.ts';

/** The databases and secrets of a data directory that a backup includes. */
const DATABASES = /^(registry|audit-\d+)\.db$/;
const SECRETS = /^(session\.key|admin\.token|audit\.key|credentials\.key)$/;
/** Files that a person wrote or that hold sign-ins, next to the config. */
const CONFIG = /^(config|project_mcp|trust|mcp-auth)\.json$/;
/** Hash keys for addresses of contributors. They are destroyed on time, which a copy would defeat. */
const LEFT_OUT = ['civic-salts.db', 'civic/pepper'];
const REGISTRY = 'registry.db';
const CHUNK_BYTES = 1024 * 1024;
const FORMAT = 1;
const SCHEMA = `
CREATE TABLE backup (format INTEGER NOT NULL, created_at TEXT NOT NULL);
CREATE TABLE files (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL);
CREATE TABLE chunks (name TEXT NOT NULL, part INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (name, part));
`;

/** Paths of parts that may be outside the data directory. */
export interface BackupPlaces {
  readonly registryFile?: string;
  /** `config.json`; policy and sign-ins are next to it. */
  readonly configFile?: string;
}

export interface CreatedBackup {
  readonly file: string;
  readonly files: number;
  readonly bytes: number;
  /** Files of the data directory that must not be copied. */
  readonly left_out: readonly string[];
}

export interface RestoredBackup {
  readonly files: number;
  readonly records: number;
  /** The folder with the files that were there before. */
  readonly set_aside: string;
}

/**
 * Config, policy, registry, audit log and keys in one file: a SQLite database, so that its contents can be listed and checked by digest
 * with common tools.
 */
export class DataBackup {
  readonly #dataDir: string;
  readonly #clock: Clock;
  /** Path of the registry; its name in the backup is fixed. */
  readonly #registryFile: string;
  readonly #configFile: string;

  constructor(dataDir: string, clock: Clock, places: BackupPlaces = {}) {
    const { registryFile = join(dataDir, REGISTRY), configFile = join(dataDir, 'config.json') } = places;
    this.#dataDir = dataDir;
    this.#configFile = configFile;
    this.#clock = clock;
    this.#registryFile = registryFile;
  }

  async create(file: string): Promise<CreatedBackup> {
    if (existsSync(file)) {
      throw new BinderyError('USAGE', { detail: `${file} exists`, next: 'Choose another name; nothing was written.' });
    }
    return this.#alone(() => {
      const staging = this.#stagingDir();
      const unfinished = `${file}.unfinished`;
      mkdirSync(dirname(file), { recursive: true });
      rmSync(unfinished, { force: true });
      try {
        const names = this.#names();
        writeBackup(
          unfinished,
          names.map((name) => ({ name, path: this.#snapshot(name, staging) })),
          this.#time(),
        );
        renameSync(unfinished, file);
        const left_out = LEFT_OUT.filter((name) => existsSync(join(this.#dataDir, name)));
        return { file, files: names.length, bytes: statSync(file).size, left_out };
      } finally {
        rmSync(staging, { recursive: true, force: true });
        rmSync(unfinished, { force: true });
      }
    });
  }

  /** Verifies everything first; then moves the current files aside and puts those of the backup in place. */
  async restore(file: string): Promise<RestoredBackup> {
    if (!existsSync(file))
      throw new BinderyError('BACKUP_NOT_FOUND', {
        detail: file,
        next: 'Name the file that `bindery backup create FILE` wrote.',
      });
    return this.#alone(() => {
      const staging = this.#stagingDir();
      try {
        const names = unpack(file, staging);
        const records = checkUnpacked(names, staging);
        const set_aside = this.#replace(names, staging);
        return { files: names.length, records, set_aside };
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    });
  }

  /** The folder with the old files. On failure they are moved back; if even that fails, the error says where they are. */
  #replace(names: readonly string[], staging: string): string {
    const aside = `replaced-${this.#time().replaceAll(/[-:]/g, '')}`;
    const asideDir = join(this.#dataDir, 'backups', aside);
    // The registry may be on another disk: copy the new one there before touching anything.
    const registry = `${this.#registryFile}.restored`;
    try {
      mkdirSync(asideDir, { recursive: true, mode: 0o700 });
      if (names.includes(REGISTRY)) moveFile({ from: join(staging, REGISTRY), to: registry });
      moveFiles([
        ...this.#present(names).map((name) => ({ from: this.#path(name), to: join(asideDir, name) })),
        ...names.map((name) => ({ from: name === REGISTRY ? registry : join(staging, name), to: this.#path(name) })),
      ]);
      return asideDir;
    } catch (cause) {
      if (existsSync(registry)) rmSync(registry);
      const isUndone = !existsSync(asideDir) || readdirSync(asideDir).length === 0;
      if (isUndone) rmSync(asideDir, { recursive: true, force: true });
      const detail = isUndone ? 'nothing was restored' : `what could not be put back is in backups/${aside}`;
      throw new BinderyError('STORE_UNAVAILABLE', { detail, cause });
    }
  }

  #alone<T>(work: () => T): T {
    const release = holdEverySlot(this.#dataDir);
    if (!release) throw new BinderyError('GATEWAY_RUNNING');
    try {
      return work();
    } finally {
      release();
    }
  }

  #names(): string[] {
    return this.#listed().filter(isKept);
  }

  /** The registry counts only at its configured path. */
  #listed(): string[] {
    const others = readdirSync(this.#dataDir).filter((name) => !name.startsWith(REGISTRY) && !CONFIG.test(name));
    const registry = ['', '-wal', '-shm'].map((end) => `${REGISTRY}${end}`);
    const named = [...registry, ...CONFIG_NAMES].filter((name) => existsSync(this.#path(name)));
    return [...named, ...others];
  }

  #path(name: string): string {
    if (name === 'config.json') return this.#configFile;
    if (CONFIG.test(name)) return join(dirname(this.#configFile), name);
    return name.startsWith(REGISTRY)
      ? `${this.#registryFile}${name.slice(REGISTRY.length)}`
      : join(this.#dataDir, name);
  }

  /** Includes SQLite's companion files: an old WAL must not be replayed into a new database. */
  #present(names: readonly string[]): string[] {
    // A backup without a config keeps the current one.
    const hasConfig = names.some((name) => CONFIG.test(name));
    return this.#listed().filter(
      (name) => isKept(name.replace(/-(wal|shm)$/, '')) && (hasConfig || !CONFIG.test(name)),
    );
  }

  #snapshot(name: string, staging: string): string {
    const path = this.#path(name);
    if (!DATABASES.test(name)) return path;
    const copy = join(staging, name);
    const database = new DatabaseSync(path);
    try {
      database.prepare('VACUUM INTO ?').run(copy);
    } finally {
      database.close();
    }
    return copy;
  }

  #stagingDir(): string {
    const staging = join(this.#dataDir, 'backups', `staging-${process.pid}`);
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { recursive: true, mode: 0o700 });
    return staging;
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

const CONFIG_NAMES = ['config.json', 'project_mcp.json', 'trust.json', 'mcp-auth.json'];

function isKept(name: string): boolean {
  return DATABASES.test(name) || SECRETS.test(name) || CONFIG.test(name);
}

function writeBackup(file: string, sources: readonly { name: string; path: string }[], time: string): void {
  const database = new DatabaseSync(file);
  chmodSync(file, 0o600);
  try {
    database.exec(`PRAGMA journal_mode=OFF; ${SCHEMA}`);
    database.exec('BEGIN');
    database.prepare('INSERT INTO backup VALUES (?, ?)').run(FORMAT, time);
    const insert = database.prepare('INSERT INTO chunks VALUES (?, ?, ?)');
    for (const { name, path } of sources) {
      const hash = createHash('sha256');
      let bytes = 0;
      eachChunk(path, (chunk, part) => {
        hash.update(chunk);
        bytes += chunk.length;
        insert.run(name, part, chunk);
      });
      database.prepare('INSERT INTO files VALUES (?, ?, ?)').run(name, bytes, hash.digest('hex'));
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function unpack(file: string, staging: string): string[] {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const { format } = database.prepare('SELECT format FROM backup').get() as { format: number };
    if (format > FORMAT) throw new Error(`format ${format}`);
    const files = database.prepare('SELECT name, sha256 FROM files').all() as { name: string; sha256: string }[];
    for (const { name, sha256 } of files) {
      if (!isKept(name)) throw new Error(`unexpected ${name}`);
      const hash = createHash('sha256');
      const out = openSync(join(staging, name), 'wx', 0o600);
      try {
        for (const row of database.prepare('SELECT content FROM chunks WHERE name = ? ORDER BY part').iterate(name)) {
          const content = row.content as Uint8Array;
          hash.update(content);
          writeFileSync(out, content);
        }
      } finally {
        closeSync(out);
      }
      if (hash.digest('hex') !== sha256) throw new Error(`digest of ${name}`);
    }
    return files.map(({ name }) => name);
  } catch (cause) {
    throw new BinderyError('BACKUP_INVALID', { cause });
  } finally {
    database?.close();
  }
}

/** Checks every database and verifies the audit log; returns its number of records. */
function checkUnpacked(names: readonly string[], staging: string): number {
  for (const name of names.filter((item) => DATABASES.test(item))) {
    const database = new DatabaseSync(join(staging, name));
    try {
      const { integrity_check } = database.prepare('PRAGMA integrity_check').get() as { integrity_check: string };
      if (integrity_check !== 'ok') throw new BinderyError('BACKUP_INVALID', { detail: name });
    } finally {
      database.close();
    }
  }
  const { ok, records } = readAudit(staging, (reader) => reader.verify());
  if (!ok) throw new BinderyError('BACKUP_INVALID', { detail: 'its audit log does not verify' });
  return records;
}

function eachChunk(path: string, take: (chunk: Uint8Array, part: number) => void): void {
  const file = openSync(path, 'r');
  try {
    for (let part = 0; ; part += 1) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const length = readSync(file, chunk, 0, CHUNK_BYTES, null);
      if (length === 0) return;
      take(chunk.subarray(0, length), part);
    }
  } finally {
    closeSync(file);
  }
}
