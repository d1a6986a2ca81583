import { applyEvent } from './apply-event.ts';
import type { Artefact } from './artefact.ts';
import type { LifecycleEvent } from './events.ts';
import { type SourceRecord, traverseSource, UNTRIED_SOURCE } from './source-health.ts';

export interface Replayed {
  /** By `type:id`. */
  readonly artefacts: ReadonlyMap<string, Artefact>;
  /** By `path:source`. */
  readonly sources: ReadonlyMap<string, SourceRecord>;
}

/** Replays all events from the start. */
export function replayEvents(events: Iterable<LifecycleEvent>): Replayed {
  const artefacts = new Map<string, Artefact>();
  const sources = new Map<string, SourceRecord>();
  for (const event of events) {
    const key = `${event.type}:${event.id}`;
    artefacts.set(key, applyEvent(artefacts.get(key), event));
    if (event.kind === 'traversed') {
      const source = `${event.id}:${event.source}`;
      sources.set(source, traverseSource(sources.get(source) ?? UNTRIED_SOURCE, event.outcome, event.at));
    }
  }
  return { artefacts, sources };
}
