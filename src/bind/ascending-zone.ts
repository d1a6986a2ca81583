import { isObject, type JsonObject } from '../contract/json.ts';
import { BIND_LIMITS } from './limits.ts';
import { isPriority } from './read-zone.ts';
import type { ZoneIssue } from './zone.ts';

/**
 * A zone in which the lower priority wins → ours, in which the higher wins: every priority is negated, a missing one
 * counts as 10. The caller states the direction; it is never guessed from the data.
 */
export function convertAscendingZone(zone: JsonObject): {
  readonly zone: JsonObject;
  readonly errors: readonly ZoneIssue[];
} {
  if (!Array.isArray(zone.records)) return { zone, errors: [] };
  const errors: ZoneIssue[] = [];
  const records = zone.records.map((record: unknown, position) => {
    if (!isObject(record)) return record;
    const priority = record.priority === undefined ? BIND_LIMITS.priorityDefault : record.priority;
    if (isPriority(priority) && priority !== BIND_LIMITS.priorityMin) return { ...record, priority: 0 - priority };
    errors.push({ level: 'error', code: 'bad_priority', record: position, message: 'The priority cannot be turned.' });
    return record;
  });
  return { zone: { ...zone, records }, errors };
}
