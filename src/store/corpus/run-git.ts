import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What git needs of the environment: where it is, whose settings hold, and how it reaches keys. */
const PASSED_ON = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GNUPGHOME', 'SSH_AUTH_SOCK', 'GIT_SSH_COMMAND'];

/** Whether the folder is the root of a git repository: a corpus inside a bigger one has a history that is somebody else's. */
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
}

/** Runs git in a folder, without hooks, prompts or pagers, and gives back what it prints. */
export async function runGit(dir: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const settings = ['core.hooksPath=/dev/null', 'gc.auto=0', ...(options.settings ?? [])].flatMap((one) => ['-c', one]);
  const running = run('git', [...settings, ...args], {
    cwd: dir,
    encoding: 'utf8',
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
  if (options.input !== undefined) running.child.stdin?.end(options.input);
  return (await running).stdout;
}
