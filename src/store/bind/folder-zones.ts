import { existsSync, type FSWatcher, mkdirSync, readdirSync, statSync, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEntry } from '../../bind/change-log.ts';
import { isName } from '../../bind/identity.ts';
import { BIND_LIMITS } from '../../bind/limits.ts';
import { readZone } from '../../bind/read-zone.ts';
import type { DecidedWrite, ZoneWriter } from '../../bind/write-zone.ts';
import type { Zone } from '../../bind/zone.ts';
import { ZoneTable } from '../../bind/zone-table.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { FailureReport } from '../../contract/failure-report.ts';
import type { Log } from '../../contract/ports.ts';
import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';
import { lateLibrary } from '../../libraries/late-library.ts';
import { FolderLog } from './folder-log.ts';
import { zonesReport } from './zones-report.ts';

const lockfile = lateLibrary<typeof import('proper-lockfile')>('proper-lockfile');

const SUFFIX = '.json';
/** Debounces the events of one save. */
const SETTLE_MS = 15;
const SWEEP_PERIOD_MIN_MS = 500;
/** Share of time that sweeps may take, however many zones there are. */
const SWEEP_SHARE = 1 / 40;
const SWEEP_CHUNK = 64;
const LOCK_STALE_MS = 5000;
const LOCK_RETRIES = { retries: 100, minTimeout: 10, maxTimeout: 100 };

/** A folder of zone files, `<name>.json` each: read as a whole, then followed. */
export class FolderZones implements ZoneWriter {
  readonly table = new ZoneTable();
  readonly #dir: string;
  readonly #log: Log;
  readonly #report: FailureReport;
  readonly #changes: FolderLog;
  /** Change time of each zone's file, from the file system. */
  readonly #changedAt = new Map<string, number>();
  readonly #pending = new Set<string>();
  #watcher: FSWatcher | undefined;
  #settleTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #folderId: string | undefined;
  #writes: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(dir: string, log: Log) {
    if (!existsSync(dir) || !statSync(dir).isDirectory()) {
      throw new BinderyError('ZONE_STORE_FAILED', { detail: 'the folder of zones does not exist' });
    }
    this.#dir = dir;
    this.#folderId = folderId(dir);
    this.#log = log;
    this.#report = zonesReport(log);
    this.#changes = new FolderLog(dir);
    for (const file of this.#listed(readdirSync(dir))) this.#refresh(file);
  }

  /** Follows changes: events report them at once, and sweeps find the rest. */
  follow(): void {
    const withoutEvents = (error: unknown) =>
      this.#log.warn('zones are polled: the file system reports no changes', { error });
    try {
      this.#watcher = watch(this.#dir, (_event, file) => {
        if (file === null) this.#scheduleSweep(0);
        else if (nameOf(file) !== undefined) this.#settle(file);
      });
      this.#watcher.on('error', withoutEvents);
    } catch (error) {
      // The system may be out of watches.
      withoutEvents(error);
    }
    this.#scheduleSweep(SWEEP_PERIOD_MIN_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    clearTimeout(this.#settleTimer);
    clearTimeout(this.#sweepTimer);
    await this.#writes;
  }

  update(name: string, at: string, decide: (current: Zone | undefined) => DecidedWrite): Promise<LogEntry> {
    // One write at a time in this process; the lock is for other processes.
    const write = this.#writes.then(() => this.#locked(() => this.#write(name, at, decide)));
    this.#writes = write.catch(() => {});
    return write;
  }

  entries(since: number, limit: number): readonly LogEntry[] {
    return this.#changes.entries(since, limit);
  }

  #write(name: string, at: string, decide: (current: Zone | undefined) => DecidedWrite): LogEntry {
    this.#changes.recover();
    const file = `${name}${SUFFIX}`;
    const bytes = readBytes(this.#dir, file);
    const { text, by } = decide(bytes && readZone(name, bytes));
    const entry = this.#changes.commit(name, text, { at, by, replaced: bytes });
    this.#refresh(file);
    return entry;
  }

  async #locked<T>(run: () => T): Promise<T> {
    let release: (() => Promise<void>) | undefined;
    try {
      mkdirSync(this.#changes.dir, { recursive: true });
      release = await lockfile().lock(this.#changes.dir, {
        stale: LOCK_STALE_MS,
        retries: LOCK_RETRIES,
        onCompromised: (error) => this.#log.error('another process took the lock of the zones', { error }),
      });
      return run();
    } catch (thrown) {
      if (thrown instanceof BinderyError) throw thrown;
      throw new BinderyError('ZONE_STORE_FAILED', { cause: thrown });
    } finally {
      await release?.().catch(() => {
        // A lock that another process took over is not ours to release.
      });
    }
  }

  #listed(files: readonly string[]): string[] {
    return files.filter((file) => nameOf(file) !== undefined);
  }

  /** Reloads a file. One that exists but is unreadable is an unusable zone, not a missing one. */
  #refresh(file: string): void {
    const name = nameOf(file) as string;
    const path = join(this.#dir, file);
    const changedAt = changeTime(path);
    const bytes = readBytes(this.#dir, file);
    if (bytes === undefined) {
      if (this.#isGone()) {
        this.#markStale();
        return;
      }
      this.#changedAt.delete(file);
      this.table.delete(name);
      return;
    }
    this.#changedAt.set(file, changedAt);
    this.table.set(name, bytes);
  }

  /** A folder that is missing, or empty and not the same folder as before (an unmounted volume), proves nothing about its zones. */
  #isGone(): boolean {
    const found = folderId(this.#dir);
    if (found === undefined) return true;
    if (found === this.#folderId) return false;
    if (this.#listed(readdirSync(this.#dir)).length === 0) return true;
    this.#folderId = found;
    return false;
  }

  #markStale(): void {
    this.table.staleSinceMs ??= Date.now();
  }

  #settle(file: string): void {
    this.#pending.add(file);
    this.#settleTimer ??= setTimeout(() => {
      this.#settleTimer = undefined;
      const files = [...this.#pending];
      this.#pending.clear();
      for (const changed of files) this.#refresh(changed);
    }, SETTLE_MS);
  }

  #scheduleSweep(afterMs: number): void {
    clearTimeout(this.#sweepTimer);
    this.#sweepTimer = setTimeout(async () => {
      const startedAt = performance.now();
      await this.#sweep().then(
        () => {
          if (!this.#isGone()) this.table.staleSinceMs = undefined;
          this.#report.succeeded();
        },
        (error) => {
          this.#markStale();
          this.#report.failed(error);
        },
      );
      const tookMs = performance.now() - startedAt;
      if (!this.#isClosed) this.#scheduleSweep(Math.max(SWEEP_PERIOD_MIN_MS, tookMs / SWEEP_SHARE));
    }, afterMs);
    this.#sweepTimer.unref();
  }

  async #sweep(): Promise<void> {
    const files = this.#listed(await readdir(this.#dir));
    for (let index = 0; index < files.length && !this.#isClosed; index += SWEEP_CHUNK) {
      const chunk = files.slice(index, index + SWEEP_CHUNK);
      const stats = await Promise.all(chunk.map((file) => stat(join(this.#dir, file)).catch(() => undefined)));
      if (this.#isClosed) return;
      chunk.forEach((file, position) => {
        if (stats[position]?.ctimeMs !== this.#changedAt.get(file)) this.#refresh(file);
      });
    }
    const present = new Set(files);
    for (const file of this.#changedAt.keys()) {
      if (!present.has(file) && !this.#isClosed) this.#refresh(file);
    }
  }
}

/** The zone name of a file; undefined if the file is no zone. */
function nameOf(file: string): string | undefined {
  const name = file.endsWith(SUFFIX) ? file.slice(0, -SUFFIX.length) : '';
  return isName(name) ? name : undefined;
}

/** Identifies the folder at a path; undefined if there is none. */
function folderId(dir: string): string | undefined {
  const stats = statSync(dir, { throwIfNoEntry: false });
  return stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
}

/** When a file last changed; NaN if unknown, which no sweep treats as unchanged. */
function changeTime(path: string): number {
  try {
    return statSync(path).ctimeMs;
  } catch {
    return Number.NaN;
  }
}

/** Undefined if there is no file; empty, which is no valid zone, if it cannot be read. */
function readBytes(dir: string, file: string): Uint8Array | undefined {
  try {
    return readSuppliedFileSync({ path: join(dir, file), within: dir, bytesMax: BIND_LIMITS.zoneFileBytesMax });
  } catch (thrown) {
    if (refusalReason(thrown) === undefined) throw thrown;
    return new Uint8Array();
  }
}
