import { canonicalJson, sha256Hex } from './digest.ts';

/** One write in the log; entries are never deleted. */
export interface LogEntry {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly at: string;
  readonly identity: string;
  /** Who wrote: `registrar:…`, `key:…` or `local`. */
  readonly by: string;
  /** Entity tag of the zone that was stored, without quotes. */
  readonly zone: string;
  /** Entity tag of the zone that it replaced; null for the first. */
  readonly replaced: string | null;
  /** Hash of the entry before; null for the first. */
  readonly previous: string | null;
  /** SHA-256 of the canonical JSON of all the other members. */
  readonly hash: string;
}

export type Change = Pick<LogEntry, 'at' | 'identity' | 'by' | 'zone' | 'replaced'>;

/** The entry that follows the last one of a log. */
export function nextEntry(last: LogEntry | undefined, change: Change): LogEntry {
  const entry = { seq: (last?.seq ?? 0) + 1, ...change, previous: last?.hash ?? null };
  return { ...entry, hash: hashOf(entry) };
}

/** The position of the first entry that was altered, dropped or moved; undefined if the chain is intact. */
export function findBrokenEntry(entries: readonly LogEntry[], before?: LogEntry): number | undefined {
  let last = before;
  for (const [index, entry] of entries.entries()) {
    const { hash, ...rest } = entry;
    const follows = entry.seq === (last?.seq ?? 0) + 1 && entry.previous === (last?.hash ?? null);
    if (!follows || hash !== hashOf(rest)) return index;
    last = entry;
  }
  return undefined;
}

function hashOf(entry: Omit<LogEntry, 'hash'>): string {
  return sha256Hex(canonicalJson(entry));
}
