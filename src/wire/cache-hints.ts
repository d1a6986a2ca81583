import type { JsonObject } from '../contract/json.ts';

/** How long and by whom a 2026 result may be kept. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

/** Reads the hints of a result; what is absent or malformed is the careful value: not at all, and by nobody else. */
export function readCacheHint(result: JsonObject): CacheHint {
  const { ttlMs, cacheScope } = result;
  return {
    ttlMs: typeof ttlMs === 'number' && Number.isSafeInteger(ttlMs) && ttlMs >= 0 ? ttlMs : 0,
    scope: cacheScope === 'public' ? 'public' : 'private',
  };
}
