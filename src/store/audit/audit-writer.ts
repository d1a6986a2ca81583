import { closeSync, fdatasyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { FailureReport } from '../../contract/failure-report.ts';
import type { Clock, Log, Random } from '../../contract/ports.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { ChainHead } from '../../gateway/audit/chain.ts';
import { asDatabase } from '../open-database.ts';
import { uuidV7 } from '../uuid-v7.ts';
import { AuditFile, type RawArguments, type Stamp } from './audit-file.ts';
import { AuditThread, THREAD_MODULE, type ThreadJob } from './audit-thread.ts';
import { HeadNotes } from './head-notes.ts';
import { KeptFile } from './kept-file.ts';
import { type Slot, takeSlot } from './slot-lock.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';

export interface AuditWriterOptions {
  readonly dataDir: string;
  /** First part of the chain's name. */
  readonly node: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears of what is amiss and stops nothing; a command that writes a record and ends needs none. */
  readonly log?: Log;
  /** The database in which it is noted where the chain ends; without it, that is noted nowhere. */
  readonly registryFile?: string;
  /** What runs in the writer thread; the file's own one, but for tests of its death. */
  readonly threadModule?: URL;
  /** The same of the thread that empties the write-ahead log. */
  readonly emptierModule?: URL;
}

/** What was appended together: all of it becomes durable, or nothing. */
interface Batch extends PromiseWithResolvers<void> {
  readonly entries: AuditEntry[];
  readonly raw: RawArguments[];
}

/**
 * Appends to one chain. What was appended in one turn of the event loop is one transaction. Commits that survive a loss of
 * power are made by a thread, which takes together whatever came while the disk was busy.
 */
export class AuditWriter {
  readonly chain: string;
  readonly file: string;
  readonly #slot: Slot;
  readonly #options: AuditWriterOptions;
  /** Not used while a thread writes, and there again when it has ended. */
  readonly #file: AuditFile;
  readonly #report: FailureReport | undefined;
  readonly #kept: KeptFile;
  readonly #checkpointer: WalCheckpointer;
  readonly #notes: HeadNotes | undefined;
  #noting: Promise<void> | undefined;
  #thread: AuditThread | undefined;
  #fsync = false;
  /** The end of a thread that is no longer wanted. */
  #leaving: Promise<void> | undefined;
  #committing: Promise<void> | undefined;
  /** Calls whose beginning was given to a thread that died with it. */
  readonly #doubtful: string[] = [];
  #head: ChainHead;
  /** What waits for the next commit. */
  #waiting = emptyBatch();
  #closed = false;
  #isWritable = true;

  private constructor(slot: Slot, options: AuditWriterOptions) {
    this.#slot = slot;
    this.#options = options;
    this.#report =
      options.log &&
      new FailureReport(options.log, {
        failing: 'the audit log cannot be written, and no call is sent',
        again: 'the audit log is written again',
      });
    this.file = join(options.dataDir, `audit-${slot.slot}.db`);
    const chain = `${options.node}/${slot.slot}`;
    this.#file = asDatabase(this.file, () => new AuditFile({ file: this.file, chain, fsync: false }));
    this.#file.setEmptiesWal(false);
    this.#kept = new KeptFile(this.file);
    this.#checkpointer = new WalCheckpointer(
      this.file,
      {
        onFree: () => this.flush(),
        onBroken: (error) => {
          options.log?.warn('the audit log puts its records into place between calls from now on', { error });
          this.#file.setEmptiesWal(true);
          this.flush();
        },
      },
      options.emptierModule,
    );
    this.chain = this.#file.chain;
    const { registryFile, clock, log } = options;
    const holds = (head: ChainHead) => this.#file.holds(head);
    this.#notes =
      registryFile === undefined ? undefined : new HeadNotes({ chain: this.chain, holds, registryFile, clock, log });
    this.#file.endInterrupted(this.#time());
    this.#head = this.#file.head;
  }

  /** Takes a slot, or the one that is given, opens its chain, and ends the calls that a crash interrupted. */
  static open(options: AuditWriterOptions, slot: Slot = takeSlot(options.dataDir)): AuditWriter {
    try {
      return new AuditWriter(slot, options);
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** Whether the last commit succeeded, and the writer can make the next. */
  get isWritable(): boolean {
    return this.#isWritable && this.#thread?.isDead !== true;
  }

  /** Whether it can be written now: after a failure it is tried, and the chain says so. */
  async isReady(): Promise<boolean> {
    if (!this.isWritable) await this.append(this.#system({ action: 'resume' })).catch(() => undefined);
    return this.isWritable;
  }

  get head(): ChainHead {
    return this.#head;
  }

  /** Resolves when the entry is durable. Rejects with `STORE_UNAVAILABLE`, and then nothing may leave. */
  append(entry: AuditEntry): Promise<void> {
    if (this.#closed) return Promise.reject(new BinderyError('STORE_UNAVAILABLE'));
    const { entries, promise } = this.#waiting;
    if (entries.length === 0) setImmediate(() => this.flush());
    entries.push(entry);
    return promise;
  }

  /**
   * Switches between commits that survive a crash of the process, made here, and commits that survive a loss of power, made by
   * a thread. The chain goes on: what was given to the one is written before the other begins.
   */
  setFsync(fsync: boolean): void {
    this.#fsync = fsync;
    if (fsync && !this.#thread) this.#thread = this.#newThread();
    if (!fsync && this.#thread) this.#leaving ??= this.#leave(this.#thread);
  }

  /** Keeps the raw arguments of a call; committed together with the entry that is appended next. */
  keepRaw(raw: RawArguments): void {
    this.#waiting.raw.push(raw);
  }

  /** Commits what waits, or lets the thread do so. */
  flush(): void {
    if (this.#waiting.entries.length === 0 || this.#leaving) return;
    if (!this.#kept.isKept()) {
      this.#refuse(this.#take(), new Error(`"${this.file}" was removed or replaced`));
      return;
    }
    if (this.#thread) {
      this.#committing ??= this.#commitInThread().finally(() => {
        this.#committing = undefined;
      });
      return;
    }
    if (this.#checkpointer.isHolding) return;
    const batch = this.#take();
    let length: number;
    try {
      length = this.#file.append(batch.entries, batch.raw);
    } catch (cause) {
      this.#refuse(batch, cause);
      return;
    }
    this.#acknowledge(batch, this.#file.head);
    this.#checkpointer.wrote(length);
  }

  /** Deletes records older than a time, and in the same transaction says so in the chain. */
  prune(before: string): Promise<number> {
    const stamp = this.#stamp();
    return this.#change({ do: 'prune', before, stamp }, () => this.#file.prune(before, stamp));
  }

  /** Deletes the oldest records until the others fill at most so many bytes; the file itself does not shrink. */
  pruneToBytes(bytesMax: number): Promise<number> {
    const stamp = this.#stamp();
    return this.#change({ do: 'prune-to-bytes', bytesMax, stamp }, () => this.#file.pruneToBytes(bytesMax, stamp));
  }

  /** What the records fill; the file may be larger. */
  usedBytes(): number {
    return this.#file.usedBytes();
  }

  /** Ties other chains to this one: what they were cannot be cut unnoticed. */
  anchor(heads: ReadonlyMap<string, ChainHead>): Promise<void> {
    const anchors = Object.fromEntries([...heads].map(([chain, { seq, hash }]) => [chain, { seq, hash }]));
    return this.append(this.#system({ action: 'anchor', anchors }));
  }

  /**
   * Notes where the chain ends, once that is on the disk: a note that outlived its record in a loss of power would say that somebody
   * removed the record.
   */
  noteHead(): Promise<void> {
    this.#noting ??= this.#noteHead().finally(() => {
      this.#noting = undefined;
    });
    return this.#noting;
  }

  /** Writes what waits and gives up the slot; at once where no thread runs. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#thread) {
      this.flush();
      await this.#committing;
      this.setFsync(false);
      await this.#leaving;
    }
    const emptierEnded = this.#checkpointer.end();
    if (emptierEnded) await emptierEnded;
    this.flush();
    if (this.#notes) this.#noteLast(this.#notes);
    this.#file.close();
    this.#slot.release();
  }

  async #noteHead(): Promise<void> {
    const head = this.#head;
    if (!this.#notes || this.#notes.isNoted(head)) return;
    const isSynced = await syncWal(this.file);
    if (isSynced && !this.#closed) this.#notes.note(head);
  }

  #noteLast(notes: HeadNotes): void {
    if (syncWalNow(this.file)) notes.note(this.#head, true);
    notes.close();
  }

  /** One batch at a time: what comes while the disk is busy is the next one. */
  async #commitInThread(): Promise<void> {
    while (this.#thread && !this.#leaving && this.#waiting.entries.length > 0) {
      const batch = this.#take();
      const { entries, raw } = batch;
      try {
        const { head } = await this.#living().run({ do: 'append', entries, raw });
        this.#acknowledge(batch, head);
      } catch (cause) {
        // A thread that died may have written them: who only began was never sent, and is ended by the next thread.
        if (this.#thread.isDead)
          this.#doubtful.push(...entries.flatMap(({ phase, call_id }) => (phase === 'begin' ? call_id : [])));
        this.#refuse(batch, cause);
      }
    }
  }

  /** Changes the file where it is written now, after what was appended before. */
  async #change(job: ThreadJob, here: () => number): Promise<number> {
    if (this.#leaving) await this.#leaving;
    this.flush();
    if (this.#thread) {
      const { head, count } = await this.#living().run(job);
      this.#head = head;
      return count;
    }
    const count = here();
    this.#head = this.#file.head;
    return count;
  }

  /** The thread, or a new one in the place of one that died. */
  #living(): AuditThread {
    if (this.#thread && !this.#thread.isDead) return this.#thread;
    const thread = this.#newThread();
    this.#thread = thread;
    const only = this.#doubtful.splice(0);
    thread.run({ do: 'end-interrupted', time: this.#time(), only }).catch(() => this.#doubtful.push(...only));
    return thread;
  }

  #newThread(): AuditThread {
    return new AuditThread({ file: this.file, chain: this.chain }, this.#options.threadModule ?? THREAD_MODULE);
  }

  /** Waits until the thread has written what it was given, and writes here from then on. */
  async #leave(thread: AuditThread): Promise<void> {
    await thread.close();
    try {
      this.#file.readEnd();
      this.#file.endInterrupted(this.#time(), this.#doubtful.splice(0));
      this.#head = this.#file.head;
    } catch (cause) {
      this.#refuse(undefined, cause);
    }
    this.#thread = undefined;
    this.#leaving = undefined;
    if (this.#fsync) this.setFsync(true);
    this.flush();
  }

  #take(): Batch {
    const batch = this.#waiting;
    this.#waiting = emptyBatch();
    return batch;
  }

  #acknowledge(batch: Batch, head: ChainHead): void {
    this.#head = head;
    this.#isWritable = true;
    this.#report?.succeeded();
    batch.resolve();
  }

  #refuse(batch: Batch | undefined, cause: unknown): void {
    this.#isWritable = false;
    this.#report?.failed(cause);
    batch?.reject(new BinderyError('STORE_UNAVAILABLE', { cause }));
  }

  #system(members: Pick<AuditEntry, 'action' | 'anchors'>): AuditEntry {
    return { kind: 'system', phase: 'single', ...this.#stamp(), ...members };
  }

  #stamp(): Stamp {
    const now = this.#options.clock.now();
    return { call_id: uuidV7(now, this.#options.random), time: new Date(now).toISOString() };
  }

  #time(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

/** Waits until what stands in the write-ahead log is on the disk, beside the event loop. False where that failed: there is a next time. */
async function syncWal(file: string): Promise<boolean> {
  try {
    const log = await open(`${file}-wal`, 'r+');
    await log.datasync().finally(() => log.close());
    return true;
  } catch (error) {
    return isAbsent(error);
  }
}

function syncWalNow(file: string): boolean {
  try {
    const log = openSync(`${file}-wal`, 'r+');
    try {
      fdatasyncSync(log);
    } finally {
      closeSync(log);
    }
    return true;
  } catch (error) {
    return isAbsent(error);
  }
}

/** Without a log everything is in its place, on the disk. */
function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function emptyBatch(): Batch {
  return { entries: [], raw: [], ...Promise.withResolvers<void>() };
}
