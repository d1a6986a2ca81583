import { type Claims, heldExtrasCode, type ServerOffer } from './server-offer.ts';

export type ClaimKind = 'tool' | 'prompt' | 'resource' | 'template';

/** A server's claim on a name, and since when. */
export interface Claim {
  readonly offer: ServerOffer;
  readonly since: number;
}

/** Offers stored without claims are older than all others. */
const OLDEST: Claims = { since: 0, later: {} };

export function claimedSince({ claims = OLDEST }: Pick<ServerOffer, 'claims'>, kind: ClaimKind, name: string): number {
  const key = keyOf(kind, name);
  return Object.hasOwn(claims.later, key) ? (claims.later[key] as number) : claims.since;
}

/** The claims after a new listing: known names keep their time, new ones get the current time. */
export function renewedClaims(now: Listed, before: ServerOffer | undefined, time: number): Claims {
  const wereUsable = heldExtrasCode(now) === undefined || before?.claims?.wereUsable === true;
  const use = wereUsable ? { wereUsable } : {};
  if (!before) return { since: time, later: {}, ...use };
  const { claims = OLDEST } = before;
  const had = new Set(keysOf(before));
  const later = keysOf(now).flatMap((key): [string, number][] => {
    if (!had.has(key)) return [[key, time]];
    return Object.hasOwn(claims.later, key) ? [[key, claims.later[key] as number]] : [];
  });
  return { since: claims.since, later: Object.fromEntries(later), ...use };
}

/** The time of the newest claim. */
export function lastClaim({ claims = OLDEST }: ServerOffer): number {
  let last = claims.since;
  for (const time of Object.values(claims.later)) last = Math.max(last, time);
  return last;
}

type Listed = Pick<ServerOffer, 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'extras'>;

function keysOf({ tools, prompts, resources, resourceTemplates }: Listed): string[] {
  return [
    ...tools.map(({ definition }) => keyOf('tool', definition.name)),
    ...prompts.map(({ name }) => keyOf('prompt', name as string)),
    ...resources.map(({ uri }) => keyOf('resource', uri as string)),
    ...resourceTemplates.map(({ uriTemplate }) => keyOf('template', uriTemplate as string)),
  ];
}

function keyOf(kind: ClaimKind, name: string): string {
  return `${kind} ${name}`;
}
