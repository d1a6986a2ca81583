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
  anchors?: Anchors,
): VerifyReport {
  const verifier = new ChainVerifier(chain, expectedHead, anchors);
  for (const stored of records) if (!verifier.take(stored)) break;
  return verifier.report();
}

/** Verifies one chain record by record, for whoever cannot have all of them at once. */
export class ChainVerifier {
  readonly #chain: string;
  readonly #expectedHead: string | undefined;
  readonly #anchors: Anchors;
  #head: ChainHead | undefined;
  #first: AuditRecord | undefined;
  #vouched = false;
  #count = 0;
  #bad: VerifyReport['first_bad'] = null;

  constructor(chain: string, expectedHead?: string, anchors: Anchors = new Map()) {
    this.#chain = chain;
    this.#expectedHead = expectedHead;
    this.#anchors = anchors;
  }

  /** False where the chain is found bad: what follows does not matter any more. */
  take(stored: StoredRecord): boolean {
    const record = parseRecord(stored.text);
    const head = this.#head;
    const expectedSeq = head && head.seq + 1;
    const seq = record?.seq ?? expectedSeq ?? 1;
    if (!record || sha256Hex(stored.text) !== stored.hash) return this.#refuse(seq, 'hash');
    if (stored.indexed && !agrees(record, stored.indexed)) return this.#refuse(seq, 'index');
    if (expectedSeq !== undefined && record.seq !== expectedSeq) return this.#refuse(expectedSeq, 'gap');
    this.#first ??= record;
    const before = head ?? (record.seq === 1 ? GENESIS : undefined);
    if (before && record.prev_hash !== before.hash) return this.#refuse(seq, 'prev_hash');
    if ((this.#anchors.get(seq) ?? stored.hash) !== stored.hash) return this.#refuse(seq, 'head');
    this.#vouched ||= vouchesFor(record, this.#first);
    this.#head = { seq: record.seq, hash: stored.hash };
    this.#count += 1;
    return true;
  }

  /** What there is to say once every record was taken. */
  report(): VerifyReport {
    const [first, head] = [this.#first, this.#head];
    const last = head?.seq ?? 0;
    if (!this.#bad && first && first.seq > 1 && !this.#vouched) this.#refuse(first.seq, 'missing_checkpoint');
    if (!this.#bad && Math.max(0, ...this.#anchors.keys()) > last) this.#refuse(last, 'head');
    if (!this.#bad && this.#expectedHead !== undefined && head?.hash !== this.#expectedHead) this.#refuse(last, 'head');
    const chains =
      first && head ? [{ chain: this.#chain, first_seq: first.seq, last_seq: head.seq, head: head.hash }] : [];
    return { ok: this.#bad === null, records: this.#count, chains, first_bad: this.#bad };
  }

  #refuse(seq: number, reason: BadReason): false {
    this.#bad = { chain: this.#chain, seq, reason };
    return false;
  }
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
