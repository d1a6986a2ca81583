import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHome, type RunningBindery, startBindery } from '../test/support/running-bindery.ts';
import type { AttackTarget, CommandOptions, CommandOutcome, RecordingOptions, RecordingServer } from './attack-case.ts';
import type { InstalledPackage } from './installed-package.ts';
import { type Strain, watchGateway } from './watch-gateway.ts';

export interface OpenedTarget {
  readonly target: AttackTarget;
  /** Ends everything that the attack started, and returns the strain of its gateways. */
  close(): Promise<Strain>;
}

const recorder = fileURLToPath(new URL('servers/recording-server.ts', import.meta.url));

export async function openTarget(installed: InstalledPackage): Promise<OpenedTarget> {
  const home = { ...(await createHome({ version: 1 })), program: installed.program };
  const ends: (() => unknown)[] = [];
  const watches: (() => Promise<Strain>)[] = [];
  let servers = 0;

  const recordingServer = (options: RecordingOptions = {}): RecordingServer => {
    servers += 1;
    const record = join(home.dir, `received-${servers}.jsonl`);
    const received = async () =>
      (await readFile(record, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const args = [recorder, record, JSON.stringify(options)];
    return {
      entry: { transport: 'stdio', command: process.execPath, args },
      received,
      calls: async () => (await received()).filter((line) => /"tools\/call"/.test(line)),
    };
  };

  const target: AttackTarget = {
    home,
    packageDir: installed.dir,
    recordingServer,
    onEnd: (end) => ends.push(end),
    write: async (path, text) => {
      const file = join(home.dir, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    command: (argv, options) => runCommand(installed.program, home, argv, options),
    up: async (...flags): Promise<RunningBindery> => {
      const bindery = await startBindery(home, ...flags);
      ends.push(() => bindery.stop('SIGKILL'));
      watches.push(watchGateway(bindery));
      return bindery;
    },
  };

  return {
    target,
    async close() {
      const strains = await Promise.all(watches.map((stop) => stop()));
      for (const end of ends.reverse()) await end();
      await home.remove();
      return {
        stallMs: Math.max(0, ...strains.map(({ stallMs }) => stallMs)),
        rssMb: Math.max(0, ...strains.map(({ rssMb }) => rssMb)),
        wrongAnswer: strains.find(({ wrongAnswer }) => wrongAnswer !== undefined)?.wrongAnswer,
      };
    },
  };
}

async function runCommand(
  program: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  argv: readonly string[],
  options: CommandOptions = {},
): Promise<CommandOutcome> {
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: options.cwd ?? cwd,
    env: { ...env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  child.stdin.on('error', () => undefined).end(options.input ?? '');
  await once(child, 'close');
  return { exitCode: child.exitCode, stdout, stderr };
}
