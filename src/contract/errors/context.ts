import type { ErrorRow } from './error-row.ts';

/** Errors of the room `context`: codes, titles and exit codes are frozen by its specification. */
export const contextErrors = {
  invalid_query: {
    title: 'Query is invalid',
    http: 400,
    exit: 2,
    next: 'Pass the query as one string.',
  },
  invalid_budget: {
    title: 'Budget is invalid',
    http: 400,
    exit: 3,
    next: 'Pass the budget as an integer from 0 to 9007199254740991.',
  },
  cache_missing: {
    title: 'Cache does not exist',
    http: 404,
    exit: 4,
    next: 'Build it with `context build`, or check the name.',
  },
  cache_invalid: {
    title: 'Cache exists but is invalid',
    http: 422,
    exit: 5,
    next: 'See what is wrong with `context verify`, then build it again with `context build --force`.',
  },
  io_error: {
    title: 'I/O error occurred',
    http: 500,
    exit: 6,
    next: 'Check that the path exists, can be read and written, and that the disk has room.',
  },
  internal_error: {
    title: 'Internal error',
    http: 500,
    exit: 7,
    next: 'Try again; if it happens again, report it.',
  },
} as const satisfies Record<string, ErrorRow>;
