import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createAdaptorServer } from '@hono/node-server';
import { Pool } from 'undici';
import { reviewOperations } from '../src/civic/review/operations.ts';
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
import { common, ITEMS } from '../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS } from '../src/store/civic/testing/sample-corpus.ts';
import { writeFiles } from '../src/store/civic/testing/write-room.ts';
import { WatchedCorpus } from '../src/store/corpus/watched-corpus.ts';

/**
 * Submissions a second through a trusted proxy that speaks for many addresses: schema, scrub, rate limit, store on disk.
 * The client runs in a thread of its own, so that the figure is the server's.
 */

const COUNT = Number(process.env.COUNT ?? 10_000);
const WARM_UP = Number(process.env.WARM_UP ?? 3000);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

interface Tally {
  readonly accepted: number;
  readonly refused: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

if (isMainThread) await serve();
else await flood(workerData as { url: string });

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
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { url } });
  await once(worker, 'message');
  const before = process.threadCpuUsage();
  const [tally] = (await once(worker, 'message')) as [Tally];
  const used = process.threadCpuUsage(before);
  const cpuUs = (used.user + used.system) / (tally.accepted + tally.refused);
  console.log(
    `submissions: ${Math.round(tally.accepted / tally.seconds)} per second accepted (${tally.accepted} in ${tally.seconds.toFixed(1)} s, ` +
      `${tally.refused} refused, ${CONNECTIONS} connections, p50 ${tally.p50.toFixed(1)} ms, p99 ${tally.p99.toFixed(1)} ms); ` +
      `${cpuUs.toFixed(0)} µs of the server's CPU each, so ${Math.round(1e6 / cpuUs)} per second on a core of its own`,
  );
  server.close();
  opened.close();
  rmSync(scratch, { recursive: true, force: true });
}

async function flood({ url }: { url: string }): Promise<void> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  await send(pool, 0, WARM_UP);
  parentPort?.postMessage('warm');
  const began = performance.now();
  const { count, times } = await send(pool, WARM_UP, COUNT);
  const seconds = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  parentPort?.postMessage({ ...count, seconds, p50: at(0.5), p99: at(0.99) } satisfies Tally);
  await pool.close();
}

async function send(pool: Pool, first: number, total: number) {
  const count = { accepted: 0, refused: 0 };
  const times: number[] = [];
  let sent = first;
  const lane = async () => {
    while (sent < first + total) {
      const n = sent++;
      const began = performance.now();
      const response = await pool.request({
        path: '/api/concerns',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': addressOf(n) },
        body: JSON.stringify(submission(n)),
      });
      await response.body.dump();
      times.push(performance.now() - began);
      if (response.statusCode === 202) count.accepted++;
      else count.refused++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  return { count, times };
}

function submission(n: number) {
  const report = `On visit ${n} the desk asked for the signed form and one copy of the card. The page names neither, and the fee was paid by transfer before the visit.`;
  return { ...common(), ...ITEMS.concern, report };
}

/** Nobody sends twice within the limit: each address is used for five submissions. */
function addressOf(n: number): string {
  const address = Math.floor(n / 5);
  return `100.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`;
}
