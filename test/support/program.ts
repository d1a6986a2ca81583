import { fileURLToPath } from 'node:url';

/**
 * The program that tests start as a process. `npm test` builds the package first and sets the variable, since the built program starts with a
 * tenth of the processor time. A test file that runs by itself starts the sources.
 */
export const testedProgram = program('../../bin/bindery.js', 'run-bindery.ts');

/** The same for the command `context`. */
export const testedContext = program('../../bin/context.js', 'run-context.ts');

function program(built: string, fromSources: string): string {
  return fileURLToPath(new URL(process.env.BINDERY_TEST_BUILT === '1' ? built : fromSources, import.meta.url));
}
