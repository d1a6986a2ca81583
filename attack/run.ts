// Attacks the built package in an empty home, case by case: `npm run attack [-- part-of-an-id …]`.
import { readdir } from 'node:fs/promises';
import type { AttackCase } from './attack-case.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';
import { openTarget } from './open-target.ts';

/** Stalls and memory are reported; the memory bound is the promise of docs/security-model.md. */
const RSS_MB_MAX = 500;
const CASE_MS_MAX = 120_000;

const wanted = process.argv.slice(2);
const cases = (await loadCases()).filter(({ id }) => wanted.length === 0 || wanted.some((part) => id.includes(part)));
const installed = await installPackage();
let failed = 0;
try {
  for (const attack of cases) failed += (await holds(installed, attack)) ? 0 : 1;
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
  const { target, close } = await openTarget(on);
  let problem: unknown;
  try {
    await Promise.race([attack.run(target), deadline()]);
  } catch (thrown) {
    problem = thrown;
  }
  const { stallMs, rssMb } = await close();
  if (rssMb > RSS_MB_MAX) problem ??= new Error(`the gateway grew to ${rssMb} MB`);
  const strain = rssMb === 0 ? '' : ` (longest stall ${stallMs} ms, ${rssMb} MB)`;
  console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${attack.id}: ${attack.title}${strain}`);
  if (problem !== undefined) console.log(indented(problem));
  return problem === undefined;
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
