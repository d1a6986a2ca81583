import { spawn } from 'node:child_process';
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
import { dirname, join, relative } from 'node:path';
import { applyMutant, type Mutant } from './operators.ts';

/** What a run of tests came to. */
export type TestOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly tests: readonly string[] }
  /** It was ended at the time limit, or left no report. */
  | { readonly kind: 'no end' };

/** A test that waits for something that a fault prevents fails by then. */
const TEST_MS_MAX = 60_000;

/** Property tests try fewer cases than they do in the whole check: a fault that needs thousands of them counts as survived. */
const FEWER_CASES = {
  POLICY_CASES: '400',
  PARSER_FUZZ_INPUTS: '200',
  GATEWAY_FUZZ_INPUTS: '200',
  SCRUB_RUNS: '100',
  CIVIC_RUNS: '100',
};

/** A copy of the working tree in which one fault at a time stands. */
export class TreeCopy {
  readonly #dir: string;

  constructor(root: string, files: readonly string[]) {
    this.#dir = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-mutants-')));
    for (const file of files) {
      mkdirSync(dirname(join(this.#dir, file)), { recursive: true });
      cpSync(join(root, file), join(this.#dir, file));
    }
    symlinkSync(join(root, 'node_modules'), join(this.#dir, 'node_modules'));
  }

  /** Does something while the fault stands in the copy. */
  async withFault<T>(mutant: Mutant, body: () => Promise<T>): Promise<T> {
    const path = join(this.#dir, mutant.file);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, applyMutant(before, mutant));
    try {
      return await body();
    } finally {
      writeFileSync(path, before);
    }
  }

  /** Runs test files until the first failure. */
  async runTests(tests: readonly string[], limitMs: number): Promise<TestOutcome> {
    if (tests.length === 0) return { kind: 'passed' };
    const report = join(this.#dir, 'mutants-report.json');
    rmSync(report, { force: true });
    const code = await this.#vitest(tests, report, limitMs);
    if (code === 0) return { kind: 'passed' };
    const failed = this.#failedTests(report);
    return failed.length === 0 ? { kind: 'no end' } : { kind: 'failed', tests: failed };
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #vitest(tests: readonly string[], report: string, limitMs: number): Promise<number | null> {
    const flags = [
      '--bail=1',
      '--maxWorkers=1',
      `--testTimeout=${TEST_MS_MAX}`,
      '--reporter=json',
      `--outputFile=${report}`,
    ];
    return new Promise((resolve) => {
      const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...flags, ...tests], {
        cwd: this.#dir,
        env: { ...process.env, ...FEWER_CASES },
        stdio: 'ignore',
        detached: true,
      });
      const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), limitMs);
      child.once('exit', (code) => {
        clearTimeout(timer);
        resolve(code);
      });
    });
  }

  #failedTests(report: string): string[] {
    try {
      const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
        testResults: { name: string; status: string }[];
      };
      return testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(this.#dir, name));
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
