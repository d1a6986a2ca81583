import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { Pool } from 'undici';
import { withBaseUrl } from '../src/civic/failures.ts';
import { allHealthy, type ReadDeps } from '../src/civic/reads/ports.ts';
import { civicReadRoom, readOperations } from '../src/civic/reads/room.ts';
import { bindRoom } from '../src/contract/operation.ts';
import { createHttpApp } from '../src/http/app.ts';
import { WatchedCorpus } from '../src/store/corpus/watched-corpus.ts';

/**
 * Figures of civic's read side: how long a big corpus takes to build and to rebuild after one change, and how many
 * requests a second the two hottest reads serve beside a handler that sends the same bytes from a constant.
 */

const SKILLS = Number(process.env.SKILLS ?? 10_000);
const ROUNDS = Number(process.env.ROUNDS ?? 6);
const ROUND_MS = Number(process.env.ROUND_MS ?? 700);
const CONNECTIONS = 16;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

const folder = mkdtempSync(join(tmpdir(), 'civic-bench-'));
try {
  await benchBuild(join(folder, 'big'), SKILLS);
  await benchRequests(join(folder, 'small'), 50);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function benchBuild(dir: string, count: number): Promise<void> {
  makeCorpus(dir, count);
  const corpus = openCorpus(dir);
  const first = await timed(() => corpus.refresh());
  console.log(
    `build of ${count} skills: ${first.ms.toFixed(0)} ms (version ${first.value.corpus?.snapshot.version.slice(0, 12)})`,
  );
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    writeFileSync(join(dir, 'skills', 's-5', 'canonical.md'), `${skillText(5)}Round ${round}.\n`);
    const rebuilt = await timed(() => corpus.refresh());
    times.push(rebuilt.ms);
  }
  console.log(
    `rebuild after one change: median ${median(times).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms`,
  );
}

async function benchRequests(dir: string, count: number): Promise<void> {
  makeCorpus(dir, count);
  const corpus = openCorpus(dir);
  await corpus.refresh();
  const app = civicApp(corpus);
  for (const path of ['/agents/skills-graph.json', '/api/skills/s-7']) {
    const reference = await app.request(path, { headers: { host: '127.0.0.1' } });
    const body = await reference.text();
    const constant = new Hono().get(
      path,
      () => new Response(body, { headers: { 'content-type': 'application/json' } }),
    );
    const civic = await serve(app);
    const plain = await serve(constant);
    const rates = { civic: [] as number[], constant: [] as number[] };
    await civic.load(path, 300);
    await plain.load(path, 300);
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.civic.push(await civic.load(path, ROUND_MS));
      rates.constant.push(await plain.load(path, ROUND_MS));
    }
    const ratio = median(rates.civic.map((rate, index) => rate / (rates.constant[index] ?? 1)));
    console.log(
      `${path} (${body.length} bytes): ${median(rates.civic).toFixed(0)} requests/s, constant ${median(rates.constant).toFixed(0)}, ratio ${ratio.toFixed(2)}`,
    );
    await civic.close();
    await plain.close();
  }
}

function civicApp(corpus: WatchedCorpus): Hono {
  const deps: ReadDeps = {
    corpus,
    providers: { directory: () => undefined, isRemoved: () => false },
    health: allHealthy,
    schemas: {},
    scrubRules: [],
    clock: { now: Date.now },
    log: silent,
    baseUrl: () => 'http://127.0.0.1:7717',
    admitRead: () => {},
    countDeprecated: () => {},
  };
  const room = { ...civicReadRoom, operations: withBaseUrl(readOperations, deps.baseUrl) };
  let requests = 0;
  return createHttpApp({
    rooms: [bindRoom(room, deps)],
    version: '0',
    log: silent,
    newRequestId: () => String(requests++),
  });
}

async function serve(app: Hono) {
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: CONNECTIONS });
  return {
    /** Requests per second over this time. */
    async load(path: string, ms: number): Promise<number> {
      const end = performance.now() + ms;
      let done = 0;
      const worker = async () => {
        while (performance.now() < end) {
          const { body, statusCode } = await pool.request({ path, method: 'GET' });
          if (statusCode !== 200) throw new Error(`status ${statusCode}`);
          await body.dump();
          done += 1;
        }
      };
      const started = performance.now();
      await Promise.all(Array.from({ length: CONNECTIONS }, worker));
      return (done * 1000) / (performance.now() - started);
    },
    async close() {
      await pool.close();
      server.close();
    },
  };
}

function openCorpus(dir: string): WatchedCorpus {
  return new WatchedCorpus({ dir, log: silent, context: () => ({ generatedAt: () => '2026-10-01T00:00:00.000Z' }) });
}

function makeCorpus(dir: string, count: number): void {
  mkdirSync(join(dir, 'paths'), { recursive: true });
  mkdirSync(join(dir, 'catalogue'));
  writeFileSync(
    join(dir, 'paths', 'portal.yaml'),
    'id: portal\ntitle: Portal\npurpose: submission\nstatus: beta\nversion: 1.0.0\nsources:\n  - { id: web, source_class: deeplink-after-auth, url: "https://portal.example.org/", priority: 1 }\n',
  );
  writeFileSync(
    join(dir, 'catalogue', 'values.yaml'),
    '- { uid: val-01, name: fee, value: 25 EUR, status: stable, version: 1.0.0, last_verified: 2026-10-01 }\n',
  );
  const past = new Date(Date.now() - 60_000);
  for (let index = 0; index < count; index += 1) {
    const file = join(dir, 'skills', `s-${index}`, 'canonical.md');
    mkdirSync(join(dir, 'skills', `s-${index}`), { recursive: true });
    writeFileSync(file, skillText(index));
    utimesSync(file, past, past);
  }
}

function skillText(index: number): string {
  const requires = index > 0 ? `{ id: s-${(index * 7) % index}, selects_on: "has_id_card == 'yes'" }` : '';
  return `---
id: s-${index}
title: Skill number ${index} (sample)
summary: How to do the thing number ${index}. Sample text.
status: ${['alpha', 'beta', 'stable'][index % 3]}
version: 1.0.0
origin: community
category: sample-commune
applies_to: { region: [brussels, flanders] }
requires: [${requires}]
requires_paths: [{ id: portal, role: submission, timing: after-move }]
last_verified: 2026-10-01
citations: [{ url: "https://law.example.org/${index}", archived_url: "https://archive.example.org/1" }]
inputs:
  - { name: move_reason, type: select, render: case, required: true, label: { en: Reason, fr: Motif },
      options: [{ value: work, label: { en: Work } }, { value: family, label: { en: Family } }] }
---
# Skill ${index}

## Authoritative basis

See <Ref name="law" url="https://law.example.org/1" last_verified="2026-10-01" usage="citation"/> for more.

${`## Process

1. Go to the **commune** with your card, and pay <VV name="fee" uid="val-01"/> at the desk.
2. Wait for the [officer](https://x.example.org) to visit.

Some words follow here, to make a paragraph that has a usual length for such a text, and more.

`.repeat(5)}`;
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
