import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { checkServerEntry, REQUEST_TIMEOUT_MS_DEFAULT, requestTimeoutMs } from '../config/server-entry.ts';
import { CONNECTION_LIMITS } from '../connection/limits.ts';

/** What an absent key means, where writing it down changes nothing. */
const DEFAULTS = {
  args: [],
  env: {},
  headers: {},
  request_timeout_ms: REQUEST_TIMEOUT_MS_DEFAULT,
  startup_timeout_ms: CONNECTION_LIMITS.startupTimeoutMs,
  tool_timeout_max_ms: CONNECTION_LIMITS.toolTimeoutMaxMs,
  credentials: 'shared',
  required: false,
  expand_env: false,
  keep_alive: false,
  sharing: 'auto',
  pin_definitions: false,
  tool_breakers: [],
} as const;

/**
 * SHA-256 over the canonical JSON of a whole entry, defaults filled in: every key counts, also one that this version does not
 * know. Only `enabled` is left out, because to switch a server off and on again changes nothing about it.
 */
export function entryDigest(id: string, raw: unknown): string {
  const { entry } = checkServerEntry(id, raw);
  const whole = entry ? { ...DEFAULTS, ...entry, request_timeout_ms: requestTimeoutMs(entry) } : { invalid: raw };
  const { enabled: _enabled, ...counted } = whole as Record<string, unknown>;
  return createHash('sha256')
    .update(canonicalize(counted) as string, 'utf8')
    .digest('hex');
}
