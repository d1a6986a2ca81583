import type { ErrorRow } from './error-row.ts';

/** Errors of the room `bind`. */
export const bindErrors = {
  INVALID_IDENTITY: {
    title: 'The identity is not valid',
    http: 400,
    exit: 1,
    next: 'Use a name of 1 to 63 characters a-z, 0-9, "-" and "_", such as ai://sentinel.',
  },
  UNKNOWN_MODE: {
    title: 'The mode is not known',
    http: 400,
    exit: 1,
    next: 'Leave mode out, or use default, raw or mcp.',
  },
  INVALID_PARAMETER: {
    title: 'A parameter is not valid',
    http: 400,
    exit: 1,
    next: 'Correct the parameter that the detail names. The page /reference lists all parameters.',
  },
  PROTECTED: {
    title: 'The name is reserved',
    http: 403,
    exit: 1,
    next: 'Use another name. Reserved names are never resolved.',
  },
  IDENTITY_NOT_FOUND: {
    title: 'There is no such identity',
    http: 404,
    exit: 1,
    next: 'Check the spelling, or publish a zone of this name.',
  },
  NO_MCP_RECORDS: {
    title: 'The identity has no MCP records',
    http: 404,
    exit: 1,
    next: 'Add an MCP record to its zone, or use the default mode to see its other records.',
  },
  CAPS_UNSATISFIED: {
    title: 'No endpoint has the capabilities',
    http: 422,
    exit: 1,
    next: 'Ask for capabilities that are listed under "available", or ask for none.',
  },
  RESOLVER_UNKNOWN: {
    title: 'No resolver is configured for this authority',
    http: 404,
    exit: 1,
    next: 'Add the host name behind the @ to bind.resolvers, or ask for a name that this resolver holds.',
  },
  RESOLVER_FAILED: {
    title: 'The other resolver gave no usable zone',
    http: 502,
    exit: 1,
    next: 'See "reason": check the URL and the keys of that resolver in bind.resolvers, and try again in a few seconds.',
  },
  REGISTRY_UNREACHABLE: {
    title: 'The registry could not be read',
    http: 502,
    exit: 1,
    next: 'Check its URL, which needs https and a public address unless --allow-private-endpoints is given, and try again.',
  },
  ZONE_CORRUPT: {
    title: 'The zone is damaged',
    http: 502,
    exit: 1,
    next: 'Repair the zone; `bindery bind lint` says what is wrong with it.',
  },
  CASCADE_FAILED: {
    title: 'A zone that the identity inherits from cannot be used',
    http: 502,
    exit: 1,
    next: 'Repair the last zone of "chain" (HTTP answers a cycle with 508), or resolve with cascade=off to see the local records alone.',
  },
  INVALID_ENDPOINT: {
    title: 'The selected endpoint is not an acceptable HTTPS URL',
    http: 500,
    exit: 1,
    next: 'Correct the MCP record of highest priority in the zone that the answer names.',
  },
  INVALID_ZONE: {
    title: 'The zone is not valid',
    http: 422,
    exit: 1,
    next: 'Correct what "errors" lists; `bindery bind lint` checks a zone without storing it.',
  },
  REGISTRAR_KEY_REQUIRED: {
    title: 'A registrar key or a zone signature is needed',
    http: 401,
    exit: 1,
    next: 'Send a key of bind.registrar_keys as bearer token, or sign the zone with a key that its stored version names.',
  },
  ZONE_SIGNATURE_INVALID: {
    title: 'The signature does not belong to this zone',
    http: 403,
    exit: 1,
    next: 'Sign the canonical JSON of the zone with a key that a KEY record of the stored zone names.',
  },
  IF_MATCH_REQUIRED: {
    title: 'The zone exists; the write must say which version it replaces',
    http: 428,
    exit: 1,
    next: 'Read the zone, then write with If-Match set to its ETag.',
  },
  ZONE_CHANGED: {
    title: 'The zone has changed since it was read',
    http: 412,
    exit: 1,
    next: 'Read the zone again, apply the change to it and write with its new ETag.',
  },
  IMMUTABLE_FIELD: {
    title: 'A field that never changes was changed',
    http: 409,
    exit: 1,
    next: 'Keep identity and created_at as they are stored.',
  },
  ZONE_STORE_FAILED: {
    title: 'The zones cannot be read or written',
    http: 500,
    exit: 1,
    next: 'Check that the folder or database of zones exists, that you can write to it, and that the disk has free space.',
  },
  SIGNING_KEY_INVALID: {
    title: 'The signing key cannot be used',
    http: 500,
    exit: 1,
    next: 'Make one with `openssl genpkey -algorithm ed25519` and name its file in bind.signing_key_file.',
  },
} as const satisfies Record<string, ErrorRow>;
