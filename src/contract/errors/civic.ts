import type { ErrorRow } from '../errors.ts';

/** Errors of the room `civic`. */
export const civicErrors = {} as const satisfies Record<string, ErrorRow>;
