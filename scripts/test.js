// The whole check: format and lint, types, every test. The last lines name what failed and count the rest, for people and for CI.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

// The package is up to date: tests that start processes use the built program.
process.env.BINDERY_TEST_BUILT = '1';

const folder = mkdtempSync(join(tmpdir(), 'bindery-test-'));
const failures = [];
let passed = 0;

step('format and lint', 'biome', ['ci', '.']);
step('types', 'tsc', ['-b']);
// Before the tests, because several may need it at the same moment.
step('browser', 'node', ['scripts/install-browser.js']);
runTests(process.argv.slice(2));
// Only in a full run: `npm test -- some-file` runs that file alone.
if (process.argv.length === 2) {
  step('the first minutes of a new user', 'node', ['scripts/first-minutes.ts']);
  step('attacks on the built package', 'node', ['attack/run.ts', '--report-stalls']);
}
rmSync(folder, { recursive: true, force: true });

for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function step(name, command, args) {
  console.log(`> ${name}`);
  if (run(command, args) === 0) passed += 1;
  else failures.push(name);
}

function run(command, args) {
  return spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status;
}

/** Test files share the processors. A failed file runs once more alone: if it passes then, the output says so. */
function runTests(args) {
  const first = vitest(args, 'first');
  passed += first.passed;
  if (first.failed.length === 0 || first.files.length === 0) return void failures.push(...first.failed);
  console.log(`> once more, one file at a time: ${first.files.join(' ')}`);
  const again = vitest([...first.files, '--maxWorkers=1'], 'again');
  const unsteady = first.failed.filter((test) => !again.failed.includes(test));
  for (const test of unsteady) console.log(`unsteady: ${test} failed beside other tests and passed alone`);
  passed += unsteady.length;
  failures.push(...again.failed);
}

/** Which tests failed, and in which files; a failure outside of any test has no file. */
function vitest(args, name) {
  const report = join(folder, `${name}.json`);
  const status = run('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...args,
  ]);
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const broken = testResults.filter((file) => file.status === 'failed');
    const failed = broken.flatMap((file) => failuresOf(file));
    if (failed.length === 0 && status !== 0) failed.push('an error outside of the tests');
    return { passed: numPassedTests, failed, files: broken.map((file) => relative('.', file.name)) };
  } catch (error) {
    return { passed: 0, failed: [`the tests left no report: ${error.message}`], files: [] };
  }
}

/** A file that cannot be loaded has no tests. */
function failuresOf(file) {
  const tests = file.assertionResults.filter(({ status }) => status === 'failed');
  const path = relative('.', file.name);
  return tests.length === 0 ? [`${path} cannot be run`] : tests.map(({ fullName }) => `${path}: ${fullName}`);
}
