import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostileInput } from '../support/hostile-input.ts';
import { testedProgram } from '../support/program.ts';
import { openSession } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  rssOf,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';

/** How many inputs each edge gets; a release is tried with 100,000. */
const INPUTS = Number(process.env.GATEWAY_FUZZ_INPUTS ?? 2_000);
const SEED = Number(process.env.GATEWAY_FUZZ_SEED ?? 1);
const AT_ONCE = 16;
/** Longer than anything that is answered at all: who is silent for this long hangs. */
const HANG_MS = 30_000;
const RSS_MAX_MB = 500;

const stdioServer = fileURLToPath(new URL('../fixtures/servers/stdio-server.ts', import.meta.url));

let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  home = await createHome({
    mcp: { servers: { pipe: { transport: 'stdio', command: process.execPath, args: [stdioServer] } } },
    gateway: { profiles: { bare: { names: 'bare', servers: ['pipe'] } } },
  });
  bindery = await startBindery(home);
  await untilKnown(bindery, 'pipe');
});

afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
});

test(
  '[gateway:FUZZ] whatever comes over HTTP is answered, and the gateway stays well',
  async () => {
    const input = new HostileInput(SEED);
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const sessions = await Promise.all(
      ['2025-11-25', '2025-03-26'].map((protocolVersion) => openSession(bindery.mcpUrl, { protocolVersion })),
    );
    const ids = sessions.map(({ id }) => id);
    const bad: string[] = [];
    const statuses = new Map<number, number>();
    const beforeMb = rssOf(bindery.process.pid);
    let sent = 0;
    const worker = async () => {
      while (sent < INPUTS) {
        const place = sent;
        sent += 1;
        const { path, verb, headers, body } = hostileRequest(input, ids);
        const { status, text } = await exchange(agent, path, verb, headers, body);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (!isSound(status, text))
          bad.push(`#${place} ${verb} ${path} ${body.toString('latin1').slice(0, 300)} → ${status} ${text}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    agent.destroy();
    const well = await sessions[0]?.request('tools/call', { name: 'pipe__echo', arguments: { message: 'well' } });
    const rssMb = rssOf(bindery.process.pid);
    console.log(
      `http: ${INPUTS} inputs, statuses ${JSON.stringify(Object.fromEntries(statuses))}, ${beforeMb} MB before, ${rssMb} MB after`,
    );
    expect({
      bad: bad.slice(0, 5),
      well: (well?.result as { content: unknown } | undefined)?.content,
      errors: bindery.stderr().match(/.*a request failed.*/g),
      small: rssMb < RSS_MAX_MB,
    }).toEqual({ bad: [], well: [{ type: 'text', text: 'well' }], errors: null, small: true });
  },
  HANG_MS + INPUTS * 30,
);

test(
  '[gateway:FUZZ] whatever comes over stdio is survived, and the last request is answered',
  async () => {
    const own = await createHome({ mcp: { servers: {} } });
    const child = spawn(process.execPath, [testedProgram, 'stdio'], {
      cwd: own.cwd,
      env: own.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    const unsound: string[] = [];
    let answers = 0;
    let rssMb = 0;
    const last = new Promise<void>((resolve) => {
      // As many clients read: it ends lines at U+2028 as well.
      createInterface({ input: child.stdout }).on('line', (line) => {
        answers += 1;
        if (!isMessage(line)) unsound.push(line);
        if (!line.includes('"the last one"')) return;
        rssMb = rssOf(child.pid);
        resolve();
      });
    });
    const input = new HostileInput(SEED + 1);
    const write = async (bytes: Buffer) => {
      if (!child.stdin.write(bytes)) await once(child.stdin, 'drain');
    };
    for (let sent = 0; sent < INPUTS; sent += 1) await write(Buffer.concat([input.body(), Buffer.from('\n')]));
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    await write(
      Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: hello })}\n`),
    );
    await write(Buffer.from('{"jsonrpc":"2.0","id":"the last one","method":"ping"}\n'));
    const ended = once(child, 'exit');
    await last;
    child.stdin.end();
    const [code] = await ended;
    console.log(`stdio: ${INPUTS} inputs, ${answers} messages back, ${rssMb} MB`);
    await own.remove();
    expect({
      unsound: unsound.slice(0, 3),
      code,
      errors: stderr.match(/a request failed.*/g),
      small: rssMb < RSS_MAX_MB,
    }).toEqual({
      unsound: [],
      code: 0,
      errors: null,
      small: true,
    });
  },
  HANG_MS + INPUTS * 30,
);

function hostileRequest(input: HostileInput, sessions: readonly string[]) {
  const body = input.body();
  const own = input.chance < 0.6;
  const headers: Record<string, string> = {
    'content-type':
      input.chance < 0.95 ? 'application/json' : input.pick(['text/plain', 'application/json; charset=utf-8', '']),
    accept: input.pick(['application/json, text/event-stream', 'application/json', '*/*', 'text/event-stream']),
    ...(own ? { 'mcp-session-id': input.pick(sessions) } : {}),
    ...(input.chance < 0.1 ? { 'mcp-session-id': input.pick(['', 'bs1..', 'bs1.e30.e30', 'x'.repeat(2_000)]) } : {}),
    ...(input.chance < 0.3
      ? { 'mcp-protocol-version': input.pick(['2026-07-28', '2025-11-25', '1', '2099-01-01']) }
      : {}),
    ...(input.chance < 0.3 ? { 'mcp-method': input.pick(['tools/call', 'tools/list', '=?base64?x?=']) } : {}),
    ...(input.chance < 0.3
      ? { 'mcp-name': input.pick(['pipe__echo', '=?base64?cGlwZV9fZWNobw==?=', '=?base64??=']) }
      : {}),
    ...(input.chance < 0.05 ? { origin: input.pick(['https://evil.example', 'null', '::']) } : {}),
    ...(input.chance < 0.05 ? { 'last-event-id': 'x' } : {}),
  };
  const verb = input.chance < 0.9 ? 'POST' : input.pick(['GET', 'PUT', 'OPTIONS', 'PATCH', 'DELETE']);
  // The sessions of the test are not to be ended.
  if (verb === 'DELETE') delete headers['mcp-session-id'];
  const path =
    input.chance < 0.8 ? '/mcp' : input.pick(['/mcp/bare', '/mcp/', '/mcp/unknown', '/mcp?x=1', '/mcp/__proto__']);
  return { path, verb, headers, body };
}

/** Sends one request; of a stream only the beginning is awaited, and then the client is gone. */
function exchange(agent: Agent, path: string, method: string, headers: Record<string, string>, body: Buffer) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const outgoing = request(`${bindery.url}${path}`, {
      agent,
      method,
      headers: { ...headers, 'content-length': body.length },
    });
    outgoing.setTimeout(HANG_MS, () => outgoing.destroy(new Error(`no answer to ${body.toString('latin1')}`)));
    outgoing.on('error', reject);
    outgoing.on('response', (response: IncomingMessage) => {
      const status = response.statusCode ?? 0;
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.on('error', () => {});
        outgoing.off('error', reject).on('error', () => {});
        response.destroy();
        resolve({ status, text: '' });
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString('utf8') }));
      response.on('error', reject);
    });
    outgoing.end(body);
  });
}

/** Never an answer of an unforeseen kind: no 5xx, no internal error, nothing that is no message. */
function isSound(status: number, text: string): boolean {
  if (status >= 500 || text.includes('Internal error')) return false;
  return text === '' || status === 404 || isMessage(text);
}

function isMessage(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text);
    return [message].flat().every((one) => (one as { jsonrpc?: unknown }).jsonrpc === '2.0');
  } catch {
    return false;
  }
}
