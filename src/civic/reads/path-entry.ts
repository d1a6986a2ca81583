import type { SourceHealth } from '../config.ts';
import type { PathSource } from '../corpus/entries.ts';
import type { SnapshotPath } from '../corpus/snapshot.ts';
import type { PathHealth } from './ports.ts';

const OFFLINE = 'offline';

export type ServedSource = PathSource & { readonly health: SourceHealth };
export type ServedPath = SnapshotPath['entry'] & {
  readonly sources: readonly ServedSource[];
  readonly health: 'ok' | 'degraded';
};

/** A path for clients: as written, with its sources in the order to try them, and their health. */
export function toServedPath({ id, entry }: SnapshotPath, health: PathHealth): ServedPath {
  const sources = entry.sources
    .map((source) => toServedSource(id, source, health))
    .sort((a, b) => compareRanks(rank(a), rank(b)) || (a.id < b.id ? -1 : 1));
  const isLive = sources.some((source) => isUsable(source.health));
  return { ...entry, sources, health: isLive ? 'ok' : 'degraded' };
}

function toServedSource(pathId: string, source: PathSource, health: PathHealth): ServedSource {
  const validated = health.lastValidated(pathId, source.id);
  return {
    ...source,
    ...(source.source_class === OFFLINE ? { fallback_only: true } : {}),
    last_validated: validated ?? source.last_validated ?? null,
    health: health.source(pathId, source.id),
  };
}

/** Sort key: healthy first, then non-fallback, then online, then higher priority. */
function rank(source: ServedSource): number[] {
  return [
    isUsable(source.health) ? 0 : 1,
    source.fallback_only ? 1 : 0,
    source.source_class === OFFLINE ? 1 : 0,
    -(source.priority ?? 0),
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function isUsable(health: SourceHealth): boolean {
  return health === 'ok' || health === 'suspect';
}
