/** Why a cascade cannot be followed. */
export type CascadeReason =
  | 'cycle'
  | 'depth'
  | 'fanout'
  | 'unknown_identity'
  | 'protected'
  | 'corrupt'
  | 'timeout'
  /** Of zones at other resolvers: none is configured, it does not answer, its answer is not signed by a pinned key. */
  | 'no_resolver'
  | 'unreachable'
  | 'untrusted'
  /** Too many requests to other resolvers are under way. */
  | 'busy';

/** An MCP record, ready to be ranked. */
export interface McpRecord {
  readonly priority: number;
  /** Index in the zone's records. */
  readonly position: number;
  /** Canonical URL; undefined where the value is no valid endpoint. */
  readonly endpoint: string | undefined;
  readonly isPrivate: boolean;
  /** Own capabilities, of the value or of the record; undefined: the zone's CAPS say. */
  readonly declared: readonly string[] | undefined;
  readonly ttl: number | undefined;
}

/** A CASCADE record. */
export interface Cascade {
  /** Name of the upstream zone; undefined where the value is no identity. */
  readonly target: string | undefined;
  readonly value: string;
}

/**
 * How much of a zone can be used. An unreadable one answers nothing; a malformed one answers in default mode only,
 * because the rank of its records is not certain.
 */
export type ZoneState = 'sound' | 'malformed' | 'unreadable';

/** A zone as the collapse needs it; its records as stored are in the text. */
export interface Zone {
  readonly name: string;
  readonly text: string;
  readonly state: ZoneState;
  readonly ttl: number;
  /** Ranked: priority descending, then position. */
  readonly endpoints: readonly McpRecord[];
  /** Union of the CAPS records; undefined where there is none. */
  readonly allowed: readonly string[] | undefined;
  /** CASCADE records in visit order. */
  readonly cascades: readonly Cascade[];
  /** Valid KEY values, the one that counts first. */
  readonly keys: readonly string[];
  /** The server's name in an MCP registry, where the zone was imported from one. */
  readonly registryName?: string;
  /** Set where another resolver holds the zone: how long ago it was fetched, and whether its ttl is over. */
  readonly remote?: { readonly ageSeconds: number; readonly isStale: boolean };
}

/** The zones of a resolver, wherever they are kept. */
export interface ZoneSource {
  /** Another number after every change. */
  readonly version: number;
  get(name: string): Zone | undefined;
  /** Every name, sorted by code point. */
  names(): readonly string[];
  /** When the zones were last known to be current, where they can no longer be read; undefined: they are current. */
  readonly staleSinceMs?: number | undefined;
  /** Why there is no zone of this name, where another resolver would have it; undefined: this one has none. */
  absence?(name: string): CascadeReason | undefined;
}

/** One thing that is wrong with a zone. */
export interface ZoneIssue {
  readonly level: 'error' | 'warning';
  readonly code: string;
  /** Index of the record, where it is about one. */
  readonly record?: number;
  readonly message: string;
}
