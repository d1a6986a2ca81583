import type { Surface } from '../../contract/approval-surfaces.ts';
import type { JudgeBySchema } from '../schema/compile-schema.ts';
import type { NamedPlace } from './argument-strings.ts';
import type { Hours } from './hours.ts';

/** Where something stands in a policy file: the line (from 1) and the JSON pointer. */
export interface Place {
  readonly line: number;
  readonly pointer: string;
}

export interface Entry extends Place {
  readonly value: string;
}

/** A list of names; in `servers` and in a server's tools the entry `*` means all. */
export interface NameList extends Place {
  readonly entries: readonly Entry[];
}

export type Remember = 'never' | 'session' | 'always';

export const REMEMBER: readonly Remember[] = ['never', 'session', 'always'];

/** What happens to calls of tools that may change something. */
export const WRITES = ['allow', 'ask', 'deny'] as const;

export interface WritesRule extends Place {
  readonly writes: (typeof WRITES)[number];
}

export interface Limits {
  readonly rate_per_minute?: number;
  readonly max_concurrency?: number;
  readonly timeout_ms?: number;
}

export const LIMIT_KEYS = ['rate_per_minute', 'max_concurrency', 'timeout_ms'] as const;

/** Folders that paths in the arguments must lie below. */
export interface AllowedRoots extends Place {
  readonly roots: readonly string[];
  /** The arguments that are paths; undefined: any string may be one. */
  readonly places: readonly NamedPlace[] | undefined;
}

/** Hosts that URLs in the arguments may lead to. */
export interface AllowedDomains extends Place {
  readonly domains: readonly string[];
  /** The arguments that are addresses; undefined: any string may be one. */
  readonly places: readonly NamedPlace[] | undefined;
}

/** Hours outside of which calls are denied. */
export interface HoursRule extends Place {
  readonly hours: Hours;
}

/** The rules of one operation, each with its place. */
export interface OperationRules {
  readonly key: string;
  readonly place: Place;
  readonly approval: Place | undefined;
  readonly reason: string | undefined;
  readonly limits: Limits;
  readonly arguments: (Place & { readonly judge: JudgeBySchema }) | undefined;
  readonly allowedRoots: AllowedRoots | undefined;
  readonly allowedDomains: AllowedDomains | undefined;
  readonly remember: Remember | undefined;
  readonly surfaces: readonly Surface[] | undefined;
  readonly hours: HoursRule | undefined;
  /** Whether the tool only reads, whatever its server says; undefined: as its server says. */
  readonly readOnly: boolean | undefined;
}

/** A policy file that was found good. */
export interface PolicyDocument {
  readonly forbidden: readonly Entry[];
  readonly servers: NameList;
  readonly tools: ReadonlyMap<string, NameList>;
  readonly operations: ReadonlyMap<string, OperationRules>;
  /** The old key that filters tools once more; undefined: no such filter. */
  readonly allowedOperations: NameList | undefined;
  /** When anything may be called at all. */
  readonly hours: HoursRule | undefined;
  /** For tools that neither their server nor an operation calls read-only; undefined: as the other rules say. */
  readonly writes: WritesRule | undefined;
}

export type FindingCode =
  | 'operation_never_allowed'
  | 'tools_for_unlisted_server'
  | 'unknown_server'
  | 'permits_nothing'
  | 'unknown_tool'
  | 'arguments_not_named'
  | 'legacy_key'
  | 'glob_has_no_effect'
  | 'duplicate_entry'
  | 'unknown_key'
  | 'bad_type'
  | 'bad_schema'
  /** Hours that are no hours: an unknown time zone or day, or a range without length. */
  | 'bad_hours'
  /** A pattern that cannot be run in linear time: lookaround, a backreference, modifiers, or too many parts. */
  | 'unsupported_pattern';

export interface Finding extends Place {
  readonly level: 'error' | 'warning';
  readonly code: FindingCode;
  readonly message: string;
}

/** What reading a file gave: a document iff there is no error among the findings. */
export interface ParsedPolicy {
  readonly document: PolicyDocument | undefined;
  readonly findings: readonly Finding[];
}
