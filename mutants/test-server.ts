// Runs test files one after the other for its parent process, and stays alive: starting the test runner costs more than most tests.
import { relative, resolve } from 'node:path';
import { createVitest } from 'vitest/node';

/** A request to the test server: the files that changed since the last run, and one test file to run. */
export interface TestOrder {
  readonly changed: readonly string[];
  readonly test: string;
  readonly testMsMax: number;
}

const vitest = await createVitest('test', {
  root: process.cwd(),
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
  passWithNoTests: false,
});
await vitest.standalone();

process.on('message', (order: TestOrder) => {
  run(order).then(
    (passed) => process.send?.({ passed }),
    (error: unknown) => process.send?.({ passed: false, error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
process.send?.({ ready: true });

async function run({ changed, test, testMsMax }: TestOrder): Promise<boolean> {
  for (const file of changed) vitest.invalidateFile(resolve(file));
  // Failures of earlier runs would count towards the failure limit.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  vitest.state.errorsSet.clear();
  const project = vitest.getRootProject();
  project.config.testTimeout = testMsMax;
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([
    project.createSpecification(resolve(test)),
  ]);
  if (unhandledErrors.length > 0 || testModules.length === 0) return false;
  return testModules.every((module) => module.ok() && relative('.', module.moduleId) === test);
}
