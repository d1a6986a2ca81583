import { BREAKER_DEFAULTS } from '../../gateway/throttle/breaker.ts';
import type { LimiterSettings } from '../call/server-limiter.ts';
import { PROXY_LIMITS } from '../limits.ts';

export const LIMITER_DEFAULTS: LimiterSettings = {
  breaker: BREAKER_DEFAULTS,
  concurrencyMax: PROXY_LIMITS.concurrencyMax,
  queueMax: PROXY_LIMITS.queueMax,
};
