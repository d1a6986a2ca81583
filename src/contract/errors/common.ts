import type { ErrorRow } from './error-row.ts';

/** Errors that any room and any face can have. */
export const commonErrors = {
  INTERNAL: {
    title: 'Internal error',
    http: 500,
    exit: 1,
    next: 'Try again. If it happens again, report it with the request id; the log has the details under this id.',
  },
  INVALID_ARGUMENTS: {
    title: 'The input is not valid',
    http: 400,
    exit: 1,
    next: 'Correct the members that `errors` lists. The page /reference has the schema.',
  },
  FILE_REFUSED: {
    title: 'The file was refused',
    http: 422,
    exit: 1,
    next: 'Use a regular file of a normal size, inside its folder, that you may read.',
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
    next: 'Send a smaller body.',
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
    next: 'Use the address that `bindery up` prints, from a program or from a page of the same origin.',
  },
  CANCELLED: {
    title: 'The request was cancelled',
    http: 499,
    exit: 130,
    next: 'Call again if you still need the answer.',
  },
  PORT_IN_USE: {
    title: 'The port is in use',
    http: 500,
    exit: 1,
    next: 'Stop the program that listens there, or choose another port with --port (0 picks a free one).',
  },
  DATA_DIR_UNUSABLE: {
    title: 'The data directory cannot be used',
    http: 500,
    exit: 1,
    next: 'Make it a folder that you can write to, or set BINDERY_DATA_DIR to another folder.',
  },
  USAGE: {
    title: 'The command line is not valid',
    http: 400,
    exit: 1,
    next: 'Run the command with --help.',
  },
} as const satisfies Record<string, ErrorRow>;
