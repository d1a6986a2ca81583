// Puts small faults into the code, one at a time, and counts how many the tests notice:
// `npm run mutants [-- --seed=1 --per-area=20 --area=policy]`. It works on copies; the working tree stays as it is.
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { root, trackedFiles } from '../test/repository.ts';
import { AREAS, type Area } from './areas.ts';
import { isEquivalent } from './equivalent.ts';
import { applyMutant, findMutants, type Mutant } from './operators.ts';
import { relatedTests } from './related-tests.ts';

const COPIES = 2;
/** Tests that stand nearest run first: most faults are noticed there. */
const NEAR_TESTS_MAX = 10;
const FAR_TESTS_MAX = 14;
const RUN_MS_MAX = 180_000;
const BASELINE_MS_MAX = 1_200_000;

const seed = Number(option('seed') ?? 1);
const perArea = Number(option('per-area') ?? 20);
const onlyArea = option('area');
const files = trackedFiles();
const tests = files.filter((file) => file.endsWith('.test.ts'));
const testsFor = relatedTests(root, tests);
const areas = AREAS.filter(({ name }) => onlyArea === undefined || name === onlyArea);
const work = areas.flatMap((area) => sample(area).map((mutant) => ({ area, mutant })));
const survivors: { area: Area; mutant: Mutant }[] = [];
const copies = Array.from({ length: COPIES }, makeCopy);

console.log(`${work.length} faults, seed ${seed}`);
const queue = [...work];
let sound: ReadonlySet<string> = new Set(tests);
try {
  sound = await soundTests(copies[0] as string);
  await Promise.all(copies.map(workOff));
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
report();

async function workOff(copy: string): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { mutant, area } = next;
    const isNoticed = await notices(copy, mutant, area);
    if (!isNoticed) survivors.push(next);
    console.log(`${isNoticed ? 'noticed ' : 'SURVIVED'} ${describe(mutant)}`);
  }
}

async function notices(copy: string, mutant: Mutant, area: Area): Promise<boolean> {
  const path = join(copy, mutant.file);
  const before = readFileSync(path, 'utf8');
  const { near, far } = chosenTests(mutant, area);
  writeFileSync(path, applyMutant(before, mutant));
  try {
    return (await fails(copy, near)) || (await fails(copy, far));
  } finally {
    writeFileSync(path, before);
  }
}

function chosenTests({ file }: Mutant, area: Area): { readonly near: string[]; readonly far: string[] } {
  const all = testsFor(file).filter((test) => sound.has(test));
  const far = [...area.tests.filter((test) => sound.has(test)), ...all.slice(NEAR_TESTS_MAX, FAR_TESTS_MAX)];
  return { near: all.slice(0, NEAR_TESTS_MAX), far: [...new Set(far)] };
}

/** The tests that pass without a fault: one that fails anyway would notice everything. */
async function soundTests(copy: string): Promise<Set<string>> {
  const chosen = work.map(({ mutant, area }) => chosenTests(mutant, area));
  const names = new Set(chosen.flatMap(({ near, far }) => [...near, ...far]));
  const result = join(copy, 'baseline.json');
  await fails(copy, [...names], ['--reporter=json', `--outputFile=${result}`], BASELINE_MS_MAX);
  const { testResults } = JSON.parse(readFileSync(result, 'utf8')) as {
    testResults: { name: string; status: string }[];
  };
  const passed = testResults.filter(({ status }) => status === 'passed').map(({ name }) => relative(copy, name));
  const failing = [...names].filter((name) => !passed.includes(name));
  if (failing.length > 0) console.log(`left out, because they fail without a fault: ${failing.join(', ')}`);
  return new Set(passed);
}

/** Whether a test fails, or does not come to its end. */
function fails(
  copy: string,
  names: readonly string[],
  flags: readonly string[] = ['--bail=1', '--maxWorkers=1', '--reporter=dot'],
  limitMs = RUN_MS_MAX,
): Promise<boolean> {
  if (names.length === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...flags, ...names], {
      cwd: copy,
      stdio: 'ignore',
      detached: true,
    });
    const timer = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), limitMs);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code !== 0);
    });
  });
}

function makeCopy(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-mutants-')));
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function sample({ sources }: Area): Mutant[] {
  const chosen = files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      !/\/testing\/|limits\.ts$/.test(file) &&
      sources.some((source) => (source.endsWith('/') ? file.startsWith(source) : file === source)),
  );
  const mutants = chosen.flatMap((file) => findMutants(file, readFileSync(join(root, file), 'utf8')));
  return shuffled(mutants.filter((mutant) => !isEquivalent(mutant))).slice(0, perArea);
}

/** The same order for the same seed, on every machine (Fisher and Yates, mulberry32). */
function shuffled(mutants: Mutant[]): Mutant[] {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  for (let at = mutants.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1));
    [mutants[at], mutants[other]] = [mutants[other] as Mutant, mutants[at] as Mutant];
  }
  return mutants;
}

function report(): void {
  console.log('\n| area | faults | noticed | score |\n|---|--:|--:|--:|');
  for (const area of areas) row(area.name, (entry) => entry.area === area);
  row('all', () => true);
  for (const { mutant } of survivors) console.log(`survived: ${describe(mutant)}`);
}

function row(name: string, isCounted: (entry: { area: Area }) => boolean): void {
  const counted = work.filter(isCounted).length;
  const noticed = counted - survivors.filter(isCounted).length;
  const score = counted === 0 ? '–' : `${Math.round((noticed / counted) * 100)} %`;
  console.log(`| ${name} | ${counted} | ${noticed} | ${score} |`);
}

function describe({ file, line, operator, from, to }: Mutant): string {
  const short = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return `${file}:${line} ${operator}: ${short(from)} → ${short(to)}`;
}

function option(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}
