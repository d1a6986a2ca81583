import type { Surface } from '../../contract/approval-surfaces.ts';
import type { JudgeBySchema } from '../schema/compile-schema.ts';
import type { NamedPlace } from './argument-strings.ts';
import type { Hours } from './hours.ts';

/** A position in a policy file: the line (from 1) and the JSON pointer. */
export interface Place {
  readonly line: number;
  readonly pointer: string;
}

export interface Entry extends Place {
  readonly value: string;
}

/** A list of names; in `servers` and in a server's tools the entry `*` matches everything. */
export interface NameList extends Place {
  readonly entries: readonly Entry[];
}

export type Remember = 'never' | 'session' | 'always';

export const REMEMBER: readonly Remember[] = ['never', 'session', 'always'];

/** How to treat calls of tools that may change something. */
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

/** The folders that paths in the arguments must be in. */
export interface AllowedRoots extends Place {
  readonly roots: readonly string[];
  /** The arguments that are paths; undefined: judge every string. */
  readonly places: readonly NamedPlace[] | undefined;
}

/** The hosts that URLs in the arguments may name. */
export interface AllowedDomains extends Place {
  readonly domains: readonly string[];
  /** The arguments that are addresses; undefined: search every string. */
  readonly places: readonly NamedPlace[] | undefined;
}

/** The hours in which calls are allowed. */
export interface HoursRule extends Place {
  readonly hours: Hours;
}

/** The rules of one operation, each with its position. */
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
  /** Overrides the server's declaration of whether the tool is read-only; undefined: no override. */
  readonly readOnly: boolean | undefined;
}

/** A valid policy file. */
export interface PolicyDocument {
  readonly forbidden: readonly Entry[];
  readonly servers: NameList;
  readonly tools: ReadonlyMap<string, NameList>;
  readonly operations: ReadonlyMap<string, OperationRules>;
  /** The old key that filters tools additionally; undefined: no filter. */
  readonly allowedOperations: NameList | undefined;
  /** When any calls are allowed. */
  readonly hours: HoursRule | undefined;
  /** For tools that neither their server nor an operation declares as read-only; undefined: no such rule. */
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
  /** Invalid hours: an unknown time zone or day, or an empty range. */
  | 'bad_hours'
  /** A pattern that cannot be run in linear time: lookaround, a backreference, modifiers, or too many parts. */
  | 'unsupported_pattern';

export interface Finding extends Place {
  readonly level: 'error' | 'warning';
  readonly code: FindingCode;
  readonly message: string;
}

/** The result of parsing a file: it has a document if and only if no finding is an error. */
export interface ParsedPolicy {
  readonly document: PolicyDocument | undefined;
  readonly findings: readonly Finding[];
}
