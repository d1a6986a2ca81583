/** Why a cascade cannot be followed. */
export type CascadeReason =
  | 'cycle'
  | 'depth'
  | 'fanout'
  | 'unknown_identity'
  | 'protected'
  | 'corrupt'
  | 'timeout'
  /** For zones at other resolvers: none is configured, it does not answer, its answer is not signed by a pinned key. */
  | 'no_resolver'
  | 'unreachable'
  | 'untrusted'
  /** Too many requests to other resolvers are running. */
  | 'busy';

/** An MCP record, ready to be ranked. */
export interface McpRecord {
  readonly priority: number;
  /** Index in the zone's records. */
  readonly position: number;
  /** Canonical URL; undefined if the value is not a valid endpoint. */
  readonly endpoint: string | undefined;
  readonly isPrivate: boolean;
  /** Own capabilities, of the value or of the record; undefined: those of the zone's CAPS. */
  readonly declared: readonly string[] | undefined;
  readonly ttl: number | undefined;
}

/** A CASCADE record. */
export interface Cascade {
  /** Name of the upstream zone; undefined if the value is not an identity. */
  readonly target: string | undefined;
  readonly value: string;
}

/**
 * How much of a zone can be used. An unreadable one answers nothing; a malformed one answers in default mode only,
 * because the rank of its records is not certain.
 */
export type ZoneState = 'sound' | 'malformed' | 'unreadable';

/** A zone as the collapse needs it; the text has its stored records. */
export interface Zone {
  readonly name: string;
  readonly text: string;
  readonly state: ZoneState;
  readonly ttl: number;
  /** Ranked: priority descending, then position. */
  readonly endpoints: readonly McpRecord[];
  /** Union of the CAPS records; undefined if there is none. */
  readonly allowed: readonly string[] | undefined;
  /** CASCADE records in visit order. */
  readonly cascades: readonly Cascade[];
  /** Valid KEY values, the one that counts first. */
  readonly keys: readonly string[];
  /** The server's name in an MCP registry, if the zone was imported from one. */
  readonly registryName?: string;
  /** Set if the zone comes from another resolver: how long ago it was fetched, and whether its ttl has expired. */
  readonly remote?: { readonly ageSeconds: number; readonly isStale: boolean };
}

/** The zones of a resolver, from any store. */
export interface ZoneSource {
  /** Another number after every change. */
  readonly version: number;
  get(name: string): Zone | undefined;
  /** Every name, sorted by code point. */
  names(): readonly string[];
  /** If the zones can no longer be read: when they were last current. Undefined: they are current. */
  readonly staleSinceMs?: number | undefined;
  /** Why the zone of a name at another resolver is missing; undefined: this resolver has no zone of this name. */
  absence?(name: string): CascadeReason | undefined;
}

/** One issue of a zone. */
export interface ZoneIssue {
  readonly level: 'error' | 'warning';
  readonly code: string;
  /** Index of the record, if the issue is about one. */
  readonly record?: number;
  readonly message: string;
}
