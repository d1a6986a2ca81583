import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const here = dirname(fileURLToPath(import.meta.url));
const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));
const SCENARIO_TIMEOUT_MS = 120_000;
const RUN_TIMEOUT_MS = 170_000;

interface RequirementSet {
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

const expectedFailures: Record<string, readonly string[]> = parse(
  await readFile(join(here, 'expected-failures.yaml'), 'utf8'),
);

describe.each(['2025-11-25', '2026-07-28'])('client scenarios of revision %s', async (revision) => {
  const required: RequirementSet = parse(await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8'));
  const unscored = required.not_scored.filter(({ leg }) => leg === 'client').map(({ scenario }) => scenario);
  const known = expectedFailures[revision] ?? [];
  let verdicts: ReadonlyMap<string, boolean> = new Map();

  beforeAll(async () => {
    verdicts = await runSuite(revision, known);
  }, RUN_TIMEOUT_MS);

  test.each(required.client)('[wire:CONFORMANCE] %s', (scenario) => {
    expect({ scenario, passed: verdicts.get(scenario) }).toEqual({ scenario, passed: !known.includes(scenario) });
  });

  test.each(unscored)('not required: %s passes, or is a known failure', (scenario) => {
    expect({ scenario, passed: verdicts.get(scenario) }).toEqual({ scenario, passed: !known.includes(scenario) });
  });

  test('every known failure names a scenario of the suite', () => {
    expect(known.filter((scenario) => !verdicts.has(scenario))).toEqual([]);
  });
});

/** Runs the client program against every scenario of a revision: scenario → whether all its checks passed. */
async function runSuite(revision: string, known: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
  const results = await mkdtemp(join(tmpdir(), 'bindery-conformance-'));
  const command = `${process.execPath} ${join(here, 'client.ts')}`;
  const args = [
    join(suite, 'dist/index.js'),
    'client',
    '--command',
    command,
    '--requirements',
    revision,
    '--timeout',
    String(SCENARIO_TIMEOUT_MS),
    '-o',
    results,
  ];
  try {
    // The suite starts all clients at once: what they import is compiled once for all of them.
    const cache = { NODE_COMPILE_CACHE: join(results, 'compiled') };
    await outputOf([join(here, '../../src/host/host.ts')], cache);
    const output = await outputOf(args, cache);
    const summary = output.slice(output.indexOf('=== SUITE SUMMARY ==='));
    const verdicts = new Map(
      [...summary.matchAll(/^([✓✗]) ([\w./-]+): \d+ passed/gm)].map(([, mark, scenario]) => [
        scenario ?? '',
        mark === '✓',
      ]),
    );
    // On a busy machine some of so many clients at once run out of their scenario's time: they are tried alone.
    for (const [scenario, passed] of verdicts) {
      if (passed || known.includes(scenario)) continue;
      const alone = [...args.slice(0, 4), '--scenario', scenario, '--spec-version', revision, ...args.slice(6)];
      verdicts.set(scenario, (await outputOf(alone, cache)).includes('OVERALL: PASSED'));
    }
    return verdicts;
  } finally {
    await rm(results, { recursive: true });
  }
}

function outputOf(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    // The verdict of a single scenario is written to stderr.
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
