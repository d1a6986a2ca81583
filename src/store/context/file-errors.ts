import { BinderyError } from '../../contract/errors.ts';

/** Codes that mean "there is no such file or folder here". */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

export function isAbsent(thrown: unknown): boolean {
  return ABSENT.has(errorCode(thrown) ?? '');
}

export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
}

/** Turns errors of the operating system into `io_error`; other errors pass unchanged. */
export function toFileError(thrown: unknown): unknown {
  if (thrown instanceof BinderyError || errorCode(thrown) === undefined || (thrown as Error).name === 'AbortError') {
    return thrown;
  }
  return new BinderyError('io_error', { cause: thrown });
}

/** The error for a source that the system refuses to read; other errors pass unchanged. */
export function unreadable(what: string, thrown: unknown): unknown {
  const code = errorCode(thrown);
  if (thrown instanceof BinderyError || code === undefined) return thrown;
  return new BinderyError('io_error', { detail: `${what} cannot be read: ${code}`, cause: thrown });
}

export function cacheInvalid(detail: string, cause?: unknown): BinderyError {
  return new BinderyError('cache_invalid', cause === undefined ? { detail } : { detail, cause });
}
