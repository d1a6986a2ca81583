import type { Mutant } from './operators.ts';

/** Faults that no test can notice, because the program behaves the same with them. Each has its reason. */
export const EQUIVALENT: readonly (Pick<Mutant, 'file' | 'operator' | 'from'> & { readonly reason: string })[] = [];

export function isEquivalent({ file, operator, from }: Mutant): boolean {
  return EQUIVALENT.some((known) => known.file === file && known.operator === operator && known.from === from);
}
