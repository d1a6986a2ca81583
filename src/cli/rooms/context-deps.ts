import type { CacheBuilder, ContextDeps } from '../../context/ports.ts';
import { createCaches } from '../../store/context/caches.ts';
import type { CacheLocator } from '../../store/context/locate-cache.ts';

/** The room's dependencies, with this way to locate caches. */
export function createContextDeps(locator: CacheLocator, timeoutSecs: number | undefined): ContextDeps {
  return {
    caches: createCaches(locator),
    builder: builderWhenAsked,
    deadline: () => (timeoutSecs === undefined ? undefined : AbortSignal.timeout(timeoutSecs * 1000)),
  };
}

/** Loads the builder's threads on first use, since builds are rare. */
const builderWhenAsked: CacheBuilder = {
  async build(request, signal, progress) {
    const { createCacheBuilder } = await import('../../store/context/build-cache.ts');
    return createCacheBuilder({ now: Date.now }).build(request, signal, progress);
  },
};
