/** The window of a rate limit: 60 s from the first call. */
export const RATE_WINDOW_MS = 60_000;

export interface RateWindow {
  readonly startedAt: number;
  readonly count: number;
}

export type RateVerdict =
  | { readonly allowed: true; readonly window: RateWindow }
  | { readonly allowed: false; readonly retryAfterMs: number };

/** The part of a window that one of several nodes takes at a time. */
const LEASED_SHARE = 0.1;

/** How many calls a node asks for at once. */
export function leaseSize(perMinute: number): number {
  return Math.max(1, Math.floor(perMinute * LEASED_SHARE));
}

/** Counts one more call; the next one beyond the limit is refused until the window ends. */
export function countCall(window: RateWindow | undefined, perMinute: number, now: number): RateVerdict {
  if (!window || now - window.startedAt >= RATE_WINDOW_MS)
    return { allowed: true, window: { startedAt: now, count: 1 } };
  if (window.count < perMinute) return { allowed: true, window: { ...window, count: window.count + 1 } };
  return { allowed: false, retryAfterMs: window.startedAt + RATE_WINDOW_MS - now };
}
