import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import type { ChainHead } from '../../gateway/audit/chain.ts';
import type { AuditFileOptions, RawArguments, Stamp } from './audit-file.ts';

/** Jobs for the thread; it runs them in order. */
export type ThreadJob =
  | { readonly do: 'append'; readonly entries: readonly AuditEntry[]; readonly raw: readonly RawArguments[] }
  | { readonly do: 'end-interrupted'; readonly time: string; readonly only: readonly string[] }
  | { readonly do: 'prune'; readonly before: string; readonly stamp: Stamp }
  | { readonly do: 'prune-to-bytes'; readonly bytesMax: number; readonly stamp: Stamp }
  | { readonly do: 'close' };

/** The head of the chain once a job is on the disk, or why the job failed. */
export type ThreadAnswer = { readonly head: ChainHead; readonly count: number } | { readonly failure: string };

type JobDone = Exclude<ThreadAnswer, { failure: string }>;

interface Waiting {
  readonly done: (answer: JobDone) => void;
  readonly failed: (error: Error) => void;
}

/** The worker module next to this file: JavaScript when built, TypeScript in the sources. */
export const THREAD_MODULE = new URL(`./audit-thread-worker${extname(import.meta.url)}`, import.meta.url);

/** A thread that writes the audit file, so that an fsync delays only the calls that wait for it. */
export class AuditThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #death: Error | undefined;

  constructor(options: Omit<AuditFileOptions, 'fsync'>, module: URL) {
    // Do not inherit the process's flags.
    this.#worker = new Worker(module, { workerData: { ...options, fsync: true }, execArgv: [] });
    // The thread keeps the process alive only while a job is pending.
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => this.#answer(answer));
    this.#worker.on('error', (error) => this.#die(error as Error));
    this.#worker.on('exit', () => this.#die(new Error('the thread that writes the audit log has ended')));
  }

  /** A dead thread runs nothing more; start another one. */
  get isDead(): boolean {
    return this.#death !== undefined;
  }

  /** Resolves when the job is on the disk. If the thread dies, the job may be there or not. */
  run(job: ThreadJob): Promise<JobDone> {
    return new Promise((done, failed) => {
      if (this.#death) return failed(this.#death);
      this.#worker.postMessage(job);
      this.#worker.ref();
      this.#waiting.push({ done, failed });
    });
  }

  /** Finishes pending jobs, closes the file and ends. */
  async close(): Promise<void> {
    if (this.#death) return;
    const ended = once(this.#worker, 'exit').catch(() => undefined);
    await this.run({ do: 'close' }).catch(() => this.#worker.terminate());
    this.#worker.ref();
    await ended;
  }

  #answer(answer: ThreadAnswer): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ('failure' in answer) waiting?.failed(new Error(answer.failure));
    else waiting?.done(answer);
  }

  #die(error: Error): void {
    this.#death ??= error;
    for (const { failed } of this.#waiting.splice(0)) failed(this.#death);
  }
}
