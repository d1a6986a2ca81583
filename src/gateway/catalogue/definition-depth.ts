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
  if (levels === 0) return false;
  // Without a copy of the members: a list may have a million of them.
  for (const name in value)
    if (!nestsWithin((value as Readonly<Record<string, unknown>>)[name], levels - 1)) return false;
  return true;
}
