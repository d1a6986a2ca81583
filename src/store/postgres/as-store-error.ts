import { BinderyError } from '../../contract/errors.ts';

/** SQLSTATEs that mean "unavailable for now": connection lost, shutting down, starting up, no resources, timed out, idle too long. */
const UNREACHABLE = /^(08|53|57|58|25P03)/;

const REFUSED: Readonly<Record<string, string>> = {
  '28P01': 'The database refuses the user or the password.',
  '28000': 'The database refuses the user or the password.',
  '3D000': 'There is no database of this name.',
};

/**
 * Turns connection failures into `STORE_UNAVAILABLE`; errors of a statement and our own errors pass unchanged. The message of the client
 * library is dropped, because it may contain parts of the address.
 */
export function asStoreError(thrown: unknown): unknown {
  if (thrown instanceof BinderyError) return thrown;
  const code = sqlState(thrown);
  if (code !== undefined && !UNREACHABLE.test(code) && !(code in REFUSED)) return thrown;
  return unreachable(REFUSED[code ?? '']);
}

/** The error for a database that cannot be reached. */
export function unreachable(detail = 'The database cannot be reached.'): BinderyError {
  return new BinderyError('STORE_UNAVAILABLE', {
    detail,
    next: 'Look at the database that --db names; what needs it works again as soon as it is there.',
  });
}

/** Whether an error means that the database cannot be reached. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof BinderyError && thrown.code === 'STORE_UNAVAILABLE';
}

/** For work that can go on without the database: undefined if the database cannot be reached. */
export function ifReachable<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((thrown: unknown) => {
    if (isUnreachable(thrown)) return undefined;
    throw thrown;
  });
}

/** The SQLSTATE (five characters) if PostgreSQL itself answered. */
function sqlState(thrown: unknown): string | undefined {
  const { code, severity } = (thrown ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && code.length === 5 && severity !== undefined ? code : undefined;
}
