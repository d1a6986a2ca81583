import { isObject, type JsonObject } from '../contract/json.ts';
import { parseCapabilities, sortedSet } from './capability.ts';
import { canonicalJson, toEtag } from './digest.ts';
import { parseEndpoint } from './endpoint.ts';
import { bareName, parseIdentity, zoneKey } from './identity.ts';
import { BIND_LIMITS } from './limits.ts';
import { publicKeyBytes } from './public-key.ts';
import type { Cascade, McpRecord, Zone, ZoneIssue, ZoneState } from './zone.ts';

const NOTHING: readonly never[] = Object.freeze([]);

/** Reads the stored bytes of a zone. Never throws: the state and the issues report what is unusable. */
export function readZone(name: string, bytes: Uint8Array, issues: ZoneIssue[] = []): Zone {
  const text = decode(bytes);
  if (text !== undefined) return readZoneText(name, text, issues);
  issues.push({ level: 'error', code: 'not_utf8', message: 'The zone is not UTF-8.' });
  return unreadable(name, '');
}

/** Reads the text of a zone. */
export function readZoneText(name: string, text: string, issues: ZoneIssue[] = []): Zone {
  const json = parseZoneJson(name, text, issues);
  return json === undefined ? unreadable(name, text) : readZoneJson(name, text, json, issues);
}

/** The object of a readable zone, as stored; undefined for an unreadable one. */
export function parseZoneJson(
  name: string,
  text: string,
  issues: ZoneIssue[] = [],
): (JsonObject & { records: unknown[] }) | undefined {
  const refuse = (code: string, message: string) => {
    issues.push({ level: 'error', code, message });
    return undefined;
  };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refuse('not_json', 'The zone is not JSON.');
  }
  if (!isObject(json)) return refuse('not_an_object', 'The zone is not a JSON object.');
  if (!isShallow(json)) return refuse('too_nested', 'The zone is nested too deeply.');
  if (json.identity !== name) return refuse('wrong_identity', `The member "identity" is not "${name}".`);
  if (!Array.isArray(json.records)) return refuse('no_records', 'The member "records" is not an array.');
  return json as JsonObject & { records: unknown[] };
}

function readZoneJson(
  name: string,
  text: string,
  json: JsonObject & { records: unknown[] },
  issues: ZoneIssue[],
): Zone {
  const reading = new RecordReading(issues);
  const ttl = reading.ttl(json, undefined) ?? BIND_LIMITS.ttlDefaultSeconds;
  json.records.forEach((record, position) => {
    reading.take(record, position);
  });
  const { state, allowed } = reading;
  return {
    name,
    text,
    state,
    ttl,
    endpoints: ranked(reading.endpoints),
    allowed: allowed && sortedSet(allowed),
    cascades: values(ranked(reading.cascades)),
    keys: values(ranked(reading.keys)),
    ...(reading.registryName === undefined ? {} : { registryName: reading.registryName }),
  };
}

/** Prefix of a TXT record with the name of a server in an MCP registry. */
export const REGISTRY_NAME_TEXT = 'mcp-registry:name=';

/** The registry name in the value of a TXT record. */
export function registryNameIn(value: unknown): string | undefined {
  const isName = typeof value === 'string' && value.startsWith(REGISTRY_NAME_TEXT);
  return isName ? value.slice(REGISTRY_NAME_TEXT.length) : undefined;
}

interface Ranked {
  readonly priority: number;
  readonly position: number;
}

/** Collects the records of one zone; a record that a write would refuse makes the zone malformed. */
class RecordReading {
  state: ZoneState = 'sound';
  allowed: string[] | undefined;
  registryName: string | undefined;
  readonly endpoints: McpRecord[] = [];
  readonly cascades: (Ranked & { readonly value: Cascade })[] = [];
  readonly keys: (Ranked & { readonly value: string })[] = [];
  readonly #issues: ZoneIssue[];

  constructor(issues: ZoneIssue[]) {
    this.#issues = issues;
  }

  take(record: unknown, position: number): void {
    if (!isObject(record) || typeof record.type !== 'string') {
      this.#malformed('bad_record', 'The record is not an object with a type.', position);
      return;
    }
    if (record.type === 'MCP') this.#takeEndpoint(record, position);
    else if (record.type === 'CAPS') this.#takeCaps(record, position);
    else if (record.type === 'KEY') this.#takeKey(record, position);
    else if (record.type === 'CASCADE') this.#takeCascade(record, position);
    else if (record.type === 'TXT') this.registryName ??= registryNameIn(record.value);
  }

  /** Seconds within bounds; undefined if there is none. */
  ttl(owner: JsonObject, position: number | undefined): number | undefined {
    const { ttl } = owner;
    if (ttl === undefined) return undefined;
    if (typeof ttl !== 'number' || !Number.isInteger(ttl)) {
      this.#malformed('bad_ttl', 'The ttl is not an integer.', position);
      return undefined;
    }
    return Math.min(Math.max(ttl, BIND_LIMITS.ttlMinSeconds), BIND_LIMITS.ttlMaxSeconds);
  }

  #takeEndpoint(record: JsonObject, position: number): void {
    const priority = this.#priority(record, position, undefined);
    const value = isObject(record.value) ? record.value : undefined;
    const ofValue = this.#capabilities(value?.capabilities, position);
    const ofRecord = this.#capabilities(record.capabilities, position);
    const endpoint = parseEndpoint(value ? value.endpoint : record.value);
    if (!endpoint) this.#warn('invalid_endpoint', 'The value is no acceptable HTTPS URL.', position);
    else if (endpoint.isPrivate) this.#warn('private_endpoint', 'The endpoint is a private address.', position);
    this.endpoints.push({
      priority,
      position,
      endpoint: endpoint?.href,
      isPrivate: endpoint?.isPrivate ?? false,
      declared: ofValue ?? ofRecord,
      ttl: this.ttl(record, position),
    });
  }

  #takeCaps(record: JsonObject, position: number): void {
    this.#priority(record, position, BIND_LIMITS.priorityDefault);
    this.ttl(record, position);
    const capabilities = parseCapabilities(record.value);
    if (!capabilities) this.#malformed('bad_capabilities', 'The value is no array of capability tokens.', position);
    this.allowed ??= [];
    for (const capability of capabilities ?? []) this.allowed.push(capability);
  }

  #takeKey(record: JsonObject, position: number): void {
    const priority = this.#priority(record, position, BIND_LIMITS.priorityDefault);
    this.ttl(record, position);
    if (publicKeyBytes(record.value)) this.keys.push({ priority, position, value: record.value as string });
    else this.#malformed('invalid_key', 'The value is not "ed25519:" and the base64 of 32 bytes.', position);
  }

  #takeCascade(record: JsonObject, position: number): void {
    const priority = this.#priority(record, position, BIND_LIMITS.priorityDefault);
    this.ttl(record, position);
    const { value } = record;
    if (typeof value !== 'string') {
      this.#malformed('bad_cascade', 'The value of the CASCADE record is not a string.', position);
      return;
    }
    const identity = parseIdentity(value);
    const target = identity && zoneKey(identity);
    // If the value is the plain name, one string serves as both.
    this.cascades.push({ priority, position, value: { target: target === value ? value : target, value } });
  }

  #capabilities(value: unknown, position: number): readonly string[] | undefined {
    if (value === undefined) return undefined;
    const capabilities = parseCapabilities(value);
    if (!capabilities)
      this.#malformed('bad_capabilities', 'The capabilities are no array of capability tokens.', position);
    return capabilities;
  }

  #priority(record: JsonObject, position: number, missing: number | undefined): number {
    const { priority } = record;
    if (priority === undefined && missing !== undefined) return missing;
    if (isPriority(priority)) return priority;
    this.#malformed('bad_priority', 'The priority is not an integer of 32 bits.', position);
    return 0;
  }

  #malformed(code: string, message: string, position: number | undefined): void {
    this.state = 'malformed';
    this.#issues.push({ level: 'error', code, ...(position === undefined ? {} : { record: position }), message });
  }

  #warn(code: string, message: string, position: number): void {
    this.#issues.push({ level: 'warning', code, record: position, message });
  }
}

/** Whether a value can rank a record. */
export function isPriority(value: unknown): value is number {
  return (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= BIND_LIMITS.priorityMin &&
    value <= BIND_LIMITS.priorityMax
  );
}

function ranked<T extends Ranked>(records: T[]): readonly T[] {
  if (records.length === 0) return NOTHING;
  if (records.length > 1) records.sort((a, b) => b.priority - a.priority || a.position - b.position);
  // A copy of the exact size: a grown array keeps spare capacity.
  return records.slice();
}

function values<T>(records: readonly { readonly value: T }[]): readonly T[] {
  return records.length === 0 ? NOTHING : records.map((record) => record.value);
}

/** Whether nothing is nested deeper than this; a deeper value could not be encoded again. */
export function isShallow(value: unknown, levels: number = BIND_LIMITS.zoneNestingMax): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (!isShallow(member, levels - 1)) return false;
  }
  return true;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined if the bytes are not UTF-8. An ASCII text takes half the memory when it is decoded byte by byte. */
function decode(bytes: Uint8Array): string | undefined {
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function isAscii(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    if ((bytes[index] as number) > 0x7f) return false;
  }
  return true;
}

function unreadable(name: string, text: string): Zone {
  return {
    name,
    text,
    state: 'unreadable',
    ttl: BIND_LIMITS.ttlDefaultSeconds,
    endpoints: NOTHING,
    allowed: undefined,
    cascades: NOTHING,
    keys: NOTHING,
  };
}

/** The entity tag of a zone: of its canonical JSON, so that white space does not count; of its text if it is unreadable. */
export function zoneEtag(zone: Zone): string {
  const json = zone.state === 'unreadable' ? undefined : parseZoneJson(bareName(zone.name), zone.text);
  return toEtag(json ? canonicalJson(json) : zone.text);
}
