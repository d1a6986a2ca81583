import { posix } from 'node:path';
import { SCHEMA_LIMITS } from '../../schema/limits.ts';
import { StepBudget } from '../../schema/steps.ts';
import type { ArgumentFiles, JudgedArguments } from '../argument-places.ts';

/** A file system without links, for tests: `odd` are the names that exist in the working directory. */
export function plainFiles(cwd: ArgumentFiles['cwd'] = '/srv/project', odd: readonly string[] = []): ArgumentFiles {
  const home = '/home/me';
  return {
    cwd,
    home,
    root: (written) => posix.resolve('/srv/project', written.startsWith('~') ? `${home}${written.slice(1)}` : written),
    open: (path) => [posix.resolve('/', path)],
    exists: (path) => odd.some((name) => path === `${cwd}/${name}`),
  };
}

/** A budget that is never used up. */
export function endlessBudget(): StepBudget {
  return new StepBudget(Number.POSITIVE_INFINITY);
}

/** Arguments with the budget of one call. */
export function judgedWith(value: unknown, files: ArgumentFiles = plainFiles()): JudgedArguments {
  return { value, files, budget: new StepBudget(SCHEMA_LIMITS.stepsMax) };
}
