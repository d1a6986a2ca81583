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
  /** One sentence about this occurrence; it is shown to clients, so it holds no paths and no internal text. */
  readonly detail?: string;
  /** What to do next here, where the table's sentence is too general. */
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
    // An error of the table is an answer, not an accident: whatever went wrong keeps its stack as the cause.
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

/** Numbers of SQLite: locked, read-only, I/O error, damaged, disk full, cannot be opened, not a database. */
const STORE_FAILURES: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 13, 14, 26]);

/** Whether one of our database files is unusable now; the request itself is fine. */
export function isStoreFailure(thrown: unknown): boolean {
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  // The upper bits say more of the same.
  return typeof errcode === 'number' && STORE_FAILURES.has(errcode & 0xff);
}

/** The one funnel from `unknown`: what is not ours becomes `internal`, with the thrown value kept as its cause. */
export function toBinderyError(thrown: unknown, internal: ErrorCode = 'INTERNAL'): BinderyError {
  if (thrown instanceof BinderyError) return thrown;
  if (isStoreFailure(thrown)) return new BinderyError('STORE_UNAVAILABLE', { cause: thrown });
  return new BinderyError(internal, { cause: thrown });
}
