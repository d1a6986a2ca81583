import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { reviewOperations } from '../src/civic/review/operations.ts';
import type { CivicStore } from '../src/civic/submissions/civic-store.ts';
import { createWriteDeps, recover } from '../src/civic/submissions/create-write-deps.ts';
import { submissionOperations } from '../src/civic/submissions/operations.ts';
import { trustProxies } from '../src/civic/trust/client-address.ts';
import { Salts } from '../src/civic/trust/salts.ts';
import { peerAddress } from '../src/cli/peer-address.ts';
import { bindRoom } from '../src/contract/operation.ts';
import { createHttpApp } from '../src/http/app.ts';
import { corpusFiles } from '../src/store/civic/corpus-files.ts';
import { openCivicStore } from '../src/store/civic/open-civic-store.ts';
import { pooledRandom } from '../src/store/civic/pooled-random.ts';
import { SAMPLE_CORPUS } from '../src/store/civic/testing/sample-corpus.ts';
import { writeFiles } from '../src/store/civic/testing/write-room.ts';
import { WatchedCorpus } from '../src/store/corpus/watched-corpus.ts';
import type { FloodOrder, FloodTally } from './civic-flood.ts';

/**
 * Submissions a second through a trusted proxy that speaks for many addresses: schema, scrub, rate limit, store on disk.
 * The client is a process of its own (civic-flood.ts); the server's CPU time covers all its threads.
 */

const COUNT = Number(process.env.COUNT ?? 10_000);
const WARM_UP = Number(process.env.WARM_UP ?? 3000);
const SLICE = 250;
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

await serve();

async function serve(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'civic-bench-'));
  const corpusDir = join(scratch, 'corpus');
  writeFiles(corpusDir, SAMPLE_CORPUS);
  const clock = { now: Date.now };
  const random = pooledRandom({ bytes: (length) => randomBytes(length) });
  const opened = openCivicStore(join(scratch, 'data'));
  const corpus = new WatchedCorpus({
    dir: corpusDir,
    log: silent,
    context: async () => ({ generatedAt: () => new Date().toISOString() }),
  });
  const salts = new Salts({ store: opened.salts, random, clock, pepper: random.bytes(32) });
  const desk = { store: opened.store, salts, files: corpusFiles(corpusDir, corpus), clock, random, log: silent };
  const deps = createWriteDeps(desk, {
    proxies: trustProxies(['127.0.0.0/8', '::1/128']),
    maintainerTokens: () => [],
    baseUrl: () => 'http://127.0.0.1',
    hasProvider: () => false,
  });
  await recover(deps);
  const room = { name: 'civic', summary: 'bench', operations: [...submissionOperations, ...reviewOperations] };
  let requests = 0;
  const app = createHttpApp({
    rooms: [bindRoom(room, deps)],
    version: '0',
    log: silent,
    newRequestId: () => String(++requests),
    peerAddress,
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const marks = markCpu(server);
  const client = fork(fileURLToPath(new URL('civic-flood.ts', import.meta.url)));
  client.send({ port, connections: CONNECTIONS, warmUp: WARM_UP, count: COUNT } satisfies FloodOrder);
  await once(client, 'message');
  const stored = storedCount(deps.store);
  const before = process.cpuUsage();
  client.send('go');
  const [tally] = (await once(client, 'message')) as [FloodTally];
  const used = process.cpuUsage(before);
  const cpuUs = (used.user + used.system) / COUNT;
  const slices = cpuPerRequest(marks);
  const kept = storedCount(deps.store) - stored;
  console.log(
    `submissions: ${Math.round(tally.accepted / tally.seconds)} per second accepted (${tally.accepted} of ${COUNT} in ${tally.seconds.toFixed(1)} s, ` +
      `${kept} stored, ${CONNECTIONS} connections, p50 ${tally.p50Ms.toFixed(1)} ms, p99 ${tally.p99Ms.toFixed(1)} ms); ` +
      `${cpuUs.toFixed(0)} µs of the server's CPU each (client ${tally.clientCpuUs.toFixed(0)} µs), so ${Math.round(1e6 / cpuUs)} per second on a core of its own; ` +
      `of slices of ${SLICE} requests the median took ${slices.median.toFixed(0)} µs each, the least disturbed tenth ${slices.tenth.toFixed(0)} µs`,
  );
  server.close();
  opened.close();
  rmSync(scratch, { recursive: true, force: true });
  if (tally.accepted !== COUNT || kept !== COUNT) {
    console.error('not every submission was accepted and stored', tally.wrong);
    process.exitCode = 1;
  }
}

/** CPU time of this process at every so many requests: under other load the quickest slices tell most. */
function markCpu(server: ServerType): number[] {
  const marks: number[] = [];
  let requests = 0;
  server.on('request', () => {
    if (requests++ % SLICE !== 0 || requests < WARM_UP) return;
    const { user, system } = process.cpuUsage();
    marks.push(user + system);
  });
  return marks;
}

function cpuPerRequest(marks: readonly number[]): { median: number; tenth: number } {
  const slices = marks.slice(1).map((mark, index) => (mark - (marks[index] as number)) / SLICE);
  slices.sort((a, b) => a - b);
  const at = (share: number) => slices[Math.floor(slices.length * share)] ?? Number.NaN;
  return { median: at(0.5), tenth: at(0.1) };
}

/** Concerns in the store: each accepted submission of the bench is one. */
function storedCount(store: CivicStore): number {
  return store.artefactKeys().filter(({ type }) => type === 'concern').length;
}
