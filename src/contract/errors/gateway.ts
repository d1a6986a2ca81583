import type { ErrorRow } from '../errors.ts';

/** Errors of the room `gateway`. */
export const gatewayErrors = {} as const satisfies Record<string, ErrorRow>;
