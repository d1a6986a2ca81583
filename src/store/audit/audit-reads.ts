import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BinderyError, type ErrorOptions } from '../../contract/errors.ts';
import type { AuditRecord } from '../../gateway/audit/audit-record.ts';
import type { CallSummaryReport, SummaryRange } from '../../gateway/audit/call-summary.ts';
import type { NotedHeads, VerifyReport } from '../../gateway/audit/verify-chain.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { AuditFilter, JoinedRecord } from './audit-reader.ts';

export interface ReadingOptions {
  readonly dataDir: string;
  /** Key that masks the digests of an export; undefined leaves them as they are. */
  readonly digestKey?: Uint8Array | undefined;
}

export type ReadingJob =
  | { readonly do: 'search'; readonly filter: AuditFilter; readonly limit: number; readonly offset: number }
  | { readonly do: 'call'; readonly callId: string }
  | { readonly do: 'summary'; readonly filter: AuditFilter; readonly range: SummaryRange }
  | { readonly do: 'verify'; readonly noted: NotedHeads }
  /** The next lines of an export; undefined at its end. */
  | { readonly do: 'next-lines' };

export type ReadingAnswer =
  | { readonly value: unknown }
  /** `store` is set if the store failed: the details for its error. */
  | { readonly failure: string; readonly store?: Pick<ErrorOptions, 'detail' | 'next'> };

type CallWithRecords = JoinedRecord & { readonly records: readonly AuditRecord[] };

const MODULE = new URL(`./audit-reads-worker${extname(import.meta.url)}`, import.meta.url);

/**
 * Reads the audit log in worker threads, so that a long log delays no call. Searches share one thread and run in order; each verification
 * or export gets its own. An export keeps only the next batch in memory.
 */
export class AuditReads {
  readonly #dataDir: string;
  #searching: ReadingThread | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  search(filter: AuditFilter, limit: number, offset: number): Promise<JoinedRecord[]> {
    return this.#search({ do: 'search', filter, limit, offset }) as Promise<JoinedRecord[]>;
  }

  call(callId: string): Promise<CallWithRecords | undefined> {
    return this.#search({ do: 'call', callId }) as Promise<CallWithRecords | undefined>;
  }

  summary(filter: AuditFilter, range: SummaryRange): Promise<CallSummaryReport> {
    return this.#search({ do: 'summary', filter, range }) as Promise<CallSummaryReport>;
  }

  async verify(noted: NotedHeads): Promise<VerifyReport> {
    const thread = new ReadingThread({ dataDir: this.#dataDir });
    try {
      return (await thread.ask({ do: 'verify', noted })) as VerifyReport;
    } finally {
      await thread.end();
    }
  }

  async *lines(digestKey: Uint8Array | undefined): AsyncGenerator<readonly string[]> {
    const thread = new ReadingThread({ dataDir: this.#dataDir, digestKey });
    try {
      for (;;) {
        const lines = (await thread.ask({ do: 'next-lines' })) as readonly string[] | undefined;
        if (!lines) return;
        yield lines;
      }
    } finally {
      await thread.end();
    }
  }

  async #search(job: ReadingJob): Promise<unknown> {
    if (this.#searching === undefined || this.#searching.isDead)
      this.#searching = new ReadingThread({ dataDir: this.#dataDir });
    const thread = this.#searching;
    if (thread.waiting >= STORE_LIMITS.auditSearchesWaitingMax) throw new BinderyError('AUDIT_BUSY');
    clearTimeout(this.#idle);
    try {
      return await thread.ask(job);
    } finally {
      if (thread.waiting === 0) this.#endWhenIdle(thread);
    }
  }

  #endWhenIdle(thread: ReadingThread): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void thread.end(), STORE_LIMITS.auditSearchIdleMs).unref();
  }
}

interface Waiting {
  readonly done: (value: unknown) => void;
  readonly failed: (error: Error) => void;
}

class ReadingThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #death: Error | undefined;

  constructor(options: ReadingOptions) {
    this.#worker = new Worker(MODULE, {
      workerData: options,
      // Do not inherit the process's flags.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: STORE_LIMITS.auditReadingMbMax },
    });
    this.#worker.on('message', (answer: ReadingAnswer) => this.#answer(answer));
    this.#worker.on('error', (error) => this.#die(error as Error));
    this.#worker.on('exit', () => this.#die(new Error('the thread that reads the audit log has ended')));
  }

  get isDead(): boolean {
    return this.#death !== undefined;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The thread keeps the process alive only while a job is pending. */
  ask(job: ReadingJob): Promise<unknown> {
    return new Promise((done, failed) => {
      if (this.#death) return failed(this.#death);
      this.#worker.postMessage(job);
      this.#worker.ref();
      this.#waiting.push({ done, failed });
    });
  }

  async end(): Promise<void> {
    this.#die(new Error('the thread that reads the audit log was ended'));
    await this.#worker.terminate();
  }

  #answer(answer: ReadingAnswer): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ('value' in answer) {
      waiting?.done(answer.value);
      return;
    }
    const cause = new Error(answer.failure);
    waiting?.failed(answer.store ? new BinderyError('STORE_UNAVAILABLE', { ...answer.store, cause }) : cause);
  }

  #die(error: Error): void {
    this.#death ??= error;
    for (const { failed } of this.#waiting.splice(0)) failed(this.#death);
  }
}
