/** When a server's circuit breaker opens, and for how long. */
export interface BreakerSettings {
  readonly failures: number;
  readonly openMs: number;
}

export const BREAKER_DEFAULTS: BreakerSettings = { failures: 5, openMs: 60_000 };

/** How long to wait while another call probes the server. */
export const PROBE_RETRY_MS = 1_000;

/** The state of a server's circuit breaker; `openedAt` is the time of the last failure that opened it. */
export interface BreakerState {
  readonly failures: number;
  readonly openedAt: number | undefined;
  readonly probing: boolean;
}

export const CLOSED: BreakerState = { failures: 0, openedAt: undefined, probing: false };

/** `answered`: any answer. `failed`: a transport error. `abandoned`: the client cancelled. */
export type BreakerEvent = 'answered' | 'failed' | 'abandoned';

export type BreakerReport = 'closed' | 'open' | 'half_open';

export type Admission =
  | { readonly admitted: true; readonly state: BreakerState }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** Admits or refuses a call: an open breaker refuses, a half-open one admits a single probe. */
export function admit(state: BreakerState, now: number, settings: BreakerSettings): Admission {
  switch (report(state, now, settings)) {
    case 'closed':
      return { admitted: true, state };
    case 'open':
      return { admitted: false, retryAfterMs: (state.openedAt as number) + settings.openMs - now };
    case 'half_open':
      return state.probing
        ? { admitted: false, retryAfterMs: PROBE_RETRY_MS }
        : { admitted: true, state: { ...state, probing: true } };
  }
}

/** The state after an admitted call has ended. */
export function recordOutcome(
  state: BreakerState,
  event: BreakerEvent,
  now: number,
  settings: BreakerSettings,
): BreakerState {
  if (event === 'answered') return CLOSED;
  if (event === 'abandoned') return { ...state, probing: false };
  const failures = state.failures + 1;
  const opens = state.openedAt !== undefined || failures >= settings.failures;
  return { failures, openedAt: opens ? now : undefined, probing: false };
}

/** The reported state; it becomes half-open after its time, even without a call. */
export function report(state: BreakerState, now: number, settings: BreakerSettings): BreakerReport {
  if (state.openedAt === undefined) return 'closed';
  return now - state.openedAt >= settings.openMs ? 'half_open' : 'open';
}
