import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Verdict } from './examine-fault.ts';
import type { Mutant } from './operators.ts';

interface KeptVerdict {
  readonly fault: string;
  readonly verdict: Verdict;
  /** A digest of the tests that the verdict depends on: the one that noticed, or all that did not. */
  readonly tests: string;
}

/**
 * Verdicts of earlier runs, one per line. A verdict is valid while the source file and the tests that it depends on are unchanged, so an
 * interrupted run continues, and a survivor is examined again when its tests change.
 */
export class KeptVerdicts {
  readonly #path: string;
  readonly #read: (file: string) => string;
  readonly #kept = new Map<string, KeptVerdict>();

  constructor(path: string, read: (file: string) => string) {
    this.#path = path;
    this.#read = read;
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, 'utf8').split('\n')) {
      // The last line of a killed run may be incomplete.
      if (line.endsWith('}')) this.#remember(JSON.parse(line) as KeptVerdict);
    }
  }

  find(mutant: Mutant, tests: readonly string[]): Verdict | undefined {
    const kept = this.#kept.get(this.#faultKey(mutant));
    return kept?.tests === (kept && this.#testsDigest(kept.verdict, tests)) ? kept?.verdict : undefined;
  }

  keep(mutant: Mutant, tests: readonly string[], verdict: Verdict): void {
    const kept = { fault: this.#faultKey(mutant), verdict, tests: this.#testsDigest(verdict, tests) };
    this.#remember(kept);
    mkdirSync(dirname(this.#path), { recursive: true });
    appendFileSync(this.#path, `${JSON.stringify(kept)}\n`);
  }

  #remember(kept: KeptVerdict): void {
    this.#kept.set(kept.fault, kept);
  }

  #faultKey({ file, operator, start, to }: Mutant): string {
    return digest([file, this.#read(file), operator, String(start), to]);
  }

  #testsDigest(verdict: Verdict, tests: readonly string[]): string {
    const basis = verdict.kind === 'noticed' ? [verdict.by] : tests;
    return digest(basis.flatMap((test) => [test, this.#read(test)]));
  }
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
