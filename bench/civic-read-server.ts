import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { withBaseUrl } from '../src/civic/failures.ts';
import type { ReadDeps } from '../src/civic/reads/ports.ts';
import { civicReadRoom, readOperations } from '../src/civic/reads/room.ts';
import { admitRead } from '../src/civic/submissions/write-deps.ts';
import { readCivicConfig } from '../src/cli/rooms/civic-config.ts';
import { openWriteSide } from '../src/cli/rooms/civic-write.ts';
import { bindRoom } from '../src/contract/operation.ts';
import { createHttpApp } from '../src/http/app.ts';
import { hostHeaderCheck } from '../src/runtime/http/host-header-check.ts';
import { peerAddress } from '../src/runtime/http/peer-address.ts';
import { storedHealth } from '../src/store/civic/stored-health.ts';
import { WatchedCorpus } from '../src/store/corpus/watched-corpus.ts';

/** Child of the benchmark: serves a corpus as `bindery up` does, and each path once more from a constant. */

const [dir = '', ...paths] = process.argv.slice(2);
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const corpus = new WatchedCorpus({
  dir,
  log: silent,
  context: () => ({ generatedAt: () => '2026-10-01T00:00:00.000Z' }),
});
await corpus.refresh();
const clock = { now: Date.now };
const baseUrl = () => 'http://127.0.0.1:7717';
const dataDir = join(dir, '..', 'data');
const write = openWriteSide({
  dir,
  corpus,
  config: readCivicConfig(join(dataDir, 'config.json')),
  trustedProxies: [],
  maintainerTokens: () => [],
  dataDir,
  registryFile: join(dataDir, 'registry.db'),
  clock,
  testClock: undefined,
  random: { bytes: (length) => randomBytes(length) },
  log: silent,
  linkProbe: undefined,
  detectors: [],
  baseUrl,
  providers: () => undefined,
});
const deps: ReadDeps = {
  corpus,
  providers: { directory: () => undefined, isRemoved: () => false },
  health: storedHealth(write.deps.store),
  schemas: {},
  scrubRules: [],
  clock,
  log: silent,
  baseUrl,
  admitRead: (call) => admitRead(write.deps, call),
  countDeprecated: () => {},
};
const NO_OTHERS: readonly string[] = [];
const room = bindRoom({ ...civicReadRoom, operations: withBaseUrl(readOperations, deps.baseUrl) }, deps);
const common = { rooms: [room], version: '0', log: silent, newRequestId: randomUUID, peerAddress };
const app = createHttpApp({ ...common, acceptsHost: hostHeaderCheck(deps.baseUrl, () => NO_OTHERS, NO_OTHERS) });
const plain = createHttpApp(common);
const constant = new Hono();
for (const path of paths) {
  const answer = await plain.request(path);
  const [body, headers] = [await answer.text(), Object.fromEntries(answer.headers)];
  // The same bytes and headers, so that both write the same.
  constant.get(path, () => new Response(body, { headers }));
}

async function listen(fetch: Hono['fetch']): Promise<number> {
  const server = createAdaptorServer({ fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.on('message', () => process.send?.(process.cpuUsage()));
process.on('disconnect', () => process.exit(0));
process.send?.({ civic: await listen(app.fetch), constant: await listen(constant.fetch) });
