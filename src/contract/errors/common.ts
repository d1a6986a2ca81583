import type { ErrorRow } from './error-row.ts';

/** Errors that any room and any face can have. */
export const commonErrors = {
  INTERNAL: {
    title: 'Internal error',
    http: 500,
    exit: 1,
    next: 'Try again; if it stays, report it with the request id, under which the log has the details.',
  },
  INVALID_ARGUMENTS: {
    title: 'The input is not valid',
    http: 400,
    exit: 1,
    next: 'Correct the members that the errors name; the reference page has the schema.',
  },
  FILE_REFUSED: {
    title: 'The file is not read',
    http: 422,
    exit: 1,
    next: 'Put a regular file of a usual size there, inside its folder and readable by you.',
  },
  MALFORMED_JSON: {
    title: 'The body is not JSON',
    http: 400,
    exit: 1,
    next: 'Send one JSON object in UTF-8.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    title: 'The media type is not supported',
    http: 415,
    exit: 1,
    next: 'Send the body with Content-Type: application/json.',
  },
  PAYLOAD_TOO_LARGE: {
    title: 'The body is too large',
    http: 413,
    exit: 1,
    next: 'Send less at once.',
  },
  BODY_TIMED_OUT: {
    title: 'The body did not arrive in time',
    http: 408,
    exit: 1,
    next: 'Send the request again, with its whole body.',
  },
  TOO_MANY_BODIES: {
    title: 'Too many unfinished requests',
    http: 503,
    exit: 1,
    next: 'Send the request again, with its whole body at once.',
  },
  ROUTE_NOT_FOUND: {
    title: 'There is nothing at this path',
    http: 404,
    exit: 1,
    next: 'GET /reference lists every route.',
  },
  METHOD_NOT_ALLOWED: {
    title: 'The method is not allowed here',
    http: 405,
    exit: 1,
    next: 'Use a method that the Allow header names.',
  },
  FORBIDDEN_HOST: {
    title: 'The Host or Origin header is not accepted',
    http: 403,
    exit: 1,
    next: 'Call the address that the start-up line shows, from a program or from a page of the same origin.',
  },
  CANCELLED: {
    title: 'The request was cancelled',
    http: 499,
    exit: 130,
    next: 'Call again if the answer is still wanted.',
  },
  PORT_IN_USE: {
    title: 'The port is in use',
    http: 500,
    exit: 1,
    next: 'Stop what listens there, or choose another port with --port (0 picks a free one).',
  },
  DATA_DIR_UNUSABLE: {
    title: 'The data directory cannot be used',
    http: 500,
    exit: 1,
    next: 'Make it a folder that you may write to, or name another one with BINDERY_DATA_DIR.',
  },
  USAGE: {
    title: 'The command line is not valid',
    http: 400,
    exit: 1,
    next: 'Run the command with --help.',
  },
} as const satisfies Record<string, ErrorRow>;
