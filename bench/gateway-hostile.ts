import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setBackground } from '../src/host/transports/process-group.ts';
import { startFleet } from '../test/support/fleet.ts';
import { openSession } from '../test/support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  listServers,
  processesOf,
  type RunningBindery,
  rssOf,
  startBindery,
  until,
  untilKnown,
} from '../test/support/running-bindery.ts';
import { CpuWatch, type Spent } from './gateway/cpu-watch.ts';
import type { LoopPauses } from './gateway/loop-pauses.ts';
import { loadAverage } from './gateway/processes.ts';

/**
 * A fleet of 100 servers with 20 tools each, with and without the bad ones: the effect on healthy clients. The parts of a round take
 * turns, so that other load on the machine affects all of them. In the last part the bad servers are behind a gateway of their own: its
 * effect on healthy calls comes only from the shared cores. Healthy servers are called in three ways; the last one overloads the
 * machine, so that every other process has an effect. Two parts have only one bad server: one that answers with a line of 100 MB, and
 * one that writes to stderr without end. `--bad=REGEX`, any number of times, makes a part of the bad servers with such ids instead. On a
 * busy machine, many short rounds (`--rounds=15 --calls=600`) compare better than a few long ones. Prints Markdown.
 */
const small = process.argv.includes('--small');
const numberOf = (flag: string) => process.argv.flatMap((argument) => argument.split(`--${flag}=`)[1] ?? [])[0];
const ROUNDS = Number(numberOf('rounds') ?? (small ? 1 : 5));
const HEALTHY = small ? 12 : 60;
const BAD = small ? 2 : 10;
const CALLS = Number(numberOf('calls') ?? (small ? 300 : 3_000));
/** About once a second, counted in calls instead of time: a slow machine must not get more bad calls. */
const LOADS: readonly Load[] = [
  { name: 'one at a time', workers: 1, perSecond: Number.POSITIVE_INFINITY, troubleEveryCalls: 600 },
  { name: '300 a second', workers: 16, perSecond: 300, troubleEveryCalls: 300 },
  { name: 'always four', workers: 4, perSecond: Number.POSITIVE_INFINITY, troubleEveryCalls: 1_000 },
];
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const NO_BAD = { dead: 0, hanging: 0, flapping: 0, hostile: false };
const pausesModule = new URL('./gateway/loop-pauses.ts', import.meta.url).href;

interface Load {
  readonly name: string;
  readonly workers: number;
  /** Infinity: the next call is sent when one has been answered. */
  readonly perSecond: number;
  readonly troubleEveryCalls: number;
}

interface Called {
  readonly listMs: readonly number[];
  readonly callMs: readonly number[];
  readonly wrong: number;
  readonly rssMb: number;
}

interface Figures {
  readonly firstListMs: number;
  /** By load. */
  readonly called: readonly Called[];
  readonly pauses: LoopPauses;
  readonly spent: Spent;
  readonly badCalls: number;
}

/** A process that calls bad servers. */
interface Trouble {
  readonly process: ChildProcess;
  /** How many it called so far. */
  calls(): number;
}

/** The bad servers beside the healthy ones: those with such ids, behind the same gateway or another. */
interface Part {
  readonly name: string;
  readonly bad: string | undefined;
  readonly apart: boolean;
  readonly rounds: Figures[];
}

if (process.argv[2] === 'trouble') await callBadServers(String(process.argv[3]), process.argv.slice(4));

const healthyFleet = await startFleet();
// The bad servers have their own process with low priority: they must burden the gateway, not the machine.
const badFleet = await startFleet({ isBackground: true });
process.once('SIGINT', () => process.exit(130));
process.once('exit', () => badFleet.process.kill());
const chosen = process.argv.flatMap((argument) => /^--bad=(.+)/.exec(argument)?.[1] ?? []);
const parts: readonly Part[] = [
  { name: `${HEALTHY} healthy servers alone`, bad: undefined, apart: false, rounds: [] },
  ...(chosen.length > 0 ? chosen : ['.', 'stdio-huge', 'stdio-stderr']).map((bad) => {
    const which = bad === '.' ? '' : ` (${bad})`;
    return { name: `beside ${Object.keys(badServers(bad)).length} bad ones${which}`, bad, apart: false, rounds: [] };
  }),
  ...(chosen.length > 0 ? [] : [{ name: 'the bad ones behind another gateway', bad: '.', apart: true, rounds: [] }]),
];
try {
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order alternates.
    for (const part of round % 2 === 0 ? parts : parts.toReversed()) part.rounds.push(await measure(part));
  }
  report();
} finally {
  healthyFleet.process.kill();
  badFleet.process.kill();
}

async function measure({ name, bad, apart, rounds }: Part): Promise<Figures> {
  const healthy = healthyFleet.config({ healthy: HEALTHY, ...NO_BAD });
  const badConfig = { ...healthy, mcp: { servers: bad === undefined ? {} : badServers(bad) } };
  const together = { ...healthy, mcp: { servers: { ...badConfig.mcp.servers, ...healthy.mcp.servers } } };
  const home = await createHome(apart ? healthy : together);
  const otherHome = apart ? await createHome(badConfig) : undefined;
  const pausesFile = join(home.dir, 'pauses.ndjson');
  const bindery = await startBindery({
    ...home,
    env: {
      ...home.env,
      NODE_OPTIONS: `--import=${pausesModule} ${process.env.HOSTILE_NODE_OPTIONS ?? ''}`,
      LOOP_PAUSES_FILE: pausesFile,
    },
  });
  const other = otherHome && (await startBindery(otherHome));
  try {
    const session = await openSession(bindery.mcpUrl);
    const firstListMs = await timed(() => session.request('tools/list'));
    await untilKnown(bindery, ...Array.from({ length: HEALTHY }, (_, index) => `healthy-${index}`));
    const trouble = bad === undefined ? undefined : await startTrouble((other ?? bindery).mcpUrl, bad);
    const cpu = watchCpu(bindery, other, trouble?.process);
    bindery.process.kill('SIGUSR2');
    const called: Called[] = [];
    for (const load of LOADS)
      called.push(await callHealthyServers(bindery, load, () => trouble?.process.stdin?.write('once more\n')));
    bindery.process.kill('SIGUSR2');
    const spent = cpu.spent();
    trouble?.process.kill();
    if (bad === '.' && !apart && rounds.length === 0) await printStates(name, bindery);
    const pauses = await readPauses(pausesFile);
    await end(bindery, home);
    if (other && otherHome) await end(other, otherHome);
    return { firstListMs, called, pauses, spent, badCalls: trouble?.calls() ?? 0 };
  } finally {
    bindery.process.kill('SIGKILL');
    other?.process.kill('SIGKILL');
    await home.remove();
    await otherHome?.remove();
  }
}

async function end(bindery: RunningBindery, home: BinderyHome): Promise<void> {
  await bindery.stop('SIGTERM');
  await until('no process is left', () => processesOf(home).length === 0);
}

function badServers(pattern: string): Record<string, object> {
  const all = badFleet.config({ healthy: 0, dead: BAD, hanging: BAD, flapping: BAD, hostile: true }).mcp.servers;
  return Object.fromEntries(Object.entries(all).filter(([id]) => new RegExp(pattern).test(id)));
}

/** The bad stdio servers are children of a gateway; everything else has its own process. */
function watchCpu(bindery: RunningBindery, other: RunningBindery | undefined, trouble: ChildProcess | undefined) {
  const pidsOf = (processes: Record<string, ChildProcess | undefined>): Record<string, number> =>
    Object.fromEntries(Object.entries(processes).flatMap(([name, child]) => (child?.pid ? [[name, child.pid]] : [])));
  return new CpuWatch(
    {
      ...pidsOf({ gateway: bindery.process, 'another gateway': other?.process, 'who calls bad servers': trouble }),
      ...pidsOf({ 'healthy servers': healthyFleet.process, 'bad HTTP servers': badFleet.process }),
      client: process.pid,
    },
    pidsOf({ 'bad stdio servers': (other ?? bindery).process }),
  );
}

/** Resolves when the calls begin, so that loading the program is not measured. */
async function startTrouble(url: string, bad: string): Promise<Trouble> {
  const names = [
    ...Array.from({ length: BAD }, (_, index) => `flapping-${index}__tool-1`),
    'http-wrong-ids__tool-1',
    'http-slow-bytes__tool-1',
    'http-huge__tool-1',
    'http-flood__tool-1',
    'http-cursor-loop__tool-1',
    'stdio-flood__echo',
    'stdio-huge__echo',
    'stdio-stderr__echo',
  ].filter((name) => new RegExp(bad).test(name.slice(0, name.indexOf('__'))));
  const arguments_ = [fileURLToPath(import.meta.url), 'trouble', url, ...names];
  const trouble = spawn(process.execPath, arguments_, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  if (trouble.pid !== undefined) setBackground(trouble.pid, true);
  const counts = createInterface({ input: trouble.stdout });
  let calls = 0;
  counts.on('line', (line) => {
    calls = Number(line);
  });
  await once(counts, 'line');
  return { process: trouble, calls: () => calls };
}

async function readPauses(file: string): Promise<LoopPauses> {
  const lines = () => readFileSync(file, 'utf8').trim().split('\n');
  await until('the gateway has told its pauses', () => lines().length > 1);
  return JSON.parse(lines()[1] as string) as LoopPauses;
}

function report(): void {
  console.log(
    `${ROUNDS} interleaved rounds of ${CALLS} calls in each way; load average ${loadAverage()}. Medians of the rounds:\n`,
  );
  const [alone, ...others] = parts as [Part, ...Part[]];
  table(
    ['calls', '', 'list p95, ms', 'call p50', 'p95', 'p99', 'wrong', 'p95 of that alone', 'rounds'],
    LOADS.flatMap((load, place) =>
      parts.map((part) => [
        load.name,
        part.name,
        ...summary(part, place),
        ...(part === alone ? ['', ''] : ratios(part, place)),
      ]),
    ),
  );
  table(
    ['', 'first list, ms', 'MB', 'loop late p95', 'p99', 'max', 'GC, ms', 'CPU, ms'],
    parts.map(({ name, rounds }) => [name, ...processSummary(rounds)]),
  );
  console.log('CPU while the calls ran, ms:\n');
  const who = [...new Set(parts.flatMap(({ rounds }) => rounds.flatMap(({ spent }) => Object.keys(spent))))];
  const spent = (rounds: readonly Figures[], one: string) => median(rounds.map((figures) => figures.spent[one] ?? 0));
  table(
    ['', ...who, 'calls of bad servers'],
    parts.map(({ name, rounds }) => [
      name,
      ...who.map((one) => spent(rounds, one).toFixed(0)),
      String(median(rounds.map(({ badCalls }) => badCalls))),
    ]),
  );
  for (const { name, rounds } of others)
    console.log(`First lists, ${name}: ${rounds.map(({ firstListMs }) => firstListMs.toFixed(0)).join(', ')} ms`);
}

/** The figures of a load's calls. */
function summary({ rounds }: Part, load: number): string[] {
  const called = rounds.map((round) => round.called[load] as Called);
  const of = (pick: (figures: Called) => number, digits = 1) => median(called.map(pick)).toFixed(digits);
  return [
    of(({ listMs }) => p(95, listMs)),
    of(({ callMs }) => p(50, callMs), 2),
    of(({ callMs }) => p(95, callMs)),
    of(({ callMs }) => p(99, callMs)),
    String(called.reduce((sum, { wrong }) => sum + wrong, 0)),
  ];
}

/** The p95 of a load beside bad servers, divided by that of the same round without them. */
function ratios({ rounds }: Part, load: number): string[] {
  const p95 = (figures: Figures | undefined) => p(95, figures?.called[load]?.callMs);
  const each = rounds.map((round, index) => p95(round) / p95(parts[0]?.rounds[index]));
  return [median(each).toFixed(2), each.map((ratio) => ratio.toFixed(2)).join(', ')];
}

function processSummary(rounds: readonly Figures[]): string[] {
  const of = (pick: (figures: Figures) => number, digits = 1) => median(rounds.map(pick)).toFixed(digits);
  return [
    of(({ firstListMs }) => firstListMs),
    of(({ called }) => Math.max(...called.map(({ rssMb }) => rssMb)), 0),
    of(({ pauses }) => pauses.p95),
    of(({ pauses }) => pauses.p99),
    of(({ pauses }) => pauses.max),
    of(({ pauses }) => pauses.gc, 0),
    of(({ pauses }) => pauses.cpu, 0),
  ];
}

type Session = Awaited<ReturnType<typeof openSession>>;

async function callHealthyServers(bindery: RunningBindery, load: Load, makeTrouble: () => void): Promise<Called> {
  const callMs: number[] = [];
  const listMs: number[] = [];
  let wrong = 0;
  let rssMb = 0;
  const sessions = await Promise.all(Array.from({ length: load.workers }, () => openSession(bindery.mcpUrl)));
  const call = async (session: Session, place: number): Promise<void> => {
    if (place % load.troubleEveryCalls === 0) makeTrouble();
    const name = `healthy-${place % HEALTHY}__tool-${place % 20}`;
    const text = `text ${place}`;
    callMs.push(
      await timed(async () => {
        const { result } = await session.request('tools/call', { name, arguments: { text } });
        if ((result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text !== text) wrong += 1;
      }),
    );
    if (place % 100 === 0) {
      listMs.push(await timed(() => session.request('tools/list')));
      rssMb = Math.max(rssMb, rssOf(bindery.process.pid));
    }
  };
  await (load.perSecond === Number.POSITIVE_INFINITY ? callInTurn(sessions, call) : callAtRate(sessions, call, load));
  return { callMs, listMs, wrong, rssMb };
}

type CallOne = (session: Session, place: number) => Promise<void>;

/** Runs as many calls at once as there are sessions. */
async function callInTurn(sessions: readonly Session[], call: CallOne): Promise<void> {
  let sent = 0;
  const worker = async (session: Session) => {
    for (let place = sent++; place < CALLS; place = sent++) await call(session, place);
  };
  await Promise.all(sessions.map(worker));
}

/** Sends calls when they are due, however long earlier ones take: a delay then affects all calls that become due meanwhile. */
async function callAtRate(sessions: readonly Session[], call: CallOne, { perSecond }: Load): Promise<void> {
  const began = performance.now();
  const calls: Promise<void>[] = [];
  while (calls.length < CALLS) {
    const dueInMs = began + (calls.length * 1_000) / perSecond - performance.now();
    if (dueInMs > 0) await setTimeout(dueInMs);
    calls.push(call(sessions[calls.length % sessions.length] as Session, calls.length));
  }
  await Promise.all(calls);
}

/**
 * Calls these tools at each line of the input, whatever the outcome, except tools whose last call has not ended. It reports the number of
 * calls and reads no answers, so that only the gateway bears the cost.
 */
async function callBadServers(url: string, names: readonly string[]): Promise<never> {
  const { id } = await openSession(url);
  const agent = new Agent({ keepAlive: true });
  const headers = { ...HEADERS, 'mcp-session-id': id };
  const busy = new Set<string>();
  let called = 0;
  console.log(called);
  for await (const _ of createInterface({ input: process.stdin })) {
    for (const name of names.filter((one) => !busy.has(one))) {
      busy.add(name);
      called += 1;
      const params = { name, arguments: { text: 'x' } };
      request(url, { method: 'POST', agent, headers }, (response) => response.resume())
        .on('close', () => busy.delete(name))
        .end(JSON.stringify({ jsonrpc: '2.0', id: called, method: 'tools/call', params }));
    }
    console.log(called);
  }
  process.exit(0);
}

async function printStates(name: string, bindery: RunningBindery): Promise<void> {
  const kinds = new Map<string, Record<string, unknown>>();
  for (const item of await listServers(bindery)) {
    const kind = String(item.id).replace(/-\d+$/, '');
    kinds.set(kind, kinds.get(kind) ?? item);
  }
  console.log(`${name}:\n`);
  table(
    ['kind', 'state', 'breaker', 'reason or last error'],
    [...kinds].map(([kind, { state, breaker, reason, last_error }]) => [
      kind,
      String(state),
      (breaker as { state: string }).state,
      String(last_error ?? reason ?? '').slice(0, 90),
    ]),
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function p(percent: number, values: readonly number[] = []): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

function median(values: readonly number[]): number {
  return p(50, values);
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  console.log([row(head), row(head.map(() => '---')), ...lines.map(row), ''].join('\n'));
}
