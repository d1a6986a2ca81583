import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runProgram } from '../../src/cli/program.ts';
import { contextWiring } from '../../src/cli/rooms/context.ts';
import { testedContext } from '../support/program.ts';
import { root } from '../support/repository.ts';

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs `context …` in this process. */
export async function runContext(...argv: readonly string[]): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += chunk;
        done();
      },
    });
  const streams = { stdout: into('stdout'), stderr: into('stderr') };
  const signal = new AbortController().signal;
  const exitCode = await runProgram(['context', ...argv], streams, signal, contextWiring.addCommands);
  return { ...written, exitCode };
}

export interface ProcessOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Commands of the shell that come first, to set limits. */
  readonly limits?: string;
  /** As a user who may not read everything. */
  readonly isNobody?: boolean;
}

const NOBODY = 65534;

/** Starts `context …` as a process of its own. */
export function spawnContext(
  argv: readonly string[],
  { env, limits = '', isNobody }: ProcessOptions = {},
): ChildProcess {
  const command = ['-c', `${limits} exec "$0" "$@"`, process.execPath, testedContext, ...argv];
  // Only root can become another user, and only root needs to.
  const user = isNobody && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return spawn('sh', command, { env: { ...process.env, ...env }, ...user });
}

/** Runs it to its end, with this input. */
export async function runProcess(argv: readonly string[], input = '', options: ProcessOptions = {}): Promise<Ran> {
  const child = spawnContext(argv, options);
  const written = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    written.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    written.stderr += chunk;
  });
  child.stdin?.end(input);
  const exitCode = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  return { ...written, exitCode };
}

/** The folder of published vectors, where this checkout lies beside it. */
export const vectors: string | undefined = [join(root, '../shared'), join(root, '../../shared')]
  .map((shared) => join(shared, 'vectors/context'))
  .find((folder) => existsSync(folder));
