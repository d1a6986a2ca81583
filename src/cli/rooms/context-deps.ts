import type { CacheBuilder, ContextDeps } from '../../context/ports.ts';
import { createCaches } from '../../store/context/caches.ts';
import type { CacheLocator } from '../../store/context/locate-cache.ts';

/** What the room runs on, for caches that are named in this way. */
export function createContextDeps(locator: CacheLocator, timeoutSecs: number | undefined): ContextDeps {
  return {
    caches: createCaches(locator),
    builder: builderWhenAsked,
    deadline: () => (timeoutSecs === undefined ? undefined : AbortSignal.timeout(timeoutSecs * 1000)),
  };
}

/** Builds are rare and their threads are much to load: every other command starts without them. */
const builderWhenAsked: CacheBuilder = {
  async build(request, signal, progress) {
    const { createCacheBuilder } = await import('../../store/context/build-cache.ts');
    return createCacheBuilder({ now: Date.now }).build(request, signal, progress);
  },
};
