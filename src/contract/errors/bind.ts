import type { ErrorRow } from '../errors.ts';

/** Errors of the room `bind`. */
export const bindErrors = {} as const satisfies Record<string, ErrorRow>;
