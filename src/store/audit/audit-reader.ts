import type { DatabaseSync } from 'node:sqlite';
import { BinderyError } from '../../contract/errors.ts';
import type { AuditRecord } from '../../gateway/audit/audit-record.ts';
import {
  type CallSummaryReport,
  type SummaryRange,
  type SummaryRow,
  summariseCalls,
} from '../../gateway/audit/call-summary.ts';
import { type ChainHead, exportLine } from '../../gateway/audit/chain.ts';
import {
  collectAnchors,
  joinHeads,
  joinReports,
  type NotedHeads,
  type StoredRecord,
  type VerifyReport,
  verifyChain,
} from '../../gateway/audit/verify-chain.ts';
import type { AuditQuery } from '../../gateway/operations/deps.ts';
import { STORE_LIMITS } from '../limits.ts';
import { BEGUN, chainNameOf, INDEXED } from './audit-file.ts';
import { openAllToRead } from './open-to-read.ts';
import { groupCondition } from './outcome-condition.ts';

/** Search conditions; all must match. */
export type AuditFilter = AuditQuery & { readonly call_id?: string | undefined };

/** A call for display: its `begin` and `end` records merged. */
export type JoinedRecord = Omit<AuditRecord, 'seq' | 'prev_hash' | 'v' | 'phase'> & {
  readonly seq: number;
  /** Its arguments were left out to keep the list short. */
  readonly arguments_omitted?: true;
};

export function readAudit<T>(dataDir: string, use: (reader: AuditReader) => T): T {
  const reader = new AuditReader(dataDir);
  try {
    return use(reader);
  } finally {
    reader.close();
  }
}

/** Reads the audit files of a data directory, even while a gateway writes them. */
export class AuditReader {
  readonly #databases: readonly DatabaseSync[];

  constructor(dataDir: string) {
    this.#databases = openAllToRead(dataDir).filter(isBegunOrClosed);
  }

  /** Verifies every chain against its recorded heads: `noted` (collected before this call) and the anchors in the chains. */
  verify(noted: NotedHeads = new Map()): VerifyReport {
    const heads = joinHeads(noted, collectAnchors(this.#databases.flatMap(anchorTexts)));
    const reports = this.#byChain().map(
      ([chain, database]) => [chain, verifyChain(chain, storedRecords(database), undefined, heads.get(chain))] as const,
    );
    return joinReports(reports, heads);
  }

  /** The head of each chain. */
  heads(): Map<string, ChainHead> {
    return new Map(
      this.#byChain().flatMap(([chain, database]) => {
        const head = database.prepare('SELECT seq, hash FROM records ORDER BY seq DESC LIMIT 1').get();
        return head ? [[chain, head as unknown as ChainHead]] : [];
      }),
    );
  }

  /** Calls that ended after these marks, oldest first; advances the marks. A chain without a mark is read from the start. */
  endedSince(marks: Map<string, number>): JoinedRecord[] {
    const ended = this.#byChain().flatMap(([chain, database]) => {
      const rows = database
        .prepare("SELECT seq, call_id FROM records WHERE phase IN ('end', 'single') AND seq > ? ORDER BY seq")
        .all(marks.get(chain) ?? 0) as { seq: number; call_id: string }[];
      const last = rows.at(-1);
      if (last) marks.set(chain, last.seq);
      return rows.flatMap(({ call_id }) => searchOne(database, { call_id }, 1));
    });
    return ended.sort((a, b) => (a.time < b.time ? -1 : 1));
  }

  /** Calls of one chain that ended between two marks: the newest `limit`, and how many were dropped. */
  endedBetween(chain: string, after: number, through: number, limit: number) {
    const database = this.#byChain().find(([name]) => name === chain)?.[1];
    if (!database) return { items: [], dropped: 0 };
    const rows = database
      .prepare("SELECT call_id FROM records WHERE phase IN ('end', 'single') AND seq > ? AND seq <= ? ORDER BY seq")
      .all(after, through) as { call_id: string }[];
    const items = rows.slice(-limit).flatMap(({ call_id }) => searchOne(database, { call_id }, 1));
    return { items, dropped: Math.max(0, rows.length - limit) };
  }

  /** Raw arguments of a call, still encrypted; undefined if none were stored. */
  sealedArguments(callId: string): Uint8Array | undefined {
    for (const database of this.#databases) {
      const hasTable = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'raw_arguments'").get();
      const row = hasTable && database.prepare('SELECT sealed FROM raw_arguments WHERE call_id = ?').get(callId);
      if (row) return row.sealed as Uint8Array;
    }
    return undefined;
  }

  /** The stored records as lines, ordered by chain name and `seq`. */
  *exportLines(): Generator<string> {
    for (const lines of this.exportBatches()) yield* lines;
  }

  /**
   * The same lines in batches. Each batch is a query of its own: a slow consumer holds no read transaction, which would block WAL
   * checkpoints. Records added meanwhile are left out.
   */
  *exportBatches(): Generator<readonly string[]> {
    for (const [, database] of this.#byChain()) {
      const last = Number(database.prepare('SELECT MAX(seq) AS last FROM records').get()?.last);
      const read = database.prepare(
        `SELECT seq, text, hash FROM records WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${STORE_LIMITS.auditExportRows}`,
      );
      for (let after = 0; after < last; ) {
        const lines: string[] = [];
        let charsLeft: number = STORE_LIMITS.auditExportChars;
        for (const row of read.iterate(after, last)) {
          const { seq, text, hash } = row as { seq: number; text: string; hash: string };
          lines.push(exportLine(text, hash));
          after = seq;
          charsLeft -= text.length;
          if (charsLeft < 0) break;
        }
        if (lines.length === 0) break;
        yield lines;
      }
    }
  }

  call(callId: string): (JoinedRecord & { readonly records: readonly AuditRecord[] }) | undefined {
    const [joined] = this.search({ call_id: callId }, 1);
    return joined && { ...joined, records: this.recordsOf(callId) };
  }

  /** Matching calls, newest first, from an offset. If the page gets too large, its last calls come without arguments. */
  search(filter: AuditFilter, limit: number, offset = 0): JoinedRecord[] {
    const found = this.#databases.flatMap((database) => placesOf(database, filter, limit + offset));
    found.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : b.seq - a.seq));
    let charsLeft: number = STORE_LIMITS.auditPageChars;
    return found.slice(offset, offset + limit).flatMap(({ database, seq }) =>
      recordAt(database, seq).map(({ record, chars }) => {
        charsLeft -= chars;
        if (charsLeft >= 0) return record;
        const { arguments: _, ...others } = record;
        return { ...others, arguments_omitted: true };
      }),
    );
  }

  /** Summarises the matching calls within a range. */
  summary(filter: AuditFilter, range: SummaryRange): CallSummaryReport {
    const within = {
      ...filter,
      since: range.since === undefined ? undefined : new Date(range.since).toISOString(),
      until: new Date(range.until).toISOString(),
    };
    const most = STORE_LIMITS.auditSummaryRows;
    const rows = this.#databases.flatMap((database) => summaryRows(database, within, most));
    return summariseCalls(rows, range, most);
  }

  /** The records of one call, as stored. */
  recordsOf(callId: string): AuditRecord[] {
    return this.#databases.flatMap((database) =>
      (
        database.prepare('SELECT text FROM records WHERE call_id = ? ORDER BY seq').all(callId) as { text: string }[]
      ).map(({ text }) => JSON.parse(text) as AuditRecord),
    );
  }

  close(): void {
    for (const database of this.#databases) database.close();
  }

  #byChain(): [string, DatabaseSync][] {
    return this.#databases
      .map((database): [string, DatabaseSync] => [chainNameOf(database) as string, database])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Closes a file whose chain has not begun: it has nothing to read. */
function isBegunOrClosed(database: DatabaseSync): boolean {
  const chain = nameOf(database);
  if (chain === undefined) database.close();
  else if (!database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'records'").get())
    throw damaged(`the audit file of chain ${chain} is damaged: it has no table of records`);
  return chain !== undefined;
}

function anchorTexts(database: DatabaseSync): string[] {
  const rows = database
    .prepare("SELECT text FROM records WHERE kind = 'system' AND INSTR(text, '\"anchors\"') > 0")
    .all();
  return (rows as { text: string }[]).map(({ text }) => text);
}

function* storedRecords(database: DatabaseSync): Generator<StoredRecord> {
  const rows = database.prepare(`SELECT text, hash, ${INDEXED.join(', ')} FROM records ORDER BY seq`).iterate();
  for (const row of rows) {
    const { text, hash, ...indexed } = row as { text: string; hash: string } & Record<string, string | null>;
    yield { text, hash, indexed };
  }
}

/** Locates a record, with the time to sort by. */
interface Place {
  readonly database: DatabaseSync;
  readonly seq: number;
  readonly time: string;
}

/**
 * Locates the newest matching records without reading texts: a page far down the list skips many. `begin` and `end` are joined before the
 * filter, because each has columns that the other lacks.
 */
function placesOf(database: DatabaseSync, filter: AuditFilter, limit: number): Place[] {
  const { where, values } = matching(filter);
  const rows = database.prepare(`SELECT b.seq, b.time ${where} ORDER BY b.seq DESC LIMIT ${limit}`).all(...values) as {
    seq: number;
    time: string;
  }[];
  return rows.map(({ seq, time }) => ({ database, seq, time }));
}

const OUTCOME = 'COALESCE(e.outcome, b.outcome)';
const RULE = "b.text ->> '$.rule.rule'";
const ENDED = 'COALESCE(e.text, b.text)';
/**
 * For an approved call, `queue_us` excludes the wait for the person, so the sum replaces `total_us`. Few texts contain these words; only
 * those are parsed.
 */
const SENT_US = `IIF(INSTR(b.text, '"decision":"approval"') > 0 AND b.text ->> '$.decision' = 'approval',
  ${ENDED} ->> '$.queue_us' + ${ENDED} ->> '$.upstream_us', ${ENDED} ->> '$.total_us')`;

function summaryRows(database: DatabaseSync, filter: AuditFilter, limit: number): SummaryRow[] {
  const { where, values } = matching(filter);
  const columns = `b.time, b.server, b.tool, ${OUTCOME} AS outcome, IIF(${OUTCOME} = 'denied', ${RULE}, NULL) AS rule, ${SENT_US} AS total_us`;
  const rows = database.prepare(`SELECT ${columns} ${where} ORDER BY b.seq DESC LIMIT ${limit}`).all(...values);
  return rows as unknown as SummaryRow[];
}

const WHO_NAMES = ['b.caller', "b.text ->> '$.user'", "b.text ->> '$.client.name'"];
const WHO = `EXISTS (SELECT 1 FROM json_each(?) AS part WHERE ${WHO_NAMES.map((name) => `INSTR(LOWER(${name}), part.value) > 0`).join(' OR ')})`;

/** Lower-cases A to Z only, as SQLite and the C collation of PostgreSQL do. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Splits a comma-separated list of names, lower-cased. */
export function whoParts(who: string): string[] {
  return who
    .split(',')
    .map((part) => asciiLower(part.trim()))
    .filter((part) => part !== '');
}

/** SQL for begin records that match a filter, joined with their end records. */
function matching(filter: AuditFilter): { readonly where: string; readonly values: readonly string[] } {
  const { since, until, q, outcome, profiles, who, tool_part: toolPart, ...equal } = filter;
  const conditions = [`b.${BEGUN}`];
  const values: string[] = [];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  for (const [column, value] of Object.entries(equal)) add(`b.${column} = ?`, value);
  add('b.time >= ?', since);
  add('b.time < ?', until);
  const group = groupCondition(outcome, OUTCOME, RULE);
  if (group !== undefined) conditions.push(group);
  else add(`${OUTCOME} = ?`, outcome);
  add('INSTR(b.text, ?) > 0', q);
  add('INSTR(LOWER(b.tool), ?) > 0', toolPart === undefined ? undefined : asciiLower(toolPart));
  add(WHO, who === undefined ? undefined : JSON.stringify(whoParts(who)));
  add("b.text ->> '$.profile' IN (SELECT value FROM json_each(?))", JSON.stringify(profiles));
  const where = `FROM records AS b LEFT JOIN records AS e ON e.call_id = b.call_id AND e.phase = 'end' WHERE ${conditions.join(' AND ')}`;
  return { where, values };
}

/** A record with the end of its call; empty if the record was pruned meanwhile. */
function recordAt(database: DatabaseSync, seq: number): { readonly record: JoinedRecord; readonly chars: number }[] {
  const rows = database
    .prepare(
      `SELECT b.text AS begin, e.text AS end FROM records AS b LEFT JOIN records AS e ON e.call_id = b.call_id AND e.phase = 'end'
       WHERE b.seq = ?`,
    )
    .all(seq) as { begin: string; end: string | null }[];
  return rows.map(({ begin, end }) => ({
    record: joinRecords(JSON.parse(begin), end === null ? undefined : JSON.parse(end)),
    chars: begin.length,
  }));
}

function searchOne(database: DatabaseSync, filter: AuditFilter, limit: number): JoinedRecord[] {
  return placesOf(database, filter, limit).flatMap(({ seq }) => recordAt(database, seq).map(({ record }) => record));
}

export function joinRecords(begin: AuditRecord, end: AuditRecord | undefined): JoinedRecord {
  const { v: _v, phase: _phase, prev_hash: _prev, ...members } = begin;
  if (!end) return members;
  const {
    v: _v2,
    phase: _p2,
    prev_hash: _h2,
    seq: _s2,
    chain: _c2,
    kind: _k2,
    call_id: _i2,
    time: _t2,
    ...ending
  } = end;
  return { ...members, ...ending };
}

function nameOf(database: DatabaseSync): string | undefined {
  try {
    return chainNameOf(database);
  } catch (thrown) {
    throw damaged((thrown as Error).message);
  }
}

/** For a file that another program has truncated or altered. */
function damaged(detail: string): BinderyError {
  return new BinderyError('STORE_UNAVAILABLE', {
    detail,
    next: 'Keep the file as it is for whoever looks into it, and restore the data directory from a backup.',
  });
}
