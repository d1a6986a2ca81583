import { isObject, type JsonObject } from '../contract/json.ts';
import type { CollapsePolicy } from './collapse.ts';
import { mixesScripts, skeleton } from './confusable.ts';
import { parseEndpoint } from './endpoint.ts';
import { parseIdentity, zoneKey } from './identity.ts';
import { BIND_LIMITS } from './limits.ts';
import { publicKeyBytes } from './public-key.ts';
import { isPriority, isShallow, readZoneText } from './read-zone.ts';
import type { ZoneIssue } from './zone.ts';

const ZONE_MEMBERS = ['identity', 'created_at', 'contact', 'info', 'ttl', 'records'];
const RECORD_MEMBERS = ['type', 'value', 'priority', 'path', 'ttl', 'capabilities'];
const TYPES = ['MCP', 'CAPS', 'KEY', 'CASCADE', 'BIND', 'APP', 'TXT'];
/** Codes that do not disturb a resolution, but refuse a write. */
const REFUSED_ON_WRITE = ['invalid_endpoint', 'private_endpoint'];

/** Every issue of one zone on its own; a write is refused if one of them is an error. */
export function checkZone(name: string, zone: unknown, policy: CollapsePolicy): ZoneIssue[] {
  if (!isShallow(zone)) return [error('too_nested', 'The zone is nested too deeply.')];
  const found: ZoneIssue[] = [];
  readZoneText(name, JSON.stringify(zone) ?? 'null', found);
  const issues = found
    .filter((issue) => issue.code !== 'private_endpoint' || !policy.allowPrivateEndpoints)
    .map((issue) => (REFUSED_ON_WRITE.includes(issue.code) ? { ...issue, level: 'error' as const } : issue));
  if (!isObject(zone)) return issues;
  checkMembers(name, zone, policy, issues);
  if (!Array.isArray(zone.records)) return issues;
  if (zone.records.length === 0) issues.push(error('empty', 'There are no records.'));
  zone.records.forEach((record, position) => {
    if (isObject(record)) checkRecord(name, record, position, policy, issues);
  });
  const cascades = zone.records.filter((record) => isObject(record) && record.type === 'CASCADE').length;
  if (cascades > BIND_LIMITS.cascadesPerZoneMax) {
    issues.push(error('too_many_cascades', `There are more than ${BIND_LIMITS.cascadesPerZoneMax} CASCADE records.`));
  }
  return issues;
}

function checkMembers(name: string, zone: JsonObject, policy: CollapsePolicy, issues: ZoneIssue[]): void {
  if (!isUtcTime(zone.created_at)) {
    issues.push(error('bad_created_at', 'The member "created_at" is not a time such as 2026-01-31T12:00:00Z.'));
  }
  if (typeof zone.contact !== 'string' || zone.contact.trim() === '') {
    issues.push(error('no_contact', 'The member "contact" is not a mailto:, a URL or a handle.'));
  }
  if (zone.info !== undefined && typeof zone.info !== 'string') {
    issues.push(error('bad_info', 'The member "info" is not a string.'));
  }
  checkTtl(zone.ttl, undefined, issues);
  for (const member of Object.keys(zone)) {
    if (!ZONE_MEMBERS.includes(member)) issues.push(warning('unknown_member', `The member "${member}" is not known.`));
  }
  const imitated = [...policy.protectedNames].find((other) => other !== name && skeleton(other) === skeleton(name));
  if (imitated) issues.push(error('homograph', `The name looks like the reserved name "${imitated}".`));
}

function checkRecord(
  name: string,
  record: JsonObject,
  position: number,
  policy: CollapsePolicy,
  issues: ZoneIssue[],
): void {
  const { type, value } = record;
  if (typeof type !== 'string') return;
  const isKnown = TYPES.includes(type);
  if (!isKnown && !type.startsWith('X_')) {
    issues.push(error('unknown_type', `The type "${type}" is not known; types of your own begin with X_.`, position));
  }
  // MCP, CAPS, KEY and CASCADE are ranked by the resolver, which has checked them already.
  if (['BIND', 'APP', 'TXT'].includes(type) && record.priority !== undefined && !isPriority(record.priority)) {
    issues.push(error('bad_priority', 'The priority is not an integer of 32 bits.', position));
  }
  if (record.path !== undefined && typeof record.path !== 'string') {
    issues.push(error('bad_path', 'The path is not a string.', position));
  }
  for (const member of Object.keys(record)) {
    if (isKnown && !RECORD_MEMBERS.includes(member)) {
      issues.push(warning('unknown_member', `The member "${member}" is not known.`, position));
    }
  }
  if (type === 'MCP') checkTtl(record.ttl, position, issues);
  else if (isKnown && record.ttl !== undefined) {
    issues.push(warning('unused_ttl', 'Only the ttl of an MCP record and of the zone count.', position));
  }
  if (type === 'MCP') checkEndpointHost(isObject(value) ? value.endpoint : value, position, issues);
  if (type === 'KEY') checkKey(value, position, issues);
  if (type === 'CASCADE' && typeof value === 'string') checkCascade(name, value, position, policy, issues);
  if (type === 'BIND' && !parseEndpoint(value)) {
    issues.push(error('bad_bind', 'The value of the BIND record is no HTTPS URL.', position));
  }
  if ((type === 'APP' || type === 'TXT') && typeof value !== 'string') {
    issues.push(error('bad_text', `The value of the ${type} record is not a string.`, position));
  }
}

/** A ttl out of bounds is served as the nearest bound. */
function checkTtl(ttl: unknown, position: number | undefined, issues: ZoneIssue[]): void {
  const { ttlMinSeconds: min, ttlMaxSeconds: max } = BIND_LIMITS;
  if (typeof ttl !== 'number' || !Number.isInteger(ttl) || (ttl >= min && ttl <= max)) return;
  const served = ttl < min ? min : max;
  issues.push(
    warning('clamped_ttl', `The ttl ${ttl} is served as ${served}: it is ${min} to ${max} seconds.`, position),
  );
}

function checkEndpointHost(value: unknown, position: number, issues: ZoneIssue[]): void {
  const endpoint = parseEndpoint(value);
  if (endpoint && mixesScripts(endpoint.href)) {
    issues.push(error('homograph', 'The host mixes scripts whose letters look alike.', position));
  }
}

function checkKey(value: unknown, position: number, issues: ZoneIssue[]): void {
  const bytes = publicKeyBytes(value);
  if (bytes && new Set(bytes).size === 1) {
    issues.push(error('placeholder_key', 'The key is a placeholder: all its bytes are equal.', position));
  }
}

function checkCascade(
  name: string,
  value: string,
  position: number,
  policy: CollapsePolicy,
  issues: ZoneIssue[],
): void {
  const identity = parseIdentity(value);
  const target = identity && zoneKey(identity);
  if (target === undefined) issues.push(error('bad_cascade', 'The CASCADE target is no identity.', position));
  else if (target === name) issues.push(error('self_cascade', 'The zone inherits from itself.', position));
  else if (policy.protectedNames.has(target)) {
    issues.push(error('protected_cascade', `The CASCADE target "${target}" is a reserved name.`, position));
  }
}

function isUtcTime(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function error(code: string, message: string, record?: number): ZoneIssue {
  return { level: 'error', code, ...(record === undefined ? {} : { record }), message };
}

function warning(code: string, message: string, record?: number): ZoneIssue {
  return { level: 'warning', code, ...(record === undefined ? {} : { record }), message };
}
