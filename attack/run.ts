// Attacks the built package in an empty home, case by case: `npm run attack [-- part-of-an-id …]`.
// With `--report-stalls` a stalled event loop is printed and does not fail the run: `npm test` must not depend on the clock.
import { readdir } from 'node:fs/promises';
import { untilKnown } from '../test/support/running-bindery.ts';
import type { AttackCase } from './attack-case.ts';
import { besideOthers } from './beside-others.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';
import { isStalled, stallRatio, strainProblem } from './judge-strain.ts';
import { openTarget } from './open-target.ts';
import type { Strain } from './watch-gateway.ts';

const CASE_MS_MAX = 180_000;
const BASELINE_CALLS_MS = 3_000;
/** A stall counts only if it repeats: other programs seldom disturb the same case twice. */
const STALLED_RUNS_MAX = 3;

const stallsFail = !process.argv.includes('--report-stalls');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const cases = (await loadCases()).filter(({ id }) => wanted.length === 0 || wanted.some((part) => id.includes(part)));
const installed = await installPackage();
let failed = 0;
let baseline: Strain = { stallMs: 0, rssMb: 0 };
try {
  baseline = await measureBaseline(installed);
  console.log(`without an attack: longest stall ${baseline.stallMs} ms, ${baseline.rssMb} MB`);
  for (const attack of cases) if (!(await holds(installed, attack))) failed += 1;
} finally {
  await installed.remove();
}
console.log(`${cases.length - failed} attacks failed as they should, ${failed} succeeded`);
process.exitCode = failed === 0 && cases.length > 0 ? 0 : 1;

async function loadCases(): Promise<AttackCase[]> {
  const folder = new URL('cases/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
  const modules = await Promise.all(names.map((name) => import(new URL(name, folder).href)));
  return modules.flatMap(({ attacks }: { attacks: AttackCase[] }) => attacks);
}

async function holds(on: InstalledPackage, attack: AttackCase): Promise<boolean> {
  let { problem, strain } = await runOnce(on, attack);
  const isRepeated = () => stallsFail && problem === undefined && isStalled(strain, baseline);
  for (let run = 1; isRepeated() && run < STALLED_RUNS_MAX; run += 1) {
    // The machine may be busier than at the start, so the baseline is measured again.
    baseline = longer(baseline, await measureBaseline(on));
    if (isStalled(strain, baseline)) ({ problem, strain } = await runOnce(on, attack));
  }
  problem ??= strainProblem(strain, baseline, stallsFail);
  const verdict = problem !== undefined ? 'FAIL' : isStalled(strain, baseline) ? 'SLOW' : 'ok  ';
  console.log(`${verdict} ${attack.id}: ${attack.title}${describe(strain)}`);
  if (problem !== undefined) console.log(indented(problem));
  return problem === undefined;
}

async function runOnce(on: InstalledPackage, attack: AttackCase): Promise<{ problem: unknown; strain: Strain }> {
  const { target, close } = await openTarget(on);
  let problem: unknown;
  try {
    await Promise.race([attack.run(target), deadline()]);
  } catch (thrown) {
    problem = thrown;
  }
  return { problem, strain: await close() };
}

/** The same measurement without an attack, while a caller calls a server. */
async function measureBaseline(on: InstalledPackage): Promise<Strain> {
  const { target, close } = await openTarget(on);
  await target.home.writeConfig({ version: 1, mcp: { servers: { notes: target.recordingServer().entry } } });
  const bindery = await target.up();
  await untilKnown(bindery, 'notes');
  await besideOthers(bindery, () => new Promise((resolve) => setTimeout(resolve, BASELINE_CALLS_MS)));
  return close();
}

function longer(one: Strain, other: Strain): Strain {
  return one.stallMs > other.stallMs ? one : other;
}

function describe(strain: Strain): string {
  if (strain.rssMb === 0) return '';
  return ` (longest stall ${strain.stallMs} ms, ${stallRatio(strain, baseline).toFixed(1)} × baseline, ${strain.rssMb} MB)`;
}

function deadline(): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`the attack did not end within ${CASE_MS_MAX} ms`)), CASE_MS_MAX).unref();
  });
}

function indented(problem: unknown): string {
  const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  return text.replaceAll(/^/gm, '    ');
}
