import type { CivicStore } from '../submissions/civic-store.ts';
import { replayEvents } from './replay-events.ts';

export interface ReplayReport {
  readonly equal: boolean;
  readonly events: number;
  readonly artefacts: number;
}

/** Replays the event log from the start and compares every state with the stored one [L12]. */
export function replayStore(store: CivicStore): ReplayReport {
  let events = 0;
  function* counted() {
    for (const event of store.events()) {
      events++;
      yield event;
    }
  }
  const replayed = replayEvents(counted());
  const keys = store.artefactKeys();
  const sameArtefacts =
    keys.length === replayed.artefacts.size &&
    keys.every(({ type, id }) => same(store.artefact(type, id), replayed.artefacts.get(`${type}:${id}`)));
  const sources = store.sources();
  const sameSources =
    sources.length === replayed.sources.size &&
    sources.every(({ pathId, sourceId, record }) => same(record, replayed.sources.get(`${pathId}:${sourceId}`)));
  return { equal: sameArtefacts && sameSources, events, artefacts: keys.length };
}

function same(kept: object | undefined, replayed: object | undefined): boolean {
  return JSON.stringify(sorted(kept)) === JSON.stringify(sorted(replayed));
}

function sorted(value: object | undefined): unknown {
  return value && Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
