import { createHash, timingSafeEqual } from 'node:crypto';
import { BinderyError } from '../contract/errors.ts';
import type { LogEntry } from './change-log.ts';
import { checkZone } from './check-zone.ts';
import type { CollapsePolicy } from './collapse.ts';
import { verifyDetached } from './detached-jws.ts';
import { canonicalJson } from './digest.ts';
import { toUri } from './identity.ts';
import { isShallow, parseZoneJson, zoneEtag } from './read-zone.ts';
import type { Zone, ZoneIssue } from './zone.ts';

/** A requested write. */
export interface ZoneWrite {
  readonly name: string;
  readonly zone: unknown;
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly registrarKey?: string | undefined;
  /** Detached JWS over the canonical JSON of the zone; its header names the replaced version as `replaces`. */
  readonly signature?: string | undefined;
  /** The caller can write the zone files directly. That is enough if no registrar key is configured. */
  readonly isLocal: boolean;
}

export interface WritePolicy extends CollapsePolicy {
  readonly registrarKeys: readonly string[];
}

/** An accepted write: the text to store, and the writer for the log. */
export interface DecidedWrite {
  readonly text: string;
  readonly by: string;
}

/** Writes zones. The decision runs under the store's lock, on the zone that is stored at that moment. */
export interface ZoneWriter {
  update(name: string, at: string, decide: (current: Zone | undefined) => DecidedWrite): Promise<LogEntry>;
  /** Entries after the one with this number, oldest first. */
  entries(since: number, limit: number): readonly LogEntry[];
}

/** Checks a write and returns the text to store; throws the first reason for a refusal. */
export function decideWrite(write: ZoneWrite, current: Zone | undefined, policy: WritePolicy): DecidedWrite {
  const { name, zone } = write;
  const identity = toUri(name);
  if (policy.protectedNames.has(name)) throw new BinderyError('PROTECTED', { members: { identity } });
  const errors = checkZone(name, zone, policy).filter((issue) => issue.level === 'error');
  const by = whoWrites(write, current, policy);
  checkPreconditions(write, current);
  if (errors.length > 0) throw invalidZone(name, errors);
  const stored = current && parseZoneJson(name, current.text);
  const created = (zone as { created_at: unknown }).created_at;
  if (stored?.created_at !== undefined && stored.created_at !== created) {
    throw new BinderyError('IMMUTABLE_FIELD', { detail: 'created_at is not the stored one', members: { identity } });
  }
  return { text: `${JSON.stringify(zone, null, 2)}\n`, by };
}

export function invalidZone(name: string, errors: readonly ZoneIssue[]): BinderyError {
  const detail = errors
    .slice(0, 3)
    .map((issue) => issue.message)
    .join(' ');
  return new BinderyError('INVALID_ZONE', { detail, members: { identity: toUri(name), errors } });
}

function whoWrites(write: ZoneWrite, current: Zone | undefined, policy: WritePolicy): string {
  if (write.registrarKey !== undefined) {
    const given = digest(write.registrarKey);
    if (policy.registrarKeys.some((key) => timingSafeEqual(digest(key), given))) {
      return `registrar:${given.toString('hex').slice(0, 8)}`;
    }
    throw new BinderyError('REGISTRAR_KEY_REQUIRED', { detail: 'the registrar key is not known' });
  }
  if (write.signature !== undefined && isShallow(write.zone)) return signedBy(write, write.signature, current);
  if (write.isLocal && policy.registrarKeys.length === 0) return 'local';
  throw new BinderyError('REGISTRAR_KEY_REQUIRED');
}

/** Only a key of the stored zone can sign its replacement, and only for the version that is stored now. */
function signedBy(write: ZoneWrite, signature: string, current: Zone | undefined): string {
  const refuse = (detail: string) =>
    new BinderyError('ZONE_SIGNATURE_INVALID', { detail, members: { identity: toUri(write.name) } });
  if (!current || current.keys.length === 0) throw refuse('the stored zone names no key');
  const checked = verifyDetached(canonicalJson(write.zone), signature, current.keys);
  if (!checked.valid) throw refuse(`the signature is not accepted: ${checked.reason}`);
  if (checked.header.replaces !== zoneEtag(current)) throw refuse('the signature is for another version of the zone');
  return `key:${checked.kid}`;
}

function checkPreconditions({ name, ifMatch, ifNoneMatch }: ZoneWrite, current: Zone | undefined): void {
  const members = { identity: toUri(name) };
  const names = (header: string, zone: Zone) =>
    header.split(',').some((tag) => tag.trim() === '*' || tag.trim() === zoneEtag(zone));
  if (current && ifNoneMatch !== undefined && names(ifNoneMatch, current)) {
    throw new BinderyError('ZONE_CHANGED', { detail: 'the zone exists', members });
  }
  if (ifMatch === undefined) {
    if (current) throw new BinderyError('IF_MATCH_REQUIRED', { members });
    return;
  }
  if (current && names(ifMatch, current)) return;
  throw new BinderyError('ZONE_CHANGED', { members });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
