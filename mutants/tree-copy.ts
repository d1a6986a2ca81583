import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyMutant, type Mutant } from './operators.ts';
import type { TestOrder } from './test-server.ts';

/** Whether a test file passed, failed, or was ended at the time limit. */
export type TestOutcome = 'passed' | 'failed' | 'no end';

/** A test that waits for something that a fault prevents fails by then. */
const TEST_MS_MAX = 60_000;
const FILE_MS_MAX = 180_000;

/** Property tests try fewer cases than they do in the whole check: a fault that needs thousands of them counts as survived. */
const FEWER_CASES = { PARSER_FUZZ_INPUTS: '200', GATEWAY_FUZZ_INPUTS: '200', SCRUB_RUNS: '100', CIVIC_RUNS: '100' };

/** A copy of the working tree with one fault at a time, and a process that runs its tests. */
export class TreeCopy {
  readonly #dir: string;
  readonly #changed = new Set<string>();
  #server: ChildProcess | undefined;

  constructor(root: string, files: readonly string[]) {
    this.#dir = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-mutants-')));
    for (const file of files) {
      mkdirSync(dirname(join(this.#dir, file)), { recursive: true });
      cpSync(join(root, file), join(this.#dir, file));
    }
    symlinkSync(join(root, 'node_modules'), join(this.#dir, 'node_modules'));
  }

  /** Runs `body` while the copy has the fault. */
  async withFault<T>(mutant: Mutant, body: () => Promise<T>): Promise<T> {
    const path = join(this.#dir, mutant.file);
    const before = readFileSync(path, 'utf8');
    this.#changed.add(mutant.file);
    writeFileSync(path, applyMutant(before, mutant));
    try {
      return await body();
    } finally {
      writeFileSync(path, before);
      this.#changed.add(mutant.file);
    }
  }

  /** Runs one test file until its first failure. */
  async runTest(test: string): Promise<TestOutcome> {
    const server = this.#server ?? (await this.#start());
    const order: TestOrder = { changed: [...this.#changed], test, testMsMax: TEST_MS_MAX };
    this.#changed.clear();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), FILE_MS_MAX);
    try {
      const answered = once(server, 'message', { signal: late.signal });
      server.send(order);
      const [{ passed }] = (await answered) as [{ passed: boolean }];
      return passed ? 'passed' : 'failed';
    } catch (error) {
      if (!late.signal.aborted) throw error;
      this.#stop();
      return 'no end';
    } finally {
      clearTimeout(timer);
    }
  }

  remove(): void {
    this.#stop();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }

  async #start(): Promise<ChildProcess> {
    const server = fork(join(this.#dir, 'mutants', 'test-server.ts'), {
      cwd: this.#dir,
      env: { ...process.env, ...FEWER_CASES },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
    });
    this.#server = server;
    await once(server, 'message');
    return server;
  }

  /** Also ends everything that its tests started. */
  #stop(): void {
    if (this.#server?.pid !== undefined) process.kill(-this.#server.pid, 'SIGKILL');
    this.#server = undefined;
  }
}
