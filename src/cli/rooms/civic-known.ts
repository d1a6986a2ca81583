import { existsSync } from 'node:fs';
import type { WriteDeps } from '../../civic/submissions/write-deps.ts';
import { openCivicStore } from '../../store/civic/open-civic-store.ts';
import type { WatchedCorpus } from '../../store/corpus/watched-corpus.ts';
import { registryFileOfCommand } from '../registry-location.ts';

/** Whether an id names something here. An id that a sender invented may contain anything. */
export function isKnownId(corpus: WatchedCorpus, { store, hasProvider }: WriteDeps, id: string): boolean {
  const current = corpus.current();
  const [path = '', source] = id.split(':');
  return (
    current?.skills.has(id) ||
    (source === undefined
      ? current?.paths.has(id)
      : current?.paths.get(path)?.matter?.sources.some((one) => one.id === source)) ||
    current?.values.has(id) ||
    current?.references.has(id) ||
    hasProvider(id) ||
    store.submission(id) !== undefined
  );
}

/** The providers that maintainers of this machine removed, and the submissions that they erased. */
export async function reviewed(dataDir: string, databaseFlag: unknown) {
  const file = await registryFileOfCommand(databaseFlag, dataDir);
  if (!existsSync(file)) return { removed: new Set<string>(), erased: new Set<string>() };
  const { store, close } = openCivicStore(dataDir, undefined, file);
  try {
    return { removed: store.removedProviders(), erased: store.review.erasedIds() };
  } finally {
    close();
  }
}
