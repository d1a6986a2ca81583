import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const END_MS = 10_000;
const children: ChildProcess[] = [];

export interface Started {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly startedAt: number;
}

/** Starts a program and reads the address from the first line of JSON that it prints. */
export async function start(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Started> {
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  children.push(child);
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  return { url: (JSON.parse(line) as { url: string }).url, pid: child.pid as number, child, startedAt };
}

/** Starts a program without a ready line; it is ready when its port answers. */
export async function startSilently(command: string, args: readonly string[], port: number, env = {}): Promise<number> {
  const child = spawn(command, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  children.push(child);
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return child.pid as number;
    if (child.exitCode !== null) break;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error(`${command} ${args.join(' ')} did not come up`);
}

/** A process and its descendants; `isPart` excludes the upstreams that a gateway spawns. */
export function family(pid: number, isPart: (command: string) => boolean = () => true): number[] {
  let below = '';
  try {
    below = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  } catch {
    // It has no children.
  }
  const parts = below.split('\n').filter((line) => line !== '' && isPart(commandOf(Number(line))));
  return [pid, ...parts.flatMap((line) => family(Number(line), isPart))];
}

/** Stops all started processes and waits for them: a running one would write to folders that are removed next. */
export async function endAll(): Promise<void> {
  await Promise.all(
    children
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        const patience = setTimeout(() => child.kill('SIGKILL'), END_MS);
        await ended;
        clearTimeout(patience);
      }),
  );
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

export function loadAverage(): string {
  return readFileSync('/proc/loadavg', 'utf8').split(' ')[0] as string;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
