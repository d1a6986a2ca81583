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
  POLICY_DENIED: {
    title: 'Policy does not allow this call',
    http: 403,
    exit: 1,
    next: 'Ask the person who keeps the policy; `bindery policy check` shows the rule.',
  },
  APPROVAL_PENDING: {
    title: 'A person has to approve this call',
    http: 409,
    exit: 1,
    next: 'Call again with the same arguments once it is approved.',
  },
  APPROVAL_DENIED: {
    title: 'A person denied this call',
    http: 403,
    exit: 1,
    next: 'Do not repeat it; ask the person what to do instead.',
  },
  APPROVAL_EXPIRED: {
    title: 'Nobody approved this call in time',
    http: 409,
    exit: 1,
    next: 'Call again to ask anew.',
  },
  APPROVAL_MISMATCH: {
    title: 'The approval is for another call',
    http: 409,
    exit: 1,
    next: 'Repeat the call exactly as it was approved, or ask anew.',
  },
  APPROVAL_NOT_PENDING: {
    title: 'The approval was decided before',
    http: 409,
    exit: 1,
    next: 'Look at its status.',
  },
  BREAKER_OPEN: {
    title: 'The server failed repeatedly and is left alone for a while',
    http: 503,
    exit: 1,
    next: 'Call again later, or use another tool.',
  },
  RATE_LIMITED: {
    title: 'Too many calls',
    http: 429,
    exit: 1,
    next: 'Call again later.',
  },
  BUSY: {
    title: 'The server has too many calls waiting',
    http: 503,
    exit: 1,
    next: 'Call again in a moment.',
  },
  TIMED_OUT: {
    title: 'The server did not answer in time',
    http: 504,
    exit: 1,
    next: 'Call again, with less work if that is possible.',
  },
  UPSTREAM_ERROR: {
    title: 'The connection to the server failed',
    http: 502,
    exit: 1,
    next: 'Call again; if it stays, look at `bindery mcp status`.',
  },
  SERVER_UNAVAILABLE: {
    title: 'The server cannot be reached',
    http: 502,
    exit: 1,
    next: 'Look at `bindery mcp status`, and use another tool meanwhile.',
  },
  AUTH_REQUIRED: {
    title: 'The server asks for a sign-in',
    http: 401,
    exit: 1,
    next: 'A person signs in with `bindery mcp auth login`.',
  },
  DEFINITION_CHANGED: {
    title: 'The definition of this tool has changed since it was accepted',
    http: 409,
    exit: 1,
    next: 'A person looks at `bindery tools changes` and accepts it.',
  },
  CLIENT_CAPABILITY_MISSING: {
    title: 'The server asks for something that this client cannot do',
    http: 400,
    exit: 1,
    next: 'Use a client that declares the capability, or another tool.',
  },
  OUTPUT_TOO_LARGE: {
    title: 'The answer is larger than the limit',
    http: 502,
    exit: 1,
    next: 'Ask for less.',
  },
  INTERRUPTED: {
    title: 'The call was interrupted',
    http: 410,
    exit: 1,
    next: 'Call again.',
  },
  UNKNOWN_TOOL: {
    title: 'There is no tool of this name',
    http: 404,
    exit: 1,
    next: 'List the tools again, or search for one.',
  },
  PROFILE_NOT_FOUND: {
    title: 'There is no profile of this name',
    http: 404,
    exit: 1,
    next: 'Use /mcp, or a profile of the configuration.',
  },
} as const satisfies Record<string, ErrorRow>;
