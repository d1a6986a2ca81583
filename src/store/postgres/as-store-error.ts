import { BinderyError } from '../../contract/errors.ts';

/** States of PostgreSQL that mean "not now": connection lost, shutting down, starting up, no place left, out of time, too long idle. */
const UNREACHABLE = /^(08|53|57|58|25P03)/;

const REFUSED: Readonly<Record<string, string>> = {
  '28P01': 'The database refuses the user or the password.',
  '28000': 'The database refuses the user or the password.',
  '3D000': 'There is no database of this name.',
};

/**
 * What is not an answer of PostgreSQL to a statement becomes `STORE_UNAVAILABLE`; a wrong statement stays what it is, and so
 * does what is ours. The words are our own, since those of the client library may hold parts of the address.
 */
export function asStoreError(thrown: unknown): unknown {
  if (thrown instanceof BinderyError) return thrown;
  const code = sqlState(thrown);
  if (code !== undefined && !UNREACHABLE.test(code) && !(code in REFUSED)) return thrown;
  return unreachable(REFUSED[code ?? '']);
}

/** What fails for want of the database. */
export function unreachable(detail = 'The database cannot be reached.'): BinderyError {
  return new BinderyError('STORE_UNAVAILABLE', {
    detail,
    next: 'Look at the database that --db names; what needs it works again as soon as it is there.',
  });
}

/** Whether something fails for want of the database. */
export function isUnreachable(thrown: unknown): boolean {
  return thrown instanceof BinderyError && thrown.code === 'STORE_UNAVAILABLE';
}

/** For what goes on without the database: undefined where it cannot be reached. */
export function ifReachable<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((thrown: unknown) => {
    if (isUnreachable(thrown)) return undefined;
    throw thrown;
  });
}

/** Five characters where PostgreSQL itself answered. */
function sqlState(thrown: unknown): string | undefined {
  const { code, severity } = (thrown ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && code.length === 5 && severity !== undefined ? code : undefined;
}
