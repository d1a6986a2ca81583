import { type SourceHealth, THRESHOLDS } from '../config.ts';
import { HOUR_MS } from './tally.ts';

export type TraversalOutcome = 'success' | 'failure' | 'inconclusive';

/** The health of a path's source [L9]. */
export interface SourceRecord {
  readonly health: SourceHealth;
  readonly firstFailureAt: number | undefined;
  readonly lastSuccessAt: number | undefined;
}

export const UNTRIED_SOURCE: SourceRecord = { health: 'ok', firstFailureAt: undefined, lastSuccessAt: undefined };

/** Records one traversal: failures count if they are far enough apart, one success heals. */
export function traverseSource(record: SourceRecord, outcome: TraversalOutcome, at: number): SourceRecord {
  if (outcome === 'inconclusive') return record;
  if (outcome === 'success') return { health: 'ok', firstFailureAt: undefined, lastSuccessAt: at };
  if (record.firstFailureAt === undefined) return { ...record, health: 'suspect', firstFailureAt: at };
  const hours = (at - record.firstFailureAt) / HOUR_MS;
  const { degraded_after_hours, deprecated_after_hours } = THRESHOLDS.source_rot;
  if (record.health === 'suspect' && hours >= degraded_after_hours) return { ...record, health: 'degraded' };
  if (record.health === 'degraded' && hours >= deprecated_after_hours) return { ...record, health: 'deprecated' };
  return record;
}
