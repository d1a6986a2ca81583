import { SECTION_ONE } from '../forms/section-one.ts';

/** Values by key of `applies_to`. */
export type Scopes = ReadonlyMap<string, ReadonlySet<string>>;

/** The keys and values of one `applies_to`. An empty list keeps its key: it applies to no one. */
export function traitsOf(appliesTo: unknown): Scopes {
  if (typeof appliesTo !== 'object' || appliesTo === null || Array.isArray(appliesTo)) return new Map();
  return new Map(Object.entries(appliesTo).map(([key, value]) => [key, new Set([value].flat().map(String))]));
}

/** All scopes that a corpus knows: those of its artefacts, and those that a person can answer about themselves. */
export function knownScopes(all: Iterable<unknown>): Scopes {
  const known = new Map<string, Set<string>>();
  const asked = SECTION_ONE.map(({ name, choices = [] }) => ({ [name]: choices.map(({ value }) => value) }));
  for (const appliesTo of [...asked, ...all]) {
    for (const [key, values] of traitsOf(appliesTo)) {
      const set = known.get(key) ?? new Set();
      for (const value of values) set.add(value);
      known.set(key, set);
    }
  }
  return known;
}
