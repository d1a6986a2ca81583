import { canonicalJson, toEtag } from './digest.ts';
import { bareName } from './identity.ts';
import { parseZoneJson } from './read-zone.ts';
import type { Zone } from './zone.ts';

/** The entity tag of a zone: of its canonical JSON, so that white space plays no part; of its text where it is unreadable. */
export function zoneEtag(zone: Zone): string {
  const json = zone.state === 'unreadable' ? undefined : parseZoneJson(bareName(zone.name), zone.text);
  return toEtag(json ? canonicalJson(json) : zone.text);
}
