import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type LogEntry, nextEntry } from '../../bind/change-log.ts';
import { toUri } from '../../bind/identity.ts';
import { BIND_LIMITS } from '../../bind/limits.ts';
import { readZone, readZoneText, zoneEtag } from '../../bind/read-zone.ts';
import { BinderyError } from '../../contract/errors.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';

const PENDING = 'pending-';
const SUFFIX = '.json';
/** More than any entry needs. */
const TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Does not block on a pipe. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export interface CommitDetails {
  readonly at: string;
  readonly by: string;
  /** Bytes of the replaced zone. */
  readonly replaced: Uint8Array | undefined;
}

/**
 * The change log of a folder of zones, and the only way to store a zone: the new file is prepared next to the log, the entry is appended,
 * then the file is moved into place. If that is interrupted, `recover` completes or undoes it.
 */
export class FolderLog {
  readonly dir: string;
  readonly #zonesDir: string;
  readonly #file: string;

  constructor(zonesDir: string) {
    this.#zonesDir = zonesDir;
    this.dir = join(zonesDir, 'meta');
    this.#file = join(this.dir, 'changes.jsonl');
  }

  /** Call it under the lock, before any write. */
  recover(): void {
    this.#dropTornEntry();
    const last = this.#lastEntry();
    for (const file of readdirSync(this.dir).filter((name) => name.startsWith(PENDING))) {
      const name = file.slice(PENDING.length, -SUFFIX.length);
      const path = join(this.dir, file);
      const tag = tagOf(name, this.#read(path, BIND_LIMITS.zoneFileBytesMax) ?? new Uint8Array());
      if (last?.identity === toUri(name) && last.zone === tag) this.#moveIntoPlace(name);
      else rmSync(path);
    }
  }

  /** Stores a zone and its entry. Call it under the lock. */
  commit(name: string, text: string, { at, by, replaced }: CommitDetails): LogEntry {
    const entry = nextEntry(this.#lastEntry(), {
      at,
      identity: toUri(name),
      by,
      zone: untagged(zoneEtag(readZoneText(name, text))),
      replaced: replaced ? tagOf(name, replaced) : null,
    });
    writeDurably(this.#pendingPath(name), text, 'w');
    writeDurably(this.#file, `${JSON.stringify(entry)}\n`, 'a');
    this.#moveIntoPlace(name);
    return entry;
  }

  entries(since: number, limit: number): readonly LogEntry[] {
    const text = this.#read(this.#file, BIND_LIMITS.changeLogBytesMax)?.toString('utf8') ?? '';
    // Text after the last line feed is an unfinished write.
    const lines = text.split('\n').slice(0, -1);
    return lines.slice(since, since + limit).map(parseEntry);
  }

  #read(path: string, bytesMax: number): Buffer | undefined {
    return readSuppliedFileSync({ path, within: this.#zonesDir, bytesMax });
  }

  #moveIntoPlace(name: string): void {
    renameSync(this.#pendingPath(name), join(this.#zonesDir, `${name}${SUFFIX}`));
    syncDirectory(this.#zonesDir);
  }

  #pendingPath(name: string): string {
    return join(this.dir, `${PENDING}${name}${SUFFIX}`);
  }

  #lastEntry(): LogEntry | undefined {
    const tail = this.#tail();
    const end = tail.lastIndexOf(NEWLINE);
    if (end < 0) return undefined;
    const start = tail.subarray(0, end).lastIndexOf(NEWLINE) + 1;
    return parseEntry(tail.subarray(start, end).toString('utf8'));
  }

  #tail(): Buffer {
    if (!existsSync(this.#file)) return Buffer.alloc(0);
    const handle = openSync(this.#file, READ_AT_ONCE);
    try {
      const { size } = fstatSync(handle);
      const length = Math.min(size, TAIL_BYTES);
      const bytes = Buffer.alloc(length);
      readSync(handle, bytes, 0, length, size - length);
      return bytes;
    } finally {
      closeSync(handle);
    }
  }

  #dropTornEntry(): void {
    const tail = this.#tail();
    const torn = tail.length - (tail.lastIndexOf(NEWLINE) + 1);
    if (torn === 0) return;
    const handle = openSync(this.#file, 'r+');
    try {
      ftruncateSync(handle, fstatSync(handle).size - torn);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }
}

function writeDurably(path: string, text: string, flag: 'w' | 'a'): void {
  const handle = openSync(path, flag);
  try {
    // Writes everything or throws: a full disk may accept only a part.
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function syncDirectory(dir: string): void {
  const handle = openSync(dir, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function parseEntry(line: string): LogEntry {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new BinderyError('ZONE_STORE_FAILED', { detail: 'the change log is damaged', cause });
  }
}

function tagOf(name: string, bytes: Uint8Array): string {
  return untagged(zoneEtag(readZone(name, bytes)));
}

function untagged(etag: string): string {
  return etag.slice(1, -1);
}
