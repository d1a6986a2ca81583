import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { checkServerEntry, requestTimeoutMs } from '../config/server-entry.ts';
import { SERVER_SETTINGS } from '../config/settings/server-settings.ts';

/** Defaults of absent keys, if writing them explicitly changes nothing. */
const DEFAULTS = {
  args: [],
  env: {},
  headers: {},
  request_timeout_ms: SERVER_SETTINGS.request_timeout_ms.default,
  startup_timeout_ms: SERVER_SETTINGS.startup_timeout_ms.default,
  tool_timeout_max_ms: SERVER_SETTINGS.tool_timeout_max_ms.default,
  credentials: SERVER_SETTINGS.credentials.default,
  required: SERVER_SETTINGS.required.default,
  expand_env: SERVER_SETTINGS.expand_env.default,
  keep_alive: SERVER_SETTINGS.keep_alive.default,
  sharing: SERVER_SETTINGS.sharing.default,
  pin_definitions: false,
  tool_breakers: [],
} as const;

/**
 * SHA-256 over the canonical JSON of the whole entry with defaults: every key counts, even unknown ones. Only `enabled` is left out,
 * because disabling and enabling a server does not change it.
 */
export function entryDigest(id: string, raw: unknown): string {
  const { entry } = checkServerEntry(id, raw);
  const whole = entry ? { ...DEFAULTS, ...entry, request_timeout_ms: requestTimeoutMs(entry) } : { invalid: raw };
  const { enabled: _enabled, ...counted } = whole as Record<string, unknown>;
  return createHash('sha256')
    .update(canonicalize(counted) as string, 'utf8')
    .digest('hex');
}
