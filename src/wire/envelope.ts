/** A range of bytes: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the top-level members of a JSON-RPC message stand in its bytes. */
export interface Envelope {
  readonly kind: 'request' | 'notification' | 'result' | 'error';
  readonly id: Span | undefined;
  readonly method: Span | undefined;
  readonly params: Span | undefined;
  readonly result: Span | undefined;
  readonly error: Span | undefined;
}
