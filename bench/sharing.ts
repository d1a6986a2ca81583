import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openSession } from '../test/support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  processesOf,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../test/support/running-bindery.ts';
import { freePort, loadAverage } from './gateway/processes.ts';

/**
 * The cost of connections per client: clients that can answer questions get their own process (stdio) or session (HTTP), in addition
 * to the shared ones. The server is `server-everything`. Prints Markdown.
 */
const SESSIONS = [1, 8, 32] as const;
/** A server may have eight processes for clients: four servers have enough for all. */
const SERVERS = 4;
const CALLS = 3;
const WARM_UP = 50;
const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const clock = new URL('./gateway/later-clock.ts', import.meta.url).href;

interface Figures {
  readonly connections: number;
  readonly gatewayKb: number;
  readonly children: readonly Memory[];
  readonly firstMs: readonly number[];
  readonly afterwards: number | undefined;
}

interface Memory {
  readonly residentMb: number;
  /** Memory pages that several processes share are divided among them. */
  readonly proportionalMb: number;
}

const line = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);
const head = [
  '',
  'sessions',
  'processes',
  'gateway, MB more',
  'KB a session',
  'a process, MB resident',
  'MB proportional',
  'first call, ms',
  'processes after the idle time',
];
line(head);
line(head.map(() => '--:'));
for (const transport of ['stdio', 'http'] as const) {
  for (const sharing of ['shared', 'auto'] as const) {
    for (const sessions of SESSIONS) {
      const { connections, gatewayKb, children, firstMs, afterwards } = await measure(transport, sharing, sessions);
      const of = (pick: (memory: Memory) => number) =>
        children.length === 0 ? '' : median(children.map(pick)).toFixed(0);
      line([
        `${transport}, ${sharing === 'auto' ? 'own' : 'shared'}`,
        String(sessions),
        String(connections),
        (gatewayKb / 1_024).toFixed(1),
        (gatewayKb / sessions).toFixed(0),
        of(({ residentMb }) => residentMb),
        of(({ proportionalMb }) => proportionalMb),
        median(firstMs).toFixed(0),
        afterwards === undefined ? '' : String(afterwards),
      ]);
    }
  }
}
console.log(`\nserver-everything; load average ${loadAverage()}`);

async function measure(transport: 'stdio' | 'http', sharing: 'auto' | 'shared', count: number): Promise<Figures> {
  const web = transport === 'http' ? await startWeb() : undefined;
  const entry = web
    ? { transport, url: web.url, sharing }
    : { transport, command: process.execPath, args: [everything, 'stdio'], sharing };
  const names = Array.from({ length: SERVERS }, (_, index) => `everything-${index}`);
  const home = await createHome({
    mcp: { servers: Object.fromEntries(names.map((name) => [name, entry])) },
    gateway: { exposure: 'all' },
  });
  const bindery = await startBindery({ ...home, env: { ...home.env, NODE_OPTIONS: `--import=${clock}` } });
  try {
    await untilKnown(bindery, ...names);
    await warmUp(bindery, names);
    const shared = transport === 'stdio' ? SERVERS : 0;
    await until('what the warm-up had is gone', () => childrenOf(home, bindery).length <= shared);
    const before = residentKb(bindery.process.pid);
    const firstMs: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const session = await openSession(bindery.mcpUrl, { capabilities: { elicitation: {} } });
      const began = performance.now();
      for (let call = 0; call < CALLS; call += 1) {
        await callEcho(session, names[index % SERVERS] as string, `${index}`);
        if (call === 0) firstMs.push(performance.now() - began);
      }
    }
    const gatewayKb = residentKb(bindery.process.pid) - before;
    const children = childrenOf(home, bindery);
    const memory = children.map(memoryOf);
    return {
      connections: children.length,
      gatewayKb,
      children: memory,
      firstMs,
      afterwards: children.length > shared ? await afterIdle(home, bindery, shared) : undefined,
    };
  } finally {
    await bindery.stop();
    await home.remove();
    web?.process.kill();
  }
}

async function warmUp(bindery: RunningBindery, names: readonly string[]): Promise<void> {
  for (const capabilities of [{}, { elicitation: {} }]) {
    const session = await openSession(bindery.mcpUrl, { capabilities });
    for (let call = 0; call < WARM_UP; call += 1)
      await callEcho(session, names[capabilities.elicitation ? 0 : call % SERVERS] as string, `${call}`);
    await session.end();
  }
}

async function callEcho(session: Awaited<ReturnType<typeof openSession>>, server: string, message: string) {
  const { result } = await session.request('tools/call', { name: `${server}__echo`, arguments: { message } });
  const text = (result as { content?: { text?: string }[] } | undefined)?.content?.[0]?.text;
  if (text !== `Echo: ${message}`) throw new Error(`a wrong answer: ${JSON.stringify(result)}`);
}

/** The number of processes after the idle timeout of the connections. */
async function afterIdle(home: BinderyHome, bindery: RunningBindery, shared: number): Promise<number> {
  bindery.process.kill('SIGUSR2');
  await until('own processes have ended', () => childrenOf(home, bindery).length <= shared, 60_000);
  return childrenOf(home, bindery).length;
}

async function startWeb(): Promise<{ url: string; process: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await until('the server listens', () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return { url, process: child };
}

function childrenOf(home: BinderyHome, bindery: RunningBindery): number[] {
  return processesOf(home)
    .map(Number)
    .filter((pid) => pid !== bindery.process.pid);
}

function residentKb(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function memoryOf(pid: number): Memory {
  const proportional = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return { residentMb: residentKb(pid) / 1_024, proportionalMb: Number(proportional) / 1_024 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
