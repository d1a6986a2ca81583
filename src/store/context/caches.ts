import { CONTEXT_LIMITS } from '../../context/limits.ts';
import type { Caches } from '../../context/ports.ts';
import { BinderyError } from '../../contract/errors.ts';
import { toFileError } from './file-errors.ts';
import { inspectFolder, summarizeFolder } from './inspect-cache.ts';
import type { CacheLocator } from './locate-cache.ts';
import { type CacheFolder, openCacheFolder } from './open-cache.ts';

/** Caches in folders. Opened ones stay in memory until their files change. */
export function createCaches(locator: CacheLocator): Caches {
  const opened = new OpenFolders();
  return {
    async read(cache, use) {
      for (let attempt = 1; ; attempt++) {
        const folder = opened.open(locator.locate(cache));
        try {
          return await use(folder);
        } catch (thrown) {
          // A concurrent build may have replaced the folder and removed the documents of the old manifest.
          if (!isInvalid(thrown) || attempt > CONTEXT_LIMITS.replacedRetries || folder.isCurrent()) throw thrown;
        }
      }
    },
    inspect: async (cache) => asFileErrors(() => inspectFolder(locator.locate(cache))),
    summarize: async (cache) => asFileErrors(() => summarizeFolder(locator.locate(cache))),
    verify: async (cache, signal, progress) => {
      const { verifyFolder } = await import('./verify-cache.ts');
      return verifyFolder(locator.locate(cache), signal, progress);
    },
    list: async () => locator.list(),
  };
}

/** The most recently used caches, by folder. */
class OpenFolders {
  readonly #folders = new Map<string, CacheFolder>();

  open(path: string): CacheFolder {
    const known = this.#folders.get(path);
    this.#folders.delete(path);
    const folder = known?.isCurrent() ? known : openCacheFolder(path);
    this.#folders.set(path, folder);
    if (this.#folders.size > CONTEXT_LIMITS.openCachesMax) {
      const [oldest] = this.#folders.keys();
      this.#folders.delete(oldest as string);
    }
    return folder;
  }
}

function isInvalid(thrown: unknown): boolean {
  return thrown instanceof BinderyError && thrown.code === 'cache_invalid';
}

function asFileErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw toFileError(thrown);
  }
}
