import type { CollapsePolicy } from './collapse.ts';
import { bareName, toUri } from './identity.ts';
import { parseZoneJson, readZoneText } from './read-zone.ts';
import type { Zone, ZoneIssue } from './zone.ts';

/** The answer of default mode: a zone's own records, unmerged, as they are stored. */
export interface RawRecords {
  readonly identity: string;
  readonly records: readonly unknown[];
  readonly ttl: number;
  readonly warnings: readonly ZoneIssue[];
}

/** Reads the records of a zone that is readable; undefined for an unreadable one. */
export function rawRecords(zone: Zone, policy: CollapsePolicy): RawRecords | undefined {
  const name = bareName(zone.name);
  const json = zone.state === 'unreadable' ? undefined : parseZoneJson(name, zone.text);
  if (!json) return undefined;
  const issues: ZoneIssue[] = [];
  readZoneText(name, zone.text, issues);
  const warnings = issues.filter((issue) => issue.code !== 'private_endpoint' || !policy.allowPrivateEndpoints);
  return { identity: toUri(zone.name), records: json.records, ttl: zone.ttl, warnings };
}
