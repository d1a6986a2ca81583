import type { SourceHealth } from '../../civic/config.ts';
import type { PathHealth } from '../../civic/reads/ports.ts';
import type { CivicStore } from '../../civic/submissions/civic-store.ts';
import { utcDay } from '../../civic/trust/salts.ts';

/** The sources' health for readers, straight from the store. */
export function storedHealth(store: CivicStore): PathHealth {
  return {
    revision: () => store.sourcesRevision(),
    source: (pathId, sourceId): SourceHealth => store.source(pathId, sourceId)?.health ?? 'ok',
    lastValidated: (pathId, sourceId) => {
      const at = store.source(pathId, sourceId)?.lastSuccessAt;
      return at === undefined ? undefined : utcDay(at);
    },
  };
}
