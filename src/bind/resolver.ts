import { BinderyError } from '../contract/errors.ts';
import { type CollapsePolicy, collapse } from './collapse.ts';
import { parseIdentity } from './identity.ts';
import { toError } from './request.ts';
import type { ZoneSource } from './zone.ts';

/** Where a name leads, as a connection needs it. */
export interface ResolvedIdentity {
  readonly endpoint: string;
  /** Seconds for which the answer holds. */
  readonly ttl: number;
  /** Key of the zone that owns the endpoint. */
  readonly key?: string;
}

/** Gives names to whoever makes connections. */
export interface IdentityResolver {
  /** Throws the room's error where a name does not lead anywhere. */
  resolveIdentity(name: string): ResolvedIdentity;
}

export function createResolver(zones: ZoneSource, policy: CollapsePolicy): IdentityResolver {
  return {
    resolveIdentity(name) {
      const identity = parseIdentity(name);
      if (!identity) throw new BinderyError('INVALID_IDENTITY');
      const outcome = collapse(zones, { name: identity.name }, policy);
      if (!outcome.ok) throw toError(outcome.failure);
      const { endpoint, ttl, key } = outcome.descriptor;
      return { endpoint, ttl, ...(key === undefined ? {} : { key }) };
    },
  };
}
