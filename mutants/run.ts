// Puts small faults into the code, one at a time, and counts how many the tests notice:
// `npm run mutants [-- --seed=1 --per-area=20 --area=policy,audit]`. It works on copies; the working tree stays as it is. An
// interrupted run continues where it was (`.mutants/`); `--fresh` examines everything again, `--near` leaves out the tests of the
// whole program, `--copies=1` leaves a core to others, `--list` only lists the drawn faults and their known verdicts.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, trackedFiles } from '../test/support/repository.ts';
import { AREAS, type Area } from './areas.ts';
import { equivalenceOf, staleEquivalents } from './equivalent.ts';
import { FaultExaminer } from './examine-fault.ts';
import { KeptVerdicts } from './kept-verdicts.ts';
import { NAMED_FAULTS, namedMutant } from './named-faults.ts';
import type { Mutant } from './operators.ts';
import { relatedTests } from './related-tests.ts';
import { sampleFaults, sourcesOf } from './sample.ts';
import { describeFault, type Sampled, scoreTable } from './score-table.ts';
import { TreeCopy } from './tree-copy.ts';

const NAMED: Area = { name: 'named', sources: [], tests: [] };
const RELATED_TESTS_MAX = 16;
const isQuick = process.argv.includes('--near');

const seed = Number(option('seed') ?? 1);
const perArea = Number(option('per-area') ?? 20);
const copies = Math.min(2, Number(option('copies') ?? 2));
const onlyAreas = option('area')?.split(',');
const files = trackedFiles();
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const testsFor = relatedTests(
  root,
  files.filter((file) => file.endsWith('.test.ts') && !file.startsWith('mutants/')),
);
const keptPath = join(root, '.mutants', 'verdicts.jsonl');
if (process.argv.includes('--fresh')) rmSync(keptPath, { force: true });
const kept = new KeptVerdicts(keptPath, read);
const examiner = new FaultExaminer();

const isWanted = ({ name }: Area) => onlyAreas?.includes(name) ?? true;
const work = [...(isWanted(NAMED) ? namedFaults() : []), ...AREAS.filter(isWanted).flatMap(sampleOf)];
const sampled: (Sampled | undefined)[] = work.map(knownVerdict);
const waiting = [...work.keys()].filter((at) => sampled[at] === undefined);
console.log(`${work.length} faults, seed ${seed}, ${waiting.length} to examine`);
if (process.argv.includes('--list')) list();
else await Promise.all(Array.from({ length: Math.min(copies, waiting.length) }, workOff));
reportLost();
console.log(`\n${scoreTable(sampled.filter((entry) => entry !== undefined))}`);

function list(): void {
  for (const [at, { area, mutant }] of work.entries()) {
    console.log(`${area.name}: ${describeFault(mutant)}: ${sampled[at]?.verdict.kind ?? 'not examined'}`);
  }
}

/** All named faults, whatever the seed, because they are few. */
function namedFaults(): { area: Area; mutant: Mutant }[] {
  return NAMED_FAULTS.flatMap((fault) => {
    const mutant = files.includes(fault.file) ? namedMutant(fault, read(fault.file)) : undefined;
    const tests = AREAS.find((area) => sourcesOf(area, [fault.file]).length > 0)?.tests ?? [];
    return mutant ? [{ area: { ...NAMED, tests }, mutant }] : [];
  });
}

/** Reports list entries whose code no longer exists, and fails the run. */
function reportLost(): void {
  const readIfThere = (file: string) => (files.includes(file) ? read(file) : undefined);
  const lost = [
    ...NAMED_FAULTS.filter((fault) => !namedMutant(fault, readIfThere(fault.file) ?? '')).map(({ title }) => title),
    ...staleEquivalents(readIfThere).map(({ file, line }) => `${file}: ${line}`),
  ];
  for (const place of lost) console.log(`lost its place in the code: ${place}`);
  if (lost.length > 0) process.exitCode = 1;
}

function sampleOf(area: Area): { area: Area; mutant: Mutant }[] {
  const sources = new Map(sourcesOf(area, files).map((file) => [file, read(file)]));
  return sampleFaults(sources, perArea, seed).map((mutant) => ({ area, mutant }));
}

function knownVerdict({ area, mutant }: (typeof work)[number]): Sampled | undefined {
  const reason = equivalenceOf(mutant, read(mutant.file));
  const verdict = reason ? ({ kind: 'equivalent', reason } as const) : kept.find(mutant, orderedTests(mutant, area));
  return verdict && { area: area.name, mutant, verdict };
}

async function workOff(): Promise<void> {
  const copy = new TreeCopy(root, files);
  try {
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      const { area, mutant } = work[at] as (typeof work)[number];
      const tests = orderedTests(mutant, area);
      const verdict = await examiner.examine(copy, mutant, tests);
      kept.keep(mutant, tests, verdict);
      sampled[at] = { area: area.name, mutant, verdict };
      const outcome = verdict.kind === 'noticed' ? `noticed by ${verdict.by}` : 'SURVIVED';
      console.log(`${area.name}: ${describeFault(mutant)}: ${outcome}`);
    }
  } finally {
    copy.remove();
  }
}

/** The nearest tests first, because they notice most faults within a second; tests of the whole program last. */
function orderedTests({ file }: Mutant, { tests }: Area): string[] {
  const isRun = (test: string) => !isQuick || test.startsWith('src/');
  const related = testsFor(file).filter((test) => isRun(test) && !tests.includes(test));
  return [...related.slice(0, RELATED_TESTS_MAX), ...tests.filter(isRun)];
}

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}
