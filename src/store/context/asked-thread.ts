import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorOf, type WorkerFailure } from './worker-failure.ts';

/** A worker thread that handles messages and questions, one at a time. It starts loading at once. */
export class AskedThread<Question, Answer extends object> {
  readonly #worker: Worker;
  readonly #broken = Promise.withResolvers<never>();

  /** `module` is a file next to this one: JavaScript when built, TypeScript in the sources. */
  constructor(module: string, workerData: unknown) {
    const url = new URL(`./${module}${extname(import.meta.url)}`, import.meta.url);
    // Do not inherit the process's flags.
    this.#worker = new Worker(url, { workerData, execArgv: [] });
    this.#worker.on('error', this.#broken.reject);
    this.#broken.promise.catch(() => {
      // The caller receives the error.
    });
  }

  /** Sends a message without an answer; transfers the memory to the thread. */
  tell(question: Question, memory: ArrayBuffer[] = []): void {
    this.#worker.postMessage(question, memory);
  }

  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    const answered = once(this.#worker, 'message', { signal }) as Promise<[Answer | { failure: WorkerFailure }]>;
    this.tell(question);
    const [answer] = await Promise.race([answered, this.#broken.promise]);
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
