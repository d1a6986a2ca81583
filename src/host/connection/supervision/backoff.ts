import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

/** What decides when to try again. */
export interface BackoffState {
  /** Failures since the last connection that held. */
  readonly failures: number;
  /** Deaths in a row that came right after a start. */
  readonly earlyDeaths: number;
}

export const NO_FAILURES: BackoffState = { failures: 0, earlyDeaths: 0 };

/** One failure more; `livedMs` is how long the connection held, undefined if there was none. */
export function afterFailure(state: BackoffState, livedMs: number | undefined): BackoffState {
  const early = livedMs === undefined || livedMs < LIMITS.earlyDeathMs;
  return early ? { failures: state.failures + 1, earlyDeaths: state.earlyDeaths + 1 } : { failures: 0, earlyDeaths: 0 };
}

/** How long to wait: nothing for a connection that held, then doubling from 1 s to 60 s, give or take a fifth. */
export function backoffMs(state: BackoffState, stdio: boolean, random: number): number {
  if (state.failures === 0) return 0;
  const exhausted = stdio && state.earlyDeaths >= LIMITS.earlyDeathsMax;
  const base = exhausted
    ? LIMITS.backoffMaxMs
    : Math.min(LIMITS.backoffMs * 2 ** (state.failures - 1), LIMITS.backoffMaxMs);
  return Math.round(base * (0.8 + 0.4 * random));
}
