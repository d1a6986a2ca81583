import type { AuditRecord } from './audit-record.ts';
import { type ChainHead, GENESIS, nodeOfChain, sha256Hex } from './chain.ts';

/** A stored record: its text, its hash, and its index columns. */
export interface StoredRecord {
  readonly text: string;
  readonly hash: string;
  readonly indexed?: Readonly<Record<string, string | number | null>>;
}

export type BadReason = 'hash' | 'prev_hash' | 'gap' | 'index' | 'missing_checkpoint' | 'head' | 'missing_chain';

/** Who noted the head of a chain: a person, a file that an admin configured, another chain, or the registry. */
export type EndSource = 'given' | 'file' | 'anchor' | 'registry';

/** A noted head: the chain had a record with this hash. A head that a person gives has no `seq`. */
export interface NotedHead {
  readonly source: EndSource;
  readonly hash: string;
  readonly seq?: number;
  /** The chain that contains the anchor. */
  readonly by?: string;
}

/** By chain. */
export type NotedHeads = ReadonlyMap<string, readonly NotedHead[]>;

export interface ChainReport {
  readonly chain: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly head: string;
  /** Who noted the newest verified head; records after it may have been removed unnoticed. */
  readonly end: EndSource | 'unchecked';
  readonly end_seq: number | null;
}

export interface VerifyReport {
  readonly ok: boolean;
  readonly records: number;
  readonly chains: readonly ChainReport[];
  readonly first_bad: { readonly chain: string; readonly seq: number; readonly reason: BadReason } | null;
  /** What could not be verified. */
  readonly warnings: readonly string[];
}

/** The heads that anchors in these records note, by chain. */
export function collectAnchors(texts: Iterable<string>): Map<string, NotedHead[]> {
  const collected = new Map<string, Map<string, NotedHead>>();
  for (const text of texts) {
    const record = parseRecord(text);
    for (const [chain, head] of Object.entries(record?.anchors ?? {})) {
      // Malformed: the record was edited, which the verification of its own chain finds.
      if (!Number.isSafeInteger(head?.seq) || typeof head.hash !== 'string') continue;
      const { seq, hash } = head;
      const noted = collected.get(chain) ?? new Map<string, NotedHead>();
      // A chain that was truncated and has grown again has two records with the same number: keep both.
      collected.set(chain, noted.set(`${seq} ${hash}`, { source: 'anchor', seq, hash, by: record?.chain ?? '' }));
    }
  }
  return new Map([...collected].map(([chain, noted]) => [chain, [...noted.values()]]));
}

/** Merges noted heads of the same chains. */
export function joinHeads(...all: readonly NotedHeads[]): Map<string, NotedHead[]> {
  const joined = new Map<string, NotedHead[]>();
  for (const heads of all)
    for (const [chain, noted] of heads) joined.set(chain, [...(joined.get(chain) ?? []), ...noted]);
  return joined;
}

/** Converts heads that a person gives to noted heads. */
export function givenHeads(heads: ReadonlyMap<string, string>): Map<string, NotedHead[]> {
  return new Map([...heads].map(([chain, hash]) => [chain, [{ source: 'given', hash }]]));
}

/**
 * Verifies one chain, with records in order of `seq`. The stored text is authoritative; index columns are compared with it. If the
 * beginning was pruned, a later checkpoint must confirm that. If a noted head is beyond the last record, the chain was truncated.
 */
export function verifyChain(
  chain: string,
  records: Iterable<StoredRecord>,
  expectedHead?: string,
  noted: readonly NotedHead[] = [],
): VerifyReport {
  const given: NotedHead[] = expectedHead === undefined ? [] : [{ source: 'given', hash: expectedHead }];
  const verifier = new ChainVerifier(chain, [...given, ...noted]);
  for (const stored of records) if (!verifier.take(stored)) break;
  return verifier.report();
}

/** The most independent source first: if several noted the same record, the first one is reported. */
const SOURCES: readonly EndSource[] = ['given', 'file', 'anchor', 'registry'];

/** Verifies one chain record by record, without loading all of it. */
export class ChainVerifier {
  readonly #chain: string;
  readonly #bySeq = new Map<number, NotedHead[]>();
  readonly #givenHashes = new Set<string>();
  #notedMax = 0;
  #end: { readonly source: EndSource; readonly seq: number } | undefined;
  #head: ChainHead | undefined;
  #first: AuditRecord | undefined;
  #vouched = false;
  #count = 0;
  #bad: VerifyReport['first_bad'] = null;

  constructor(chain: string, noted: Iterable<NotedHead> = []) {
    this.#chain = chain;
    for (const head of noted) {
      if (head.seq === undefined) {
        this.#givenHashes.add(head.hash);
        continue;
      }
      this.#bySeq.set(head.seq, [...(this.#bySeq.get(head.seq) ?? []), head]);
      this.#notedMax = Math.max(this.#notedMax, head.seq);
    }
  }

  /** Returns false if the chain is invalid: further records do not matter. */
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
    if (!this.#compare(seq, stored.hash)) return this.#refuse(seq, 'head');
    this.#vouched ||= vouchesFor(record, this.#first);
    this.#head = { seq: record.seq, hash: stored.hash };
    this.#count += 1;
    return true;
  }

  /** The result after the last record. */
  report(): VerifyReport {
    const [first, head] = [this.#first, this.#head];
    const last = head?.seq ?? 0;
    if (!this.#bad && first && first.seq > 1 && !this.#vouched) this.#refuse(first.seq, 'missing_checkpoint');
    if (!this.#bad && (this.#notedMax > last || this.#givenHashes.size > 0)) this.#refuse(last, 'head');
    const end = { end: this.#end?.source ?? 'unchecked', end_seq: this.#end?.seq ?? null } as const;
    const chains =
      first && head ? [{ chain: this.#chain, first_seq: first.seq, last_seq: head.seq, head: head.hash, ...end }] : [];
    const isUnchecked = this.#bad === null && chains.length > 0 && this.#end === undefined;
    const warnings = isUnchecked
      ? [`the end of ${this.#chain} is unchecked: nothing noted it, so newer records may be missing`]
      : [];
    return { ok: this.#bad === null, records: this.#count, chains, first_bad: this.#bad, warnings };
  }

  /** Whether a record matches the heads that were noted for its number. */
  #compare(seq: number, hash: string): boolean {
    const noted = this.#bySeq.get(seq) ?? [];
    if (noted.some((head) => head.hash !== hash)) return false;
    const isGiven = this.#givenHashes.delete(hash);
    const sources = [...noted.map(({ source }) => source), ...(isGiven ? (['given'] as const) : [])];
    const source = SOURCES.find((one) => sources.includes(one));
    if (source) this.#end = { source, seq };
    return true;
  }

  #refuse(seq: number, reason: BadReason): false {
    this.#bad = { chain: this.#chain, seq, reason };
    return false;
  }
}

/**
 * Merges the reports of the existing chains, and reports the first fault. A noted chain that is missing is a fault too, unless only
 * anchors of other nodes noted it: such a chain is kept elsewhere.
 */
export function joinReports(
  reports: readonly (readonly [chain: string, report: VerifyReport])[],
  noted: NotedHeads,
): VerifyReport {
  const present = new Set(reports.map(([chain]) => chain));
  const missing = [...noted]
    .filter(([chain, heads]) => !present.has(chain) && heads.some((head) => belongsHere(chain, head)))
    .map(([chain]): VerifyReport => {
      const first_bad = { chain, seq: 0, reason: 'missing_chain' as const };
      return { ok: false, records: 0, chains: [], first_bad, warnings: [] };
    });
  const all = [...reports.map(([, report]) => report), ...missing];
  return {
    ok: all.every(({ ok }) => ok),
    records: all.reduce((sum, { records }) => sum + records, 0),
    chains: all.flatMap(({ chains }) => chains),
    first_bad: all.find(({ first_bad }) => first_bad)?.first_bad ?? null,
    warnings: all.length === 0 ? [NOTHING] : all.flatMap(({ warnings }) => warnings),
  };
}

const NOTHING = 'there are no records, and nothing was noted that says whether there were any';

function belongsHere(chain: string, { source, by }: NotedHead): boolean {
  return source !== 'anchor' || nodeOfChain(by ?? '') === nodeOfChain(chain);
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
