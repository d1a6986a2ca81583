import type { Mutant } from './operators.ts';
import type { TestOutcome, TreeCopy } from './tree-copy.ts';

/** The result for a fault. */
export type Verdict = { readonly kind: 'noticed'; readonly by: string } | { readonly kind: 'survived' };

/**
 * Runs tests with the fault until one fails. A failure counts only if the same test passes without the fault and fails again with it:
 * otherwise a flaky test would notice everything.
 */
export class FaultExaminer {
  readonly #soundness = new Map<string, Promise<boolean>>();

  async examine(copy: TreeCopy, mutant: Mutant, tests: readonly string[]): Promise<Verdict> {
    const runWithFault = (test: string): Promise<TestOutcome> => copy.withFault(mutant, () => copy.runTest(test));
    for (const by of tests) {
      const outcome = await runWithFault(by);
      if (outcome === 'passed' || !(await this.#isSound(copy, by))) continue;
      // A timeout is not repeated: it would take the whole time again.
      if (outcome === 'no end' || (await runWithFault(by)) !== 'passed') return { kind: 'noticed', by };
    }
    return { kind: 'survived' };
  }

  #isSound(copy: TreeCopy, test: string): Promise<boolean> {
    const known = this.#soundness.get(test);
    if (known) return known;
    const found = copy.runTest(test).then((outcome) => {
      if (outcome !== 'passed') console.log(`left out, because it fails without a fault: ${test}`);
      return outcome === 'passed';
    });
    this.#soundness.set(test, found);
    return found;
  }
}
