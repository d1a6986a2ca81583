import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../src/cli/main.ts';

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** A home of its own in which command lines run, in this process. */
export function openCommandHome() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-home-')));
  const dataDir = join(home, '.bindery');
  const execute = async (...argv: string[]): Promise<CommandResult> => {
    const written = { stdout: '', stderr: '' };
    const into = (name: 'stdout' | 'stderr') =>
      new Writable({
        write(chunk, _encoding, done) {
          written[name] += chunk;
          done();
        },
      });
    const before = process.env.HOME;
    process.env.HOME = home;
    try {
      const exitCode = await run(
        argv,
        { stdout: into('stdout'), stderr: into('stderr') },
        new AbortController().signal,
      );
      return { ...written, exitCode };
    } finally {
      process.env.HOME = before;
    }
  };
  return {
    home,
    dataDir,
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home },
    run: execute,
    json: async (...argv: string[]) => JSON.parse((await execute(...argv, '--json')).stdout),
    write: (path: string, content: string | Uint8Array, mode = 0o644) => {
      const file = join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { mode });
      return file;
    },
  };
}
