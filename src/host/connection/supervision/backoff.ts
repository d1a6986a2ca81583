import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

/** The state that decides when to retry. */
export interface BackoffState {
  /** Failures since the last stable connection. */
  readonly failures: number;
  /** Deaths shortly after a start, in a row. */
  readonly earlyDeaths: number;
}

export const NO_FAILURES: BackoffState = { failures: 0, earlyDeaths: 0 };

/** Counts one failure; `livedMs` is how long the connection lasted, undefined if there was none. */
export function afterFailure(state: BackoffState, livedMs: number | undefined): BackoffState {
  const early = livedMs === undefined || livedMs < LIMITS.earlyDeathMs;
  return early ? { failures: state.failures + 1, earlyDeaths: state.earlyDeaths + 1 } : { failures: 0, earlyDeaths: 0 };
}

/** The backoff: zero after a stable connection, then doubling from 1 s to 60 s, with a jitter of 20 %. */
export function backoffMs(state: BackoffState, stdio: boolean, random: number): number {
  if (state.failures === 0) return 0;
  const exhausted = stdio && state.earlyDeaths >= LIMITS.earlyDeathsMax;
  const base = exhausted
    ? LIMITS.backoffMaxMs
    : Math.min(LIMITS.backoffMs * 2 ** (state.failures - 1), LIMITS.backoffMaxMs);
  return Math.round(base * (0.8 + 0.4 * random));
}
