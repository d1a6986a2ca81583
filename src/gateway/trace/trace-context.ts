import { GATEWAY_LIMITS } from '../limits.ts';

/** The parent span that the caller names (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  readonly state?: string;
}

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The trace context in a request's `_meta`; undefined if there is no valid one. */
export function traceContextOf(meta: unknown): TraceContext | undefined {
  const { traceparent, tracestate } = (meta ?? {}) as { traceparent?: unknown; tracestate?: unknown };
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
  // Later versions may append fields; version 00 may not.
  if (!traceId || !spanId || (version === '00' && more !== undefined)) return undefined;
  const isSampled = (Number.parseInt(flags as string, 16) & 1) === 1;
  const hasState = typeof tracestate === 'string' && tracestate.length <= GATEWAY_LIMITS.tracestateCharsMax;
  return { traceId, spanId, isSampled, ...(hasState ? { state: tracestate } : {}) };
}
