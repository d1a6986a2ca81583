import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { scrubSubmission } from '../src/civic/scrub/scrub-submission.ts';
import { WatchedCorpus } from '../src/store/corpus/watched-corpus.ts';

/**
 * Figures of civic's read side: how long a big corpus takes to build and to rebuild after one change, and how many
 * requests a second the two hottest reads serve beside a handler that sends the same bytes from a constant; and what the
 * scrub of a text of 2,000 characters costs.
 */

const SKILLS = Number(process.env.SKILLS ?? 10_000);
const ROUNDS = Number(process.env.ROUNDS ?? 6);
const ROUND_MS = Number(process.env.ROUND_MS ?? 700);
const CONNECTIONS = 16;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Plain texts, and one that is full of matches for the rules. */
const SCRUB_PARTS = [
  'The desk asked for the signed form and one copy of the card. The page names neither, and 30 days became 90. ',
  'Le guichet a demandé le formulaire signé et une copie de la carte ; la page ne cite ni l’un ni l’autre. ',
  'Aan het loket werd een kopie van de kaart gevraagd, bij dienst Burgerzaken in Sint-Niklaas, voor 25 euro. ',
  'Frau Neumann vom Standesamt Eupen (https://www.eupen.be/?id=4&lang=de) bat um 2 Kopien, Tel. 087 12 34 56. ',
];

const folder = mkdtempSync(join(tmpdir(), 'civic-bench-'));
try {
  await benchBuild(join(folder, 'big'), SKILLS);
  await benchRequests(join(folder, 'small'), 50);
  benchScrub();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function benchBuild(dir: string, count: number): Promise<void> {
  makeCorpus(dir, count);
  const corpus = openCorpus(dir);
  const first = await timed(() => corpus.refresh());
  console.log(
    `build of ${count} skills: ${first.ms.toFixed(0)} ms, CPU ${first.cpuMs.toFixed(0)} ms (version ${first.value.corpus?.snapshot.version.slice(0, 12)})`,
  );
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    writeFileSync(join(dir, 'skills', 's-5', 'canonical.md'), `${skillText(5)}Round ${round}.\n`);
    const rebuilt = await timed(() => corpus.refresh());
    times.push(rebuilt.ms);
    cpuTimes.push(rebuilt.cpuMs);
  }
  console.log(
    `rebuild after one change: median ${median(times).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms, CPU ${median(cpuTimes).toFixed(0)} ms`,
  );
  const commits: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const change = { path: 'skills/s-5/canonical.md', content: `${skillText(5)}Commit ${round}.\n` };
    commits.push((await timed(() => corpus.commit([change], 'bench'))).ms);
  }
  console.log(`commit of one change, file and snapshot: median ${median(commits).toFixed(0)} ms`);
}

/** Texts of 2,000 characters in four languages. */
function benchScrub(): void {
  const texts = SCRUB_PARTS.map((part) => part.repeat(Math.ceil(2000 / part.length)).slice(0, 2000));
  const times: number[] = [];
  for (let round = 0; round < 400; round += 1) {
    for (const report of texts) {
      const before = process.cpuUsage();
      const runs = 5;
      for (let run = 0; run < runs; run += 1) scrubSubmission({ report }, []);
      const { user, system } = process.cpuUsage(before);
      // The first rounds warm up.
      if (round >= 100) times.push((user + system) / 1000 / runs);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  console.log(`scrub of 2,000 characters: CPU median ${at(0.5)} ms, p95 ${at(0.95)} ms (${times.length} samples of 5)`);
}

async function benchRequests(dir: string, count: number): Promise<void> {
  makeCorpus(dir, count);
  const paths = ['/agents/skills-graph.json', '/api/skills/s-7'];
  const child = fork(new URL('./civic-read-server.ts', import.meta.url), [dir, ...paths]);
  const [ports] = (await once(child, 'message')) as [Record<Kind, number>];
  const pools = { civic: poolTo(ports.civic), constant: poolTo(ports.constant) };
  const cpuMicros = async () => {
    child.send('cpu');
    const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
    return user + system;
  };
  for (const path of paths) {
    const rounds: Record<Kind, Round[]> = { civic: [], constant: [] };
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const kind of ['civic', 'constant'] as const) {
        const before = await cpuMicros();
        const { done, ms } = await load(pools[kind], path);
        const micros = ((await cpuMicros()) - before) / done;
        // The first round warms up.
        if (round >= 0) rounds[kind].push({ rate: (done * 1000) / ms, micros });
      }
    }
    const rate = (kind: Kind) => median(rounds[kind].map((round) => round.rate));
    // On a busy machine the least disturbed round is the most accurate.
    const micros = (kind: Kind) => Math.min(...rounds[kind].map((round) => round.micros));
    console.log(
      `${path}: ${rate('civic').toFixed(0)} requests/s, constant ${rate('constant').toFixed(0)}, ratio ${(rate('civic') / rate('constant')).toFixed(2)}; CPU ${micros('civic').toFixed(0)} µs, constant ${micros('constant').toFixed(0)} µs, ratio ${(micros('constant') / micros('civic')).toFixed(2)}`,
    );
  }
  await Promise.all([pools.civic.close(), pools.constant.close()]);
  child.disconnect();
}

type Kind = 'civic' | 'constant';
interface Round {
  readonly rate: number;
  readonly micros: number;
}

function poolTo(port: number): Pool {
  return new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
}

async function load(pool: Pool, path: string): Promise<{ done: number; ms: number }> {
  const started = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - started < ROUND_MS) {
      const { body, statusCode } = await pool.request({ path, method: 'GET' });
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      await body.dump();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return { done, ms: performance.now() - started };
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

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; cpuMs: number; value: T }> {
  const started = performance.now();
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - started, cpuMs: (user + system) / 1000, value };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
