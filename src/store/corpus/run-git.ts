import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BinderyError } from '../../contract/errors.ts';

const run = promisify(execFile);

/** Environment variables that git needs: its path, its settings, and access to keys. */
const PASSED_ON = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GNUPGHOME', 'SSH_AUTH_SOCK', 'GIT_SSH_COMMAND'];

/** Whether the folder is the root of a git repository: inside a larger one the history is not ours. */
export function isGitRoot(dir: string): boolean {
  return existsSync(join(dir, '.git'));
}

export interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Settings before the command: `user.name=x`. */
  readonly settings?: readonly string[];
  readonly bytesMax?: number;
  readonly timeoutMs?: number;
  readonly input?: string;
  /** How its output is read; `latin1` keeps every byte. */
  readonly encoding?: 'utf8' | 'latin1';
}

/** Runs git in a folder, without hooks, prompts or pagers, and returns its output. */
export async function runGit(dir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const settings = ['core.hooksPath=/dev/null', 'gc.auto=0', ...(options.settings ?? [])].flatMap((one) => ['-c', one]);
  const running = run('git', [...settings, ...args], {
    cwd: dir,
    encoding: options.encoding ?? 'utf8',
    maxBuffer: options.bytesMax ?? 8 * 1024 * 1024,
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
    env: {
      ...Object.fromEntries(
        PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
      ),
      GIT_TERMINAL_PROMPT: '0',
      ...options.env,
    },
  });
  const { stdin, stdout, stderr } = running.child;
  // A git that ends early closes its pipes; its exit code reports the reason.
  for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {});
  stdin?.end(options.input ?? '');
  try {
    return (await running).stdout;
  } catch (thrown) {
    throw gitError(args, thrown);
  }
}

interface GitFailure {
  readonly code?: number | string | null;
  readonly killed?: boolean;
  readonly stderr?: string;
}

/** Git's error output; empty if there was none. */
export function stderrOf(thrown: unknown): string {
  const { cause } = thrown as { cause?: GitFailure };
  return cause?.stderr ?? '';
}

/** Git's own words only go to the log: they contain paths, and may contain text of the corpus. */
export function gitError([command = '']: readonly string[], thrown: unknown): BinderyError {
  const cause = thrown as GitFailure;
  const lock = /Unable to create '[^']*\.lock'/.test(cause.stderr ?? '');
  const why =
    cause.code === 'ENOENT'
      ? 'git is not installed, or the folder is gone'
      : cause.killed
        ? `git ${command} took too long`
        : lock
          ? 'another program works in the repository (.git/index.lock)'
          : `git ${command} failed${typeof cause.code === 'number' ? ` with code ${cause.code}` : ''}`;
  const next = lock
    ? 'Wait until it is done. If no git runs, remove .git/index.lock.'
    : 'Run `git status` in the corpus folder.';
  return new BinderyError('STORE_UNAVAILABLE', { detail: `The corpus folder cannot be used: ${why}.`, next, cause });
}
