import { DEFINITION_LIMITS } from './definition-limits.ts';

/** Whether a definition nests deeper than is kept: it is digested, compared and shown by functions that call themselves for each level. */
export function isTooDeep(definition: unknown): boolean {
  return !nestsWithin(definition, DEFINITION_LIMITS.levelsMax);
}

function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => nestsWithin(member, levels - 1));
}
