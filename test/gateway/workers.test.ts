import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { openSession, type RpcAnswer } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  isAlive,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

let upstream: Server;
let home: BinderyHome;
let bindery: RunningBindery;

/** A server over HTTP without sessions: `echo` answers at once, `slow` after half a second. */
function createUpstream(): Server {
  const tools = ['echo', 'slow', 'asked', 'limited'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'up', version: '1' },
    },
    'tools/list': { tools },
    ping: {},
  };
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return response.writeHead(202).end();
    if (params?.name === 'slow') await new Promise((next) => setTimeout(next, 500));
    const result = results[method] ?? { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] };
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}

beforeAll(async () => {
  upstream = createUpstream();
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
  home = await createHome({ mcp: { servers: { up: { transport: 'http', url } } }, gateway: { exposure: 'all' } });
  const operations = { asked: { approval_required: true }, limited: { rate_per_minute: 2 } };
  const policy = { version: '1.0', allowlist: { servers: ['up'], operations } };
  await writeFile(join(home.dir, '.bindery', 'project_mcp.json'), JSON.stringify(policy));
  bindery = await startBindery(home, '--workers', '2');
  await untilKnown(bindery, 'up');
}, 60_000);

afterAll(async () => {
  if (bindery.process.exitCode === null && bindery.process.signalCode === null) await bindery.stop('SIGKILL');
  upstream.closeAllConnections();
  upstream.close();
  await home.remove();
});

/** Calls on connections of their own, so that they reach every worker. */
async function calls(count: number, tool = 'echo'): Promise<string[]> {
  const session = await openSession(bindery.mcpUrl);
  const answers = await Promise.all(
    Array.from({ length: count }, (_, at) => session.request('tools/call', { name: `up__${tool}`, arguments: { at } })),
  );
  return answers.map(textOf);
}

function textOf({ result }: RpcAnswer): string {
  return (result as { content: { text: string }[] }).content[0]?.text ?? '';
}

const echoed = (count: number) => Array.from({ length: count }, (_, at) => JSON.stringify({ at }));

/** How many records each chain has. */
function chains(): Map<string, number> {
  return readAudit(home.dataDir, (reader) => {
    expect(reader.verify()).toMatchObject({ ok: true, first_bad: null });
    return new Map([...reader.heads()].map(([chain, { seq }]) => [chain, seq]));
  });
}

async function untilBothWork(): Promise<void> {
  await until('both workers have recorded calls', async () => {
    await calls(8);
    const counted = chains();
    return counted.has('local/1') && counted.has('local/2');
  });
}

function workerPids(): number[] {
  const parent = bindery.process.pid;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

test('two workers answer every call, each with a chain of its own, and all chains verify [gateway:R3] [gateway:U6] [gateway:A4]', async () => {
  await untilBothWork();
  expect(await calls(50)).toEqual(echoed(50));
  await until('the primary has counted what workers served', async () => {
    const text = await (await fetch(`${bindery.url}/metrics`)).text();
    const counted = Number(/bindery_calls_total\{server="up",outcome="ok"\} (\d+)/.exec(text)?.[1]);
    return counted * 2 === [...chains()].reduce((sum, [, seq]) => sum + seq, 0);
  });
});

test('events tell of the calls of every worker, each once [gateway:R3] [gateway:D4]', async () => {
  await untilBothWork();
  const abort = new AbortController();
  const events = await fetch(`${bindery.url}/v1/events`, { signal: abort.signal });
  let text = '';
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of events.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  })().catch(() => {});
  await calls(12);
  const told = () =>
    [...text.matchAll(/^event: audit.appended\ndata: (.*)$/gm)]
      .flatMap(([, data]) => JSON.parse(data as string).data.items as { kind: string; arguments: { at: number } }[])
      .filter(({ kind }) => kind === 'call');
  await until('all calls are told', () => told().length >= 12);
  abort.abort();
  await reading;
  expect(
    told()
      .map(({ arguments: { at } }) => at)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 12 }, (_, at) => at));
});

test('what people decide and what is counted is one for all workers [gateway:R3]', async () => {
  await untilBothWork();
  const asked = calls(1, 'asked');
  let id: string | undefined;
  await until('the approval is there', async () => {
    const { items } = (await (await fetch(`${bindery.url}/v1/approvals`)).json()) as { items: { id: string }[] };
    id = items[0]?.id;
    return id !== undefined;
  });
  const token = readFileSync(join(home.dataDir, 'admin.token'), 'utf8').trim();
  const decided = await fetch(`${bindery.url}/v1/approvals/${id}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ decision: 'approve' }),
  });
  expect([decided.status, await asked]).toEqual([200, echoed(1)]);
  const limited = await calls(6, 'limited');
  expect(limited.filter((text) => text.startsWith('RATE_LIMITED'))).toHaveLength(4);
});

test('a session that ended has ended for every worker [gateway:S3] [gateway:R3]', async () => {
  await untilBothWork();
  const session = await openSession(bindery.mcpUrl);
  const params = { name: 'up__echo', arguments: {} };
  await Promise.all(Array.from({ length: 8 }, () => session.request('tools/call', params)));
  await fetch(bindery.mcpUrl, { method: 'DELETE', headers: { 'mcp-session-id': session.id } });
  await until('no worker knows it', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, id) => (await session.send({ id, method: 'tools/call', params })).status),
    );
    return statuses.every((status) => status === 404);
  });
});

test('a worker that is killed is replaced and its chain goes on; SIGTERM lets calls end and leaves nobody [gateway:R3] [gateway:G6]', async () => {
  await untilBothWork();
  const [killed = 0] = workerPids();
  process.kill(killed, 'SIGKILL');
  await until('another one is there', async () => workerPids().length === 2 && !workerPids().includes(killed));
  await until('it serves', async () => (await calls(4).catch(() => [])).length === 4);
  await untilBothWork();
  expect([...chains().keys()]).toEqual(['local/0', 'local/1', 'local/2']);
  const pids = workerPids();
  const running = calls(6, 'slow');
  await until(
    'they run',
    async () => (await new Promise<number>((next) => upstream.getConnections((_, n) => next(n)))) >= 6,
  );
  await new Promise((next) => setTimeout(next, 100));
  expect(await bindery.stop()).toBe(0);
  expect([await running, pids.filter(isAlive)]).toEqual([echoed(6), []]);
  chains();
});
