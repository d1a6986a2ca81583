import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { Agent, fetch, request } from 'undici';

/** The address of a load's calls at one subject, and the name of its tool there. */
export interface Route {
  readonly url: string;
  readonly tool: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A program that answers calls, and its processes. */
export interface Subject {
  readonly name: string;
  readonly pids: () => readonly number[];
  /** Undefined: it does not support this load. */
  route(load: Load, index: number): Route | undefined;
}

/** The parameters of a load; `upstream` is the kind of server that answers. */
export interface Load {
  readonly name: string;
  readonly tool: 'echo' | 'large';
  readonly upstream: 'json' | 'sse' | 'stdio' | 'many';
  readonly concurrency: number;
  readonly calls: number;
  /** The HTTP client of the calls; default: undici's `request`. */
  readonly client?: 'fetch' | 'node:http';
}

export interface Measured {
  readonly callsPerSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Microseconds of CPU of the subject's processes per call. */
  readonly cpuUs: number | undefined;
  /** The same for the subject and the server behind it; for direct calls the server alone. */
  readonly withServerUs: number | undefined;
}

/**
 * Sends calls at a fixed concurrency, verifies every answer, and measures latency and the subject's CPU. Each run opens its own connections
 * before the measurement: one that stays idle between two runs may be closed just when a call is sent.
 */
export async function run(subject: Subject, load: Load, server?: number): Promise<Measured> {
  const client = CLIENTS[load.client ?? 'request']();
  try {
    await Promise.all(Array.from({ length: load.concurrency }, (_, index) => call(client, subject, load, index)));
    return await measure(client, subject, load, server);
  } catch (error) {
    throw new Error(`${subject.name} failed in "${load.name}"`, { cause: error });
  } finally {
    await client.close();
  }
}

async function measure(client: Client, subject: Subject, load: Load, server: number | undefined): Promise<Measured> {
  const pids = subject.pids();
  const cpuBefore = cpuMicros(pids);
  const servers = server === undefined ? [] : [server];
  const serverBefore = cpuMicros(servers);
  const latencies = new Float64Array(load.calls);
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: load.concurrency }, async () => {
      for (;;) {
        const index = next;
        next += 1;
        if (index >= load.calls) return;
        const at = performance.now();
        await call(client, subject, load, index);
        latencies[index] = performance.now() - at;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  const cpuUs = perCall(cpuBefore, cpuMicros(pids), load.calls);
  const serverUs = perCall(serverBefore, cpuMicros(servers), load.calls);
  latencies.sort();
  const at = (share: number) => latencies[Math.min(load.calls - 1, Math.floor(load.calls * share))] as number;
  return {
    callsPerSecond: load.calls / seconds,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    cpuUs,
    withServerUs: serverUs === undefined ? undefined : serverUs + (cpuUs ?? 0),
  };
}

function perCall(before: number | undefined, after: number | undefined, calls: number): number | undefined {
  return before === undefined || after === undefined ? undefined : (after - before) / calls;
}

async function call(client: Client, subject: Subject, load: Load, index: number): Promise<void> {
  const { url, tool, headers } = subject.route(load, index) as Route;
  const said = `call ${index}`;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: index,
    method: 'tools/call',
    params: { name: tool, arguments: { text: said } },
  });
  const { status, answer } = await client.post(url, body, { ...HEADERS, ...headers });
  const json = answer.startsWith('{') ? answer : (/^data: (\{.*)$/m.exec(answer)?.[1] ?? '');
  const { id, result } = parsed(json);
  const given = result?.content?.[0]?.text;
  const right = load.tool === 'large' ? given?.length === 64 * 1024 : given === said;
  if (status !== 200 || id !== index || !right)
    throw new Error(`${subject.name} answered ${status} in "${load.name}": ${answer.length} ${answer.slice(0, 300)}`);
}

/** An empty object for text that is not JSON, which then counts as a wrong answer. */
function parsed(json: string): { id?: number; result?: { content?: { text: string }[] } } {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

interface Answered {
  readonly status: number;
  readonly answer: string;
}

/** An HTTP client with persistent connections. */
interface Client {
  post(url: string, body: string, headers: Record<string, string>): Promise<Answered>;
  close(): Promise<void> | void;
}

const CONNECTIONS = 64;

/** From the cheapest to the most expensive; programs made with the SDK use `fetch`. */
const CLIENTS: Readonly<Record<'request' | NonNullable<Load['client']>, () => Client>> = {
  request: () =>
    undiciClient(async (url, sending) => {
      const response = await request(url, sending);
      return { status: response.statusCode, answer: await response.body.text() };
    }),
  'node:http': () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    return {
      async post(url, body, headers) {
        const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
          http.request(url, { method: 'POST', agent, headers }, resolve).on('error', reject).end(body);
        });
        return { status: response.statusCode as number, answer: await text(response) };
      },
      close: () => agent.destroy(),
    };
  },
  fetch: () =>
    undiciClient(async (url, sending) => {
      const response = await fetch(url, sending);
      return { status: response.status, answer: await response.text() };
    }),
};

interface Sending {
  readonly method: 'POST';
  readonly dispatcher: Agent;
  readonly body: string;
  readonly headers: Record<string, string>;
}

function undiciClient(send: (url: string, sending: Sending) => Promise<Answered>): Client {
  const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  return {
    post: (url, body, headers) => send(url, { method: 'POST', dispatcher, body, headers }),
    close: () => dispatcher.close(),
  };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** CPU time of all threads of the processes so far, in nanosecond steps; undefined if the system has no schedstat. */
export function cpuMicros(pids: readonly number[]): number | undefined {
  if (pids.length === 0) return undefined;
  try {
    return pids
      .flatMap(threadsOf)
      .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1_000, 0);
  } catch {
    return undefined;
  }
}

function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}/schedstat`);
}

/** Resident memory of processes in megabytes. */
export function residentMb(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      return sum + (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4_096) / 1e6;
    } catch {
      return sum;
    }
  }, 0);
}
