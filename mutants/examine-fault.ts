import type { Mutant } from './operators.ts';
import type { TreeCopy } from './tree-copy.ts';

/** What became of a fault. */
export type Verdict = { readonly kind: 'noticed'; readonly by: string } | { readonly kind: 'survived' };

/** Test files in the order in which they run: a later stage runs only when the one before passed. */
export type Stages = readonly (readonly string[])[];

const RUN_MS_MAX = 300_000;
const NO_END = 'a run that did not end';

/**
 * Runs the stages with the fault. A failure counts only when the same test passes without the fault, and a failure of a test that starts
 * programs only when it fails again: one that fails now and then on a busy machine would otherwise notice everything.
 */
export class FaultExaminer {
  readonly #soundness = new Map<string, Promise<boolean>>();

  async examine(copy: TreeCopy, mutant: Mutant, stages: Stages): Promise<Verdict> {
    for (const stage of stages) {
      const by = await this.#noticedBy(copy, mutant, stage);
      if (by !== undefined) return { kind: 'noticed', by };
    }
    return { kind: 'survived' };
  }

  async #noticedBy(copy: TreeCopy, mutant: Mutant, stage: readonly string[]): Promise<string | undefined> {
    let tests = stage;
    while (tests.length > 0) {
      const outcome = await copy.withFault(mutant, () => copy.runTests(tests, RUN_MS_MAX));
      if (outcome.kind === 'passed') return undefined;
      const suspects = outcome.kind === 'failed' ? outcome.tests : tests;
      if (!(await this.#isSound(copy, suspects))) {
        tests = tests.filter((test) => !suspects.includes(test));
        continue;
      }
      if (outcome.kind === 'no end') return NO_END;
      if (suspects.every(isUnitTest) || (await this.#failsAgain(copy, mutant, suspects))) return suspects[0];
      tests = tests.filter((test) => !suspects.includes(test));
    }
    return undefined;
  }

  async #failsAgain(copy: TreeCopy, mutant: Mutant, tests: readonly string[]): Promise<boolean> {
    const outcome = await copy.withFault(mutant, () => copy.runTests(tests, RUN_MS_MAX));
    return outcome.kind !== 'passed';
  }

  #isSound(copy: TreeCopy, tests: readonly string[]): Promise<boolean> {
    const key = tests.join(' ');
    const known = this.#soundness.get(key);
    if (known) return known;
    const found = copy.runTests(tests, RUN_MS_MAX).then(({ kind }) => {
      if (kind !== 'passed') console.log(`left out, because it fails without a fault: ${key}`);
      return kind === 'passed';
    });
    this.#soundness.set(key, found);
    return found;
  }
}

function isUnitTest(test: string): boolean {
  return test.startsWith('src/');
}
