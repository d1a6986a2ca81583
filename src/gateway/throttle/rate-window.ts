/** A rate limit's window: 60 s from the first call. */
export const RATE_WINDOW_MS = 60_000;

export interface RateWindow {
  readonly startedAt: number;
  readonly count: number;
}

export type RateVerdict =
  | { readonly allowed: true; readonly window: RateWindow }
  | { readonly allowed: false; readonly retryAfterMs: number };

/** The share of a window that one of several nodes leases at a time. */
const LEASED_SHARE = 0.1;

/** How many calls a node leases at once. */
export function leaseSize(perMinute: number): number {
  return Math.max(1, Math.floor(perMinute * LEASED_SHARE));
}

/** Counts a call; above the limit, calls are refused until the window ends. */
export function countCall(window: RateWindow | undefined, perMinute: number, now: number): RateVerdict {
  if (!window || now - window.startedAt >= RATE_WINDOW_MS)
    return { allowed: true, window: { startedAt: now, count: 1 } };
  if (window.count < perMinute) return { allowed: true, window: { ...window, count: window.count + 1 } };
  return { allowed: false, retryAfterMs: window.startedAt + RATE_WINDOW_MS - now };
}
