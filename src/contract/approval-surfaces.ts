/** Where a person decides about a call. `client` is the client's own dialogue, which an agent can answer itself. */
export const SURFACES = ['console', 'cli', 'webhook', 'client'] as const;
export type Surface = (typeof SURFACES)[number];

/** The default: the surfaces that an agent cannot answer. */
export const DEFAULT_SURFACES: readonly Surface[] = ['console', 'cli', 'webhook'];

/** The surfaces that every given list allows; the default if there is no list. */
export function allowedSurfaces(...lists: readonly (readonly Surface[] | null | undefined)[]): Surface[] {
  const written = lists.filter((list) => list !== undefined && list !== null);
  const all = written.length === 0 ? [DEFAULT_SURFACES] : written;
  return SURFACES.filter((surface) => all.every((list) => list.includes(surface)));
}
