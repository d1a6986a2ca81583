import { bindErrors } from './errors/bind.ts';
import { civicErrors } from './errors/civic.ts';
import { commonErrors } from './errors/common.ts';
import { contextErrors } from './errors/context.ts';
import type { ErrorRow } from './errors/error-row.ts';
import { gatewayErrors } from './errors/gateway.ts';
import { hostErrors } from './errors/host.ts';

/** Every error that can cross a face of Bindery. */
export const ERRORS = {
  ...commonErrors,
  ...contextErrors,
  ...bindErrors,
  ...hostErrors,
  ...gatewayErrors,
  ...civicErrors,
} as const;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorOptions {
  /** One sentence about this occurrence; clients see it, so it contains no paths and no internal text. */
  readonly detail?: string;
  /** What to do next, if the table's sentence is too general here. */
  readonly next?: string;
  /** Further members of the problem object. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error that crosses rooms and faces. Switch on `code`. */
export class BinderyError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly next: string;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    // An error of the table is an answer and needs no stack trace; the cause keeps its own.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(options.detail ?? ERRORS[code].title, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'BinderyError';
    this.code = code;
    this.detail = options.detail;
    this.next = options.next ?? ERRORS[code].next;
    this.members = options.members ?? {};
  }

  get row(): ErrorRow {
    return ERRORS[this.code];
  }
}

/** SQLite error codes: busy or locked, read-only, I/O error, corrupt, disk full, cannot open, not a database. */
const STORE_FAILURES: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 13, 14, 26]);

/** Whether a database file of ours is unusable now; the request itself is valid. */
export function isStoreFailure(thrown: unknown): boolean {
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  // The upper bits are the extended error code.
  return typeof errcode === 'number' && STORE_FAILURES.has(errcode & 0xff);
}

/** The one funnel from `unknown`: any other value becomes `internal`, with the thrown value as its cause. */
export function toBinderyError(thrown: unknown, internal: ErrorCode = 'INTERNAL'): BinderyError {
  if (thrown instanceof BinderyError) return thrown;
  if (isStoreFailure(thrown)) return new BinderyError('STORE_UNAVAILABLE', { cause: thrown });
  return new BinderyError(internal, { cause: thrown });
}
