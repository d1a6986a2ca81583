import type { AuditRecord } from './audit-record.ts';
import { type ChainHead, GENESIS, sha256Hex } from './chain.ts';

/** A record as it was found: stored text, stored hash, and what the index columns say of it. */
export interface StoredRecord {
  readonly text: string;
  readonly hash: string;
  readonly indexed?: Readonly<Record<string, string | number | null>>;
}

export type BadReason = 'hash' | 'prev_hash' | 'gap' | 'index' | 'missing_checkpoint' | 'head';

export interface ChainReport {
  readonly chain: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly head: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly records: number;
  readonly chains: readonly ChainReport[];
  readonly first_bad: { readonly chain: string; readonly seq: number; readonly reason: BadReason } | null;
}

/** What other chains noted of a chain: the hash of some of its records, by `seq`. */
export type Anchors = ReadonlyMap<number, string>;

/** What the anchors in these records say of each chain. */
export function collectAnchors(texts: Iterable<string>): Map<string, Map<number, string>> {
  const collected = new Map<string, Map<number, string>>();
  for (const text of texts) {
    for (const [chain, { seq, hash }] of Object.entries(parseRecord(text)?.anchors ?? {})) {
      const noted = collected.get(chain) ?? new Map<number, string>();
      collected.set(chain, noted.set(seq, hash));
    }
  }
  return collected;
}

/**
 * Verifies one chain, records in order of `seq`. The stored text is what counts; index columns are compared with it. A
 * chain whose beginning was pruned holds only if a later checkpoint vouches for what is gone.
 */
export function verifyChain(
  chain: string,
  records: Iterable<StoredRecord>,
  expectedHead?: string,
  anchors: Anchors = new Map(),
): VerifyReport {
  let head: ChainHead | undefined;
  let first: AuditRecord | undefined;
  let vouched = false;
  let count = 0;
  const bad = (seq: number, reason: BadReason) => report(chain, count, first, head, { chain, seq, reason });

  for (const stored of records) {
    const record = parseRecord(stored.text);
    const expectedSeq: number | undefined = head && head.seq + 1;
    const seq = record?.seq ?? expectedSeq ?? 1;
    if (!record || sha256Hex(stored.text) !== stored.hash) return bad(seq, 'hash');
    if (stored.indexed && !agrees(record, stored.indexed)) return bad(seq, 'index');
    if (head && record.seq !== expectedSeq) return bad(expectedSeq as number, 'gap');
    first ??= record;
    const before = head ?? (record.seq === 1 ? GENESIS : undefined);
    if (before && record.prev_hash !== before.hash) return bad(seq, 'prev_hash');
    if ((anchors.get(seq) ?? stored.hash) !== stored.hash) return bad(seq, 'head');
    vouched ||= vouchesFor(record, first);
    head = { seq: record.seq, hash: stored.hash };
    count += 1;
  }
  if (first && first.seq > 1 && !vouched) return bad(first.seq, 'missing_checkpoint');
  const lastAnchored = Math.max(0, ...anchors.keys());
  if (lastAnchored > (head?.seq ?? 0)) return bad(head?.seq ?? 0, 'head');
  if (expectedHead !== undefined && head?.hash !== expectedHead) return bad(head?.seq ?? 0, 'head');
  return report(chain, count, first, head, null);
}

/** Joins the reports of several chains; the first fault found is reported. */
export function joinReports(reports: readonly VerifyReport[]): VerifyReport {
  return {
    ok: reports.every(({ ok }) => ok),
    records: reports.reduce((sum, { records }) => sum + records, 0),
    chains: reports.flatMap(({ chains }) => chains),
    first_bad: reports.find(({ first_bad }) => first_bad)?.first_bad ?? null,
  };
}

function report(
  chain: string,
  records: number,
  first: AuditRecord | undefined,
  head: ChainHead | undefined,
  first_bad: VerifyReport['first_bad'],
): VerifyReport {
  const chains = first && head ? [{ chain, first_seq: first.seq, last_seq: head.seq, head: head.hash }] : [];
  return { ok: first_bad === null, records, chains, first_bad };
}

function vouchesFor(record: AuditRecord, first: AuditRecord): boolean {
  const checkpoint = record.checkpoint;
  return checkpoint?.through_seq === first.seq - 1 && checkpoint.through_hash === first.prev_hash;
}

function agrees(record: AuditRecord, indexed: Readonly<Record<string, string | number | null>>): boolean {
  const members = record as unknown as Readonly<Record<string, unknown>>;
  return Object.entries(indexed).every(([name, value]) => (members[name] ?? null) === value);
}

function parseRecord(text: string): AuditRecord | undefined {
  try {
    const record = JSON.parse(text) as AuditRecord;
    return Number.isSafeInteger(record?.seq) && typeof record.prev_hash === 'string' ? record : undefined;
  } catch {
    return undefined;
  }
}
