import { DEFINITION_LIMITS } from './definition-limits.ts';

/** Whether a definition is nested too deeply: recursive functions digest, compare and show it. */
export function isTooDeep(definition: unknown): boolean {
  return !nestsWithin(definition, DEFINITION_LIMITS.levelsMax);
}

function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => nestsWithin(member, levels - 1));
}
