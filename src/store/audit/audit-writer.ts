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
  /** Receives warnings. A command that writes one record and ends needs none. */
  readonly log?: Log;
  /** The database that records the chain's head; without it, no head is recorded. */
  readonly registryFile?: string;
  /** Module of the writer thread; only tests replace it. */
  readonly threadModule?: URL;
  /** Module of the checkpoint thread; only tests replace it. */
  readonly checkpointerModule?: URL;
}

/** Entries of one transaction. */
interface Batch extends PromiseWithResolvers<void> {
  readonly entries: AuditEntry[];
  readonly raw: RawArguments[];
}

/**
 * Appends to one chain. Entries of one turn of the event loop share a transaction. Commits that must survive a power loss are made by a
 * thread, which batches entries that arrive during an fsync.
 */
export class AuditWriter {
  readonly chain: string;
  readonly file: string;
  readonly #slot: Slot;
  readonly #options: AuditWriterOptions;
  /** Idle while a thread writes; used again once the thread has ended. */
  readonly #file: AuditFile;
  readonly #report: FailureReport | undefined;
  readonly #kept: KeptFile;
  readonly #checkpointer: WalCheckpointer;
  readonly #notes: HeadNotes | undefined;
  #noting: Promise<void> | undefined;
  #thread: AuditThread | undefined;
  #fsync = false;
  /** Settles when the thread that is being closed has ended. */
  #leaving: Promise<void> | undefined;
  #committing: Promise<void> | undefined;
  /** Calls whose begin record was sent to a thread that died: it may or may not be on the disk. */
  readonly #doubtful: string[] = [];
  #head: ChainHead;
  /** Entries for the next commit. */
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
    this.#file.setAutoCheckpoint(false);
    this.#kept = new KeptFile(this.file);
    this.#checkpointer = new WalCheckpointer(
      this.file,
      {
        onFree: () => this.flush(),
        onBroken: (error) => {
          options.log?.warn('the checkpoint thread of the audit log ended; the writer checkpoints from now on', {
            error,
          });
          this.#file.setAutoCheckpoint(true);
          this.flush();
        },
      },
      options.checkpointerModule,
    );
    this.chain = this.#file.chain;
    const { registryFile, clock, log } = options;
    const holds = (head: ChainHead) => this.#file.holds(head);
    this.#notes =
      registryFile === undefined ? undefined : new HeadNotes({ chain: this.chain, holds, registryFile, clock, log });
    this.#file.endInterrupted(this.#time());
    this.#head = this.#file.head;
  }

  /** Takes a slot unless one is given, opens its chain, and writes end records for calls that a crash interrupted. */
  static open(options: AuditWriterOptions, slot: Slot = takeSlot(options.dataDir)): AuditWriter {
    try {
      return new AuditWriter(slot, options);
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** Whether the last commit succeeded and the thread, if any, is alive. */
  get isWritable(): boolean {
    return this.#isWritable && this.#thread?.isDead !== true;
  }

  /** Whether the log can be written now. After a failure it tries to append a `resume` record. */
  async isReady(): Promise<boolean> {
    if (!this.isWritable) await this.append(this.#system({ action: 'resume' })).catch(() => undefined);
    return this.isWritable;
  }

  get head(): ChainHead {
    return this.#head;
  }

  /** Resolves when the entry is durable. If it rejects with `STORE_UNAVAILABLE`, the caller must send nothing. */
  append(entry: AuditEntry): Promise<void> {
    if (this.#closed) return Promise.reject(new BinderyError('STORE_UNAVAILABLE'));
    const { entries, promise } = this.#waiting;
    if (entries.length === 0) setImmediate(() => this.flush());
    entries.push(entry);
    return promise;
  }

  /**
   * Without fsync, commits survive a crash of the process and are made here. With fsync, they survive a power loss and are made by a
   * thread. On a switch the old writer finishes before the new one starts.
   */
  setFsync(fsync: boolean): void {
    this.#fsync = fsync;
    if (fsync && !this.#thread) this.#thread = this.#newThread();
    if (!fsync && this.#thread) this.#leaving ??= this.#leave(this.#thread);
  }

  /** Stores the raw arguments of a call in the same commit as the entry that is appended next. */
  keepRaw(raw: RawArguments): void {
    this.#waiting.raw.push(raw);
  }

  /** Commits pending entries, here or in the thread. */
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

  /** Deletes records older than `before` and writes a checkpoint record in the same transaction. */
  prune(before: string): Promise<number> {
    const stamp = this.#stamp();
    return this.#change({ do: 'prune', before, stamp }, () => this.#file.prune(before, stamp));
  }

  /** Deletes the oldest records until the rest fits into `bytesMax`. The file itself does not shrink. */
  pruneToBytes(bytesMax: number): Promise<number> {
    const stamp = this.#stamp();
    return this.#change({ do: 'prune-to-bytes', bytesMax, stamp }, () => this.#file.pruneToBytes(bytesMax, stamp));
  }

  /** Bytes used by records; the file may be larger. */
  usedBytes(): number {
    return this.#file.usedBytes();
  }

  /** Records the heads of other chains in this one, so that truncating them is detected. */
  anchor(heads: ReadonlyMap<string, ChainHead>): Promise<void> {
    const anchors = Object.fromEntries([...heads].map(([chain, { seq, hash }]) => [chain, { seq, hash }]));
    return this.append(this.#system({ action: 'anchor', anchors }));
  }

  /** Records the chain's head after it is on the disk: a recorded head whose record was lost with the power would look like tampering. */
  noteHead(): Promise<void> {
    this.#noting ??= this.#noteHead().finally(() => {
      this.#noting = undefined;
    });
    return this.#noting;
  }

  /** Writes pending entries and releases the slot; synchronous if no thread runs. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#thread) {
      this.flush();
      await this.#committing;
      this.setFsync(false);
      await this.#leaving;
    }
    const checkpointerEnded = this.#checkpointer.end();
    if (checkpointerEnded) await checkpointerEnded;
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

  /** Commits one batch at a time; entries that arrive meanwhile form the next. */
  async #commitInThread(): Promise<void> {
    while (this.#thread && !this.#leaving && this.#waiting.entries.length > 0) {
      const batch = this.#take();
      const { entries, raw } = batch;
      try {
        const { head } = await this.#living().run({ do: 'append', entries, raw });
        this.#acknowledge(batch, head);
      } catch (cause) {
        // A dead thread may have written them. Calls that only began were never sent; the next thread writes their ends.
        if (this.#thread.isDead)
          this.#doubtful.push(...entries.flatMap(({ phase, call_id }) => (phase === 'begin' ? call_id : [])));
        this.#refuse(batch, cause);
      }
    }
  }

  /** Changes the file through the current writer, after pending entries. */
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

  /** The thread; replaces a dead one. */
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

  /** Waits until the thread has written its jobs; from then on commits are made here. */
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

/** Fsyncs the WAL without blocking the event loop. Returns false on failure; the next call tries again. */
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

/** No WAL file: everything is checkpointed. */
function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function emptyBatch(): Batch {
  return { entries: [], raw: [], ...Promise.withResolvers<void>() };
}
