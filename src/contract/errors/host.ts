import type { ErrorRow } from '../errors.ts';

/** Errors of the room `host`. */
export const hostErrors = {} as const satisfies Record<string, ErrorRow>;
