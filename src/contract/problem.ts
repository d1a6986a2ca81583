import type { BinderyError } from './errors.ts';
import type { Failures } from './operation.ts';

/** An RFC 9457 problem: the body of an HTTP error and the object that a command prints with --json. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly request_id?: string;
  readonly [member: string]: unknown;
}

export function toProblem(error: BinderyError, requestId: string | undefined, failures?: Failures): Problem {
  return {
    type: `/reference#${error.code}`,
    title: error.row.title,
    status: error.row.http,
    code: error.code,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    ...error.members,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...failures?.problem?.(error),
  };
}
