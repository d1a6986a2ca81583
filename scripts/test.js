// The whole check: format and lint, types, every test. The last line counts them, for people and for CI.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'bindery-test-'));
const report = join(folder, 'report.json');
let passed = 0;
let failed = 0;

step('format and lint', 'biome', ['ci', '.']);
step('types', 'tsc', ['-b']);
// Before the tests, of which several may want it at the same moment.
step('browser', 'node', ['scripts/install-browser.js']);
const tests = run('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
]);
count(tests);
// Only as part of the whole: `npm test -- some-file` looks at that file.
if (process.argv.length === 2) {
  step('the first minutes of a new user', 'node', ['scripts/first-minutes.ts']);
  step('attacks on the built package', 'node', ['attack/run.ts', '--report-stalls']);
}
rmSync(folder, { recursive: true, force: true });

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function step(name, command, args) {
  console.log(`> ${name}`);
  if (run(command, args) === 0) passed += 1;
  else failed += 1;
}

function run(command, args) {
  return spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status;
}

function count(status) {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    passed += numPassedTests;
    // A suite that cannot be loaded has no tests to count, and an error outside of tests fails the run.
    failed += Math.max(numFailedTests, numFailedTestSuites > 0 || status !== 0 ? 1 : 0);
  } catch (error) {
    console.error(`error: the tests left no report: ${error.message}`);
    failed += 1;
  }
}
