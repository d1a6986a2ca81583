import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createHome, startBindery, untilKnown } from '../support/running-bindery.ts';
import { type RealServer, ROOT, startServers, type Target } from './servers.ts';

const run = promisify(execFile);
const probe = fileURLToPath(new URL('probe.mjs', import.meta.url));

export interface ClientUnderTest {
  readonly id: string;
  readonly about: string;
  readonly module: string;
  readonly options?: object;
}

/** The clients that people connect with; those of `npm ci` alone are the SDK's. */
export const CLIENTS: readonly ClientUnderTest[] = [
  { id: 'SDK 2, auto', about: '@modelcontextprotocol/client', module: 'sdk-2', options: { mode: 'auto' } },
  { id: 'SDK 2, legacy', about: '@modelcontextprotocol/client', module: 'sdk-2', options: { mode: 'legacy' } },
  {
    id: 'SDK 2, pinned to 2026-07-28',
    about: '@modelcontextprotocol/client',
    module: 'sdk-2',
    options: { mode: { pin: '2026-07-28' } },
  },
  { id: 'SDK 1', about: '@modelcontextprotocol/sdk', module: 'sdk-1' },
  { id: 'Inspector CLI', about: '@modelcontextprotocol/inspector', module: 'inspector' },
  { id: 'AI SDK', about: '@ai-sdk/mcp', module: 'ai-sdk' },
  { id: 'LangChain', about: '@langchain/mcp-adapters', module: 'langchain' },
  { id: 'OpenAI Agents', about: '@openai/agents', module: 'openai-agents' },
  { id: 'mcp-remote', about: 'mcp-remote', module: 'mcp-remote', options: { protocol: 'legacy' } },
  { id: 'mcp-remote, auto', about: 'mcp-remote', module: 'mcp-remote', options: { protocol: 'auto' } },
];

/** `both` works either way, `gateway` only through it, `direct` was lost, `neither` works nowhere. */
export type Verdict = 'both' | 'gateway' | 'direct' | 'neither';

export interface Cell {
  readonly client: string;
  readonly server: string;
  readonly feature: string;
  readonly verdict: Verdict;
  /** What went wrong where it did. */
  readonly direct: string;
  readonly through: string;
}

/** Clients that came one after the other, called once and went. */
export interface ShortLived {
  readonly server: string;
  readonly served: number;
  readonly clients: number;
  readonly failures: readonly string[];
}

export interface Matrix {
  readonly servers: readonly Pick<RealServer, 'id' | 'about'>[];
  readonly cells: readonly Cell[];
  readonly shortLived: readonly ShortLived[];
}

const SHORT_LIVED_CLIENTS = 20;
const AT_ONCE = 5;

/** Tries every feature of every server with every client, directly and through a gateway. */
export async function tryClients(
  clients: readonly ClientUnderTest[],
  wanted: (server: string) => boolean = () => true,
  onDone: (client: string, server: string) => void = () => {},
): Promise<Matrix> {
  const home = await createHome({});
  const files = join(home.dir, 'files');
  await mkdir(join(files, ROOT), { recursive: true });
  await writeFile(join(files, 'note.txt'), 'A note.');
  const env = { PATH: process.env.PATH ?? '', HOME: home.dir };
  const all = await startServers(files, env);
  const servers = all.filter(({ id }) => wanted(id));
  await home.writeConfig({
    mcp: { servers: Object.fromEntries(servers.map(({ id, entry }) => [id, entry])) },
    gateway: {
      profiles: Object.fromEntries(servers.map(({ id }) => [id, { names: 'bare', servers: [id], exposure: 'all' }])),
    },
  });
  const bindery = await startBindery(home);
  const roots = [files, join(files, ROOT)];
  const throughGateway = ({ id }: RealServer): Target => ({ kind: 'http', url: `${bindery.mcpUrl}/${id}`, env, roots });
  try {
    await untilKnown(bindery, ...servers.map(({ id }) => id));
    const pairs = clients.flatMap((client) => servers.map((server) => ({ client, server })));
    const cells = await atOnce(pairs, async ({ client, server }) => {
      const [direct, gateway] = await Promise.all([
        tryFeatures(client, { ...server.target, roots }, server.probes),
        tryFeatures(client, throughGateway(server), server.probes),
      ]);
      onDone(client.id, server.id);
      return compare(client.id, server.id, direct, gateway);
    });
    const stdio = servers.filter(({ target }) => target.kind === 'stdio');
    const shortLived = await atOnce(stdio, async (server) => {
      const outcome = await tryShortLived(clients, server, throughGateway(server));
      onDone(`${SHORT_LIVED_CLIENTS} short-lived clients`, server.id);
      return outcome;
    });
    return { servers, cells: cells.flat(), shortLived };
  } finally {
    await bindery.stop();
    for (const server of all) server.stop();
    await home.remove();
  }
}

/** Does the work for each item, for a few at a time; the results stand in the order of the items. */
async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const worker = async () => {
    for (const [at, item] of entries) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Clients of all kinds in turn, each in a process of its own that ends after its call. */
async function tryShortLived(
  clients: readonly ClientUnderTest[],
  { id, probes }: RealServer,
  target: Target,
): Promise<ShortLived> {
  const { call } = probes as { call: object };
  const failures: string[] = [];
  for (let count = 0; count < SHORT_LIVED_CLIENTS; count += 1) {
    const client = clients[count % clients.length] as ClientUnderTest;
    const { call: outcome = 'no' } = await tryFeatures(client, target, { call });
    if (outcome !== 'yes') failures.push(`${client.id}: ${outcome}`);
  }
  const clientsInAll = SHORT_LIVED_CLIENTS;
  return { server: id, served: clientsInAll - failures.length, clients: clientsInAll, failures };
}

async function tryFeatures(
  { module, options }: ClientUnderTest,
  target: Target,
  probes: object,
): Promise<Record<string, string>> {
  const task = JSON.stringify({ driver: { module, options }, target, probes });
  const { stdout } = await run(process.execPath, [probe, task], { maxBuffer: 64 << 20 });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
}

function compare(
  client: string,
  server: string,
  direct: Record<string, string>,
  through: Record<string, string>,
): readonly Cell[] {
  return Object.keys(direct).map((feature) => {
    const [alone, beyond] = [direct[feature] === 'yes', through[feature] === 'yes'];
    const verdict = alone ? (beyond ? 'both' : 'direct') : beyond ? 'gateway' : 'neither';
    return { client, server, feature, verdict, direct: direct[feature] ?? '', through: through[feature] ?? '' };
  });
}
