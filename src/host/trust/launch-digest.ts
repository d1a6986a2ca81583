import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** What decides which program is started or which host is called; switches, time-outs and filters do not. */
const LAUNCH_KEYS = [
  ...['transport', 'command', 'args', 'cwd', 'env', 'url', 'headers', 'identity', 'oauth'],
  // Whose word for an identity counts decides where it leads.
  'identity_keys',
];

/** SHA-256 over the canonical JSON of an entry's launch definition, as it stands in the file. */
export function launchDigest(raw: unknown): string {
  const members = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {};
  const launch = Object.fromEntries(
    LAUNCH_KEYS.filter((key) => members[key] !== undefined).map((key) => [key, members[key]]),
  );
  return createHash('sha256')
    .update(canonicalize(launch) as string, 'utf8')
    .digest('hex');
}
