import { BinderyError, type ErrorCode } from '../../contract/errors.ts';
import { errorCode } from './file-errors.ts';

/** An error of a thread as data; error classes do not cross threads. */
export interface WorkerFailure {
  readonly code: string;
  readonly detail: string | undefined;
  readonly next: string | undefined;
  readonly isFile: boolean;
}

/** Rethrows errors that are neither file errors nor Bindery's. */
export function failureOf(thrown: unknown): WorkerFailure {
  if (thrown instanceof BinderyError) {
    return { code: thrown.code, detail: thrown.detail, next: thrown.next, isFile: false };
  }
  const code = errorCode(thrown);
  if (code === undefined) throw thrown;
  return { code, detail: (thrown as Error).message, next: undefined, isFile: true };
}

/** Restores the error from a failure. */
export function errorOf({ code, detail, next, isFile }: WorkerFailure): Error {
  if (isFile) return Object.assign(new Error(detail), { code });
  return new BinderyError(code as ErrorCode, {
    ...(detail === undefined ? {} : { detail }),
    ...(next === undefined ? {} : { next }),
  });
}
