import { DEFINITION_LIMITS } from './definition-limits.ts';

/** Whether a definition is nested too deeply: recursive functions digest, compare and show it. */
export function isTooDeep(definition: object): boolean {
  const known = judged.get(definition) ?? !nestsWithin(definition, DEFINITION_LIMITS.levelsMax);
  judged.set(definition, known);
  return known;
}

/** A list is judged when its tools are prepared, over several turns, and again when it is stored. */
const judged = new WeakMap<object, boolean>();

function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => nestsWithin(member, levels - 1));
}
