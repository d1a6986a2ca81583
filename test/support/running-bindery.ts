import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { testedProgram } from './program.ts';

/** Arguments for Node that run a command line of this working tree. */
export function commandLine(...argv: string[]): string[] {
  return [testedProgram, ...argv];
}

/** Where a gateway runs: its folders, and the variables that lead to them. */
export interface BinderyPlace {
  readonly dataDir: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program to run; that of this working tree unless it is given. */
  readonly program?: string;
}

/** Its `cwd` is a folder that is no project. */
export interface BinderyHome extends BinderyPlace {
  readonly dir: string;
  writeConfig(config: object): Promise<void>;
  remove(): Promise<void>;
}

/** A home of its own: nothing of the machine's is read or written. */
export async function createHome(config: object): Promise<BinderyHome> {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-home-'));
  const dataDir = join(dir, 'data');
  const cwd = join(dir, 'cwd');
  await Promise.all([mkdir(join(dir, '.bindery')), mkdir(dataDir), mkdir(cwd)]);
  const writeConfig = (value: object) => writeFile(join(dir, '.bindery', 'config.json'), JSON.stringify(value));
  await writeConfig(config);
  return {
    dir,
    dataDir,
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: dir, BINDERY_DATA_DIR: dataDir },
    writeConfig,
    remove: () => rm(dir, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface RunningBindery {
  readonly url: string;
  readonly mcpUrl: string;
  readonly process: ChildProcess;
  /** Everything that it wrote to stderr so far. */
  stderr(): string;
  /** The admin credential. */
  admin(): string;
  /** A request to the admin API, with the admin credential unless another is given. */
  api(method: string, path: string, body?: unknown, authorization?: string): Promise<{ status: number; body: never }>;
  /** Ends it; the exit code, or the name of the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string | null>;
}

/** Starts `bindery up` on a free port and waits until it is ready. */
export async function startBindery(home: BinderyPlace, ...flags: string[]): Promise<RunningBindery> {
  const child = spawn(process.execPath, [home.program ?? testedProgram, 'up', '--port', '0', '--json', ...flags], {
    cwd: home.cwd,
    env: home.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const ended = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => code ?? signal ?? null);
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
    ended.then((code) => {
      throw new Error(`bindery up ended with ${code}: ${stderr}`);
    }),
  ]);
  const { url, mcp_url } = JSON.parse(line) as { url: string; mcp_url: string };
  const admin = () => readFileSync(join(home.dataDir, 'admin.token'), 'utf8').trim();
  return {
    url,
    mcpUrl: mcp_url,
    process: child,
    stderr: () => stderr,
    admin,
    api: async (method, path, body, authorization = `Bearer ${admin()}`) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(authorization === '' ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json().catch(() => null)) as never };
    },
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Waits until a condition holds; what it waits for is in the error. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Waits until the gateway has seen what these servers offer. */
export async function untilKnown(bindery: RunningBindery, ...servers: string[]): Promise<void> {
  await untilKnownTo(undefined, bindery, ...servers);
}

/** The same where a credential is needed to look. */
export async function untilKnownTo(
  authorization: string | undefined,
  bindery: RunningBindery,
  ...servers: string[]
): Promise<void> {
  await until(`${servers.join(', ')} are known`, async () => {
    const items = await listServers(bindery, authorization);
    return servers.every((server) => items.some(({ id, tools }) => id === server && Number(tools) > 0));
  });
}

/** The items of `GET /v1/servers`. */
export async function listServers({ url }: RunningBindery, authorization?: string): Promise<Record<string, unknown>[]> {
  const headers = authorization === undefined ? {} : { authorization };
  const { items } = (await (await fetch(`${url}/v1/servers?limit=1000`, { headers })).json()) as {
    items: Record<string, unknown>[];
  };
  return items;
}

/** Whether a process is still there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resident memory of a process, in MB. */
export function rssOf(pid: number | undefined): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Processes that were started in a home: the gateway, and what it started. */
export function processesOf({ dir }: BinderyHome): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(`HOME=${dir}`);
    } catch {
      return false;
    }
  });
}
