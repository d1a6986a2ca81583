import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';

const CLIENTS = 200;
const ROUNDS = 4;
const program = fileURLToPath(new URL('../fixtures/servers/confiding-server.ts', import.meta.url));
const pipeProgram = fileURLToPath(new URL('../fixtures/servers/confiding-pipe.ts', import.meta.url));
const SERVERS = ['sessions', 'modern', 'pipe'] as const;

const servers: ChildProcess[] = [];
let sessionsUrl: string;
let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  sessionsUrl = await startServer('sessions-2025');
  // Servers that are killed on purpose must not be left alone for it.
  const breaker = { failures: 1_000, open_ms: 1_000 };
  home = await createHome({
    mcp: {
      servers: {
        sessions: { transport: 'http', url: sessionsUrl, breaker },
        modern: { transport: 'http', url: await startServer('modern-2026') },
        pipe: { transport: 'stdio', command: process.execPath, args: [pipeProgram], breaker },
      },
    },
    gateway: { exposure: 'all' },
  });
  bindery = await startBindery(home);
  await untilKnown(bindery, ...SERVERS);
});

afterAll(async () => {
  await bindery?.stop();
  for (const server of servers) server.kill();
  await home?.remove();
});

async function startServer(kind: string): Promise<string> {
  const child = spawn(process.execPath, [program, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(child);
  const [url] = await once(createInterface({ input: child.stdout }), 'line');
  return String(url);
}

/** A client that writes down everything it is told, and answers questions with its own word. */
interface Confidant {
  readonly secret: string;
  readonly asked: boolean;
  readonly client: Client;
  /** Everything that reached it: questions, progress, answers. */
  readonly heard: string[];
}

async function openConfidant(index: number): Promise<Confidant> {
  const asked = index % 2 === 0;
  const secret = `secret-${index}-of-its-owner`;
  const mode = index % 4 < 2 ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client(
    { name: `client-${index}`, version: '1.0.0' },
    { capabilities: asked ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: mode as 'legacy' } },
  );
  const heard: string[] = [];
  if (asked)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      heard.push(params.message);
      // The gateway says who asks.
      const said = params.message.replace(/^\[server \w+ asks\] /, '');
      return { action: 'accept' as const, content: { word: `word-for-${said}` } };
    });
  await client.connect(new StreamableHTTPClientTransport(new URL(bindery.mcpUrl)));
  return { secret, asked, client, heard };
}

async function confide({ client, secret, heard, asked }: Confidant, server: string): Promise<string> {
  const call = { name: `${server}__${asked ? 'ask' : 'repeat'}`, arguments: { secret } };
  const onprogress = ({ message }: { message?: string | undefined }) => void heard.push(message ?? '');
  try {
    const { content, isError } = await client.callTool(call, { onprogress });
    const text = (content as { text: string }[]).map((part) => part.text).join(' ');
    if (isError) return text;
    expect(text).toBe(asked ? `${secret} word-for-${secret}` : secret);
    heard.push(text);
    return 'answered';
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AssertionError') throw cause;
    return String(cause);
  }
}

/** Whether a text carries a secret of another client. */
function isForeign(text: string, secret: string): boolean {
  return (text.match(/secret-\d+-of-its-owner/g) ?? []).some((told) => told !== secret);
}

/** Ends every session of the one server and a process of the other, again and again. */
async function disturb(signal: AbortSignal): Promise<void> {
  const client = new Client({ name: 'killer', version: '1.0.0' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(bindery.mcpUrl)));
  while (!signal.aborted) {
    await fetch(new URL('/sessions', sessionsUrl), { method: 'DELETE' });
    await client.callTool({ name: 'pipe__die', arguments: {} }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  await client.close();
}

test('200 clients of both revisions hear their own secrets only, while sessions and processes are killed [gateway:R2] [gateway:R6]', async () => {
  const confidants = await Promise.all(Array.from({ length: CLIENTS }, (_, index) => openConfidant(index)));
  const stop = new AbortController();
  const disturbance = disturb(stop.signal);
  const outcomes = new Map<string, number>();
  await Promise.all(
    confidants.map(async (confidant, index) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const server = SERVERS[(index + round) % SERVERS.length] as string;
        const outcome = await confide(confidant, server);
        const key = `${server} ${outcome === 'answered' ? outcome : 'failed'}`;
        outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
      }
    }),
  );
  stop.abort();
  await disturbance;

  const overheard = confidants.flatMap(({ secret, heard }) => heard.filter((text) => isForeign(text, secret)));
  expect(overheard).toEqual([]);
  expect(confidants.filter(({ asked, heard }) => asked && heard.length === 0)).toEqual([]);
  // What was not disturbed is answered; what was ends in an error of its own, and works again afterwards.
  for (const server of SERVERS) expect(outcomes.get(`${server} answered`)).toBeGreaterThan(0);
  expect(outcomes.get('modern failed')).toBeUndefined();
  for (const confidant of confidants.slice(0, 8)) expect(await confide(confidant, 'sessions')).toBe('answered');
  await Promise.all(confidants.map(({ client }) => client.close()));
}, 120_000);
