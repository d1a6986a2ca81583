import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { KillPoint } from './kill-points.ts';

const MAIN = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../../bin/bindery.js', import.meta.url));
const KILL_POINTS = new URL('./kill-points.ts', import.meta.url).href;

export interface ServedRoomOptions {
  readonly corpusDir: string;
  readonly dataDir: string;
  /** Time of the test clock; absent: the real clock. */
  readonly now?: string;
  /** Trusted proxies; default: this machine. */
  readonly proxies?: readonly string[];
  /** The point at which the process kills itself, at the n-th visit, and the file that records it. */
  readonly kill?: { readonly point: KillPoint; readonly hit: number; readonly note: string };
}

/** `bindery up` in its own process, which can be killed. */
export class ServedRoom {
  readonly url: string;
  readonly process: ChildProcess;
  readonly log: string[];

  private constructor(url: string, child: ChildProcess, log: string[]) {
    this.url = url;
    this.process = child;
    this.log = log;
  }

  static async start(options: ServedRoomOptions): Promise<ServedRoom> {
    const proxies = (options.proxies ?? ['127.0.0.0/8']).flatMap((range) => ['--trusted-proxy', range]);
    const child = runCommand(['up', '--port', '0', '--json', '--corpus', options.corpusDir, ...proxies], options);
    const log: string[] = [];
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => log.push(line));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => ['{}'])])) as [string];
    const { url } = JSON.parse(line) as { url?: string };
    if (!url) throw new Error(`it did not start:\n${log.join('\n')}`);
    return new ServedRoom(url, child, log);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    from = '203.0.113.1',
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const gone = once(this.process, 'exit');
    this.process.kill(signal);
    await gone;
  }
}

/** Runs one `bindery` command on a room's folders. */
export function runCommand(
  args: readonly string[],
  { dataDir, now, kill }: Omit<ServedRoomOptions, 'corpusDir'>,
): ChildProcess {
  return spawn(process.execPath, [...programOf(kill !== undefined), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      BINDERY_DATA_DIR: dataDir,
      BINDERY_CONFIG_PATH: `${dataDir}/config.json`,
      BINDERY_CIVIC_MAINTAINER_TOKEN: 'maintainer-token',
      ...(now === undefined ? {} : { BINDERY_TEST_CLOCK: now }),
      ...(kill && { CIVIC_KILL_POINT: kill.point, CIVIC_KILL_HIT: String(kill.hit), CIVIC_KILL_NOTE: kill.note }),
    },
  });
}

/** Uses the built program, which starts faster. Kill points exist in the sources only. */
function programOf(isKilled: boolean): string[] {
  if (process.env.BINDERY_TEST_BUILT === '1' && !isKilled) return [BUILT];
  const script = `import { main } from ${JSON.stringify(MAIN)}; await main(process.argv.slice(1));`;
  return [...(isKilled ? ['--import', KILL_POINTS] : []), '--input-type=module', '-e', script, '--'];
}

/** The output and exit code of a command. */
export async function commandOutput(
  args: readonly string[],
  options: Omit<ServedRoomOptions, 'corpusDir'>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = runCommand(args, options);
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, ...output };
}
