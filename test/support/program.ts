import { fileURLToPath } from 'node:url';

/**
 * The program that tests start as a process. `npm test` builds the package first and sets the variable, since the built program starts with a
 * tenth of the processor time. A test file that runs by itself starts the sources.
 */
export const testedProgram = fileURLToPath(
  new URL(process.env.BINDERY_TEST_BUILT === '1' ? '../../bin/bindery.js' : 'run-bindery.ts', import.meta.url),
);
