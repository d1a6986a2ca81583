import type { ErrorRow } from '../errors.ts';

/** Errors of the room `gateway`. */
export const gatewayErrors = {
  STORE_UNAVAILABLE: {
    title: 'The audit log cannot be written',
    http: 503,
    exit: 1,
    next: 'Free disk space or repair the data directory; nothing was sent.',
  },
  AUDIT_BROKEN: {
    title: 'The audit log does not verify',
    http: 409,
    exit: 1,
    next: 'Keep the files as they are and compare them with an export or a backup.',
  },
} as const satisfies Record<string, ErrorRow>;
