import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { z } from 'zod';
import { reviewOperations } from '../src/civic/review/operations.ts';
import { scrubSubmission } from '../src/civic/scrub/scrub-submission.ts';
import type { CivicStore } from '../src/civic/submissions/civic-store.ts';
import { createWriteDeps, recover } from '../src/civic/submissions/create-write-deps.ts';
import { submissionOperations } from '../src/civic/submissions/operations.ts';
import { trustProxies } from '../src/civic/trust/client-address.ts';
import { Salts } from '../src/civic/trust/salts.ts';
import { defaultFailures } from '../src/contract/execute.ts';
import { bindRoom, defineOperation, READ_ONLY } from '../src/contract/operation.ts';
import { pooledRandom } from '../src/contract/pooled-random.ts';
import { createHttpApp } from '../src/http/app.ts';
import { peerAddress } from '../src/runtime/http/peer-address.ts';
import { corpusFiles } from '../src/store/civic/corpus-files.ts';
import { openCivicStore } from '../src/store/civic/open-civic-store.ts';
import { SAMPLE_CORPUS, skill } from '../src/store/civic/testing/sample-corpus.ts';
import { writeFiles } from '../src/store/civic/testing/write-room.ts';
import { WatchedCorpus } from '../src/store/corpus/watched-corpus.ts';
import { type FloodOrder, type FloodTally, targetIds } from './civic-flood.ts';

/**
 * Submissions a second through a trusted proxy that speaks for many addresses: schema, scrub, rate limit, store on disk.
 * The client is a process of its own (civic-flood.ts); the server's CPU time covers all its threads.
 */

const COUNT = Number(process.env.COUNT ?? 10_000);
const WARM_UP = Number(process.env.WARM_UP ?? 3000);
const SLICE = 250;
const CONSTANT_PATH = '/constant';
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

async function serve(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'civic-bench-'));
  const corpusDir = join(scratch, 'corpus');
  const targets = targetIds(COUNT + WARM_UP).map((id) => [`skills/${id}/canonical.md`, skill(id, 'alpha')]);
  writeFiles(corpusDir, { ...SAMPLE_CORPUS, ...Object.fromEntries(targets) });
  const clock = { now: Date.now };
  const random = pooledRandom({ bytes: (length) => randomBytes(length) });
  const opened = openCivicStore(join(scratch, 'data'));
  const corpus = new WatchedCorpus({
    dir: corpusDir,
    log: silent,
    context: async () => ({ generatedAt: () => new Date().toISOString() }),
  });
  const salts = new Salts({ store: opened.salts, random, clock, pepper: random.bytes(32) });
  const desk = {
    store: opened.store,
    salts,
    files: corpusFiles(corpusDir, corpus),
    hasProvider: () => false,
    scrub: scrubSubmission,
    detectors: [],
    clock,
    random,
    log: silent,
  };
  const deps = createWriteDeps(desk, {
    proxies: trustProxies(['127.0.0.0/8', '::1/128']),
    maintainerTokens: () => [],
    baseUrl: () => 'http://127.0.0.1',
  });
  await recover(deps);
  const room = { name: 'civic', summary: 'bench', operations: [...submissionOperations, ...reviewOperations] };
  let requests = 0;
  const app = createHttpApp({
    rooms: [bindRoom(room, deps), bindRoom({ name: 'bench', summary: 'bench', operations: [constant] }, {})],
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
  const yardstick = await flood(
    { port, path: CONSTANT_PATH, connections: CONNECTIONS, warmUp: WARM_UP, count: COUNT },
    marks,
  );
  console.log(`constant handler: ${yardstick.figures}`);
  const before = storedCount(deps.store);
  const order = { port, path: '/api/concerns', connections: CONNECTIONS, warmUp: WARM_UP, count: COUNT };
  const submissions = await flood(order, marks);
  const kept = storedCount(deps.store) - before;
  console.log(`submissions: ${submissions.figures}; ${kept} stored`);
  server.close();
  opened.close();
  rmSync(scratch, { recursive: true, force: true });
  if (submissions.tally.accepted !== COUNT || kept !== COUNT + WARM_UP) {
    console.error('not every submission was accepted and stored', submissions.tally.wrong);
    process.exitCode = 1;
  }
}

/** Lets the client send, and reports the CPU time of this process. */
async function flood(order: FloodOrder, marks: number[]): Promise<{ tally: FloodTally; figures: string }> {
  const client = fork(fileURLToPath(new URL('civic-flood.ts', import.meta.url)));
  client.send(order);
  await once(client, 'message');
  marks.length = 0;
  const before = process.cpuUsage();
  client.send('go');
  const [tally] = (await once(client, 'message')) as [FloodTally];
  const used = process.cpuUsage(before);
  const cpuUs = (used.user + used.system) / COUNT;
  const slices = cpuPerRequest(marks);
  const figures =
    `${Math.round(tally.accepted / tally.seconds)} per second accepted (${tally.accepted} of ${COUNT} in ${tally.seconds.toFixed(1)} s, ` +
    `${CONNECTIONS} connections, p50 ${tally.p50Ms.toFixed(1)} ms, p99 ${tally.p99Ms.toFixed(1)} ms); ` +
    `${cpuUs.toFixed(0)} µs of the server's CPU each (client ${tally.clientCpuUs.toFixed(0)} µs), so ${Math.round(1e6 / cpuUs)} per second on a core of its own; ` +
    `of slices of ${SLICE} requests the median took ${slices.median.toFixed(0)} µs each, the least disturbed tenth ${slices.tenth.toFixed(0)} µs`;
  return { tally, figures };
}

/** The minimal work of the server for such a request: the baseline for the cost of a submission. */
const constant = defineOperation({
  id: 'bench.constant',
  summary: 'Answers as a submission is answered, and does nothing.',
  input: z.unknown(),
  output: z.object({ submission_id: z.string(), type: z.string(), status: z.string() }),
  hints: READ_ONLY,
  http: { method: 'POST', path: CONSTANT_PATH, read: (parts) => parts.body, meta: () => ({ status: 202 }) },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async () => ({ submission_id: `sub_${randomUUID()}`, type: 'concern', status: 'accepted' }),
});

/** CPU time of this process at regular request counts: on a busy machine the fastest slices are the most accurate. */
function markCpu(server: ServerType): number[] {
  const marks: number[] = [];
  let requests = 0;
  server.on('request', () => {
    if (requests++ % SLICE !== 0) return;
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

await serve();
