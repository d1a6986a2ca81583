import type { Clock } from '../../contract/ports.ts';

/** The time as RFC 3339 says it; written once per millisecond, however many ask. */
export function isoTime(clock: Clock): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== at) {
      at = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
}
