import type { AuditRecord } from '../../../gateway/audit/audit-record.ts';
import { type ChainHead, exportLine } from '../../../gateway/audit/chain.ts';
import {
  ChainVerifier,
  collectAnchors,
  joinHeads,
  joinReports,
  type NotedHead,
  type NotedHeads,
  type StoredRecord,
  type VerifyReport,
} from '../../../gateway/audit/verify-chain.ts';
import { INDEXED } from '../../audit/audit-file.ts';
import { type AuditFilter, asciiLower, type JoinedRecord, joinRecords, whoParts } from '../../audit/audit-reader.ts';
import { groupCondition } from '../../audit/outcome-condition.ts';
import { AUDIT_LIMITS } from '../limits.ts';
import type { Database } from '../open-database.ts';
import { asIndexed } from './audit-shipper.ts';

/** Good enough to read members that we named: PostgreSQL rejects JSON with NUL or unpaired surrogates, which clients may have sent. */
const PARSED = String.raw`replace(b.text, '\u', '/u')::json`;
/** JSON with the same replacement, so that its strings match those of a parsed record. */
const jsonIn = (value: unknown) => JSON.stringify(value).replaceAll(String.raw`\u`, '/u');
/** Folds the same letters as SQLite does, whatever the locale of the database is. */
const lowerOf = (text: string) => `lower((${text}) COLLATE "C")`;

/** Reads the chains of all nodes, as far as they are shipped. */
export class PostgresAudit {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Verifies every chain against the heads recorded when it was shipped, the anchors, and `noted`. */
  async verify(noted: NotedHeads = new Map()): Promise<VerifyReport> {
    const shipped = await this.#shippedHeads();
    const noting = await this.#database.query<{ text: string }>(
      "SELECT text FROM audit_records WHERE kind = 'system' AND strpos(text, '\"anchors\"') > 0",
    );
    const heads = joinHeads(noted, shipped, collectAnchors(noting.map(({ text }) => text)));
    const reports: [string, VerifyReport][] = [];
    for (const chain of await this.#chains()) {
      const verifier = new ChainVerifier(chain, heads.get(chain));
      for await (const stored of this.#records(chain)) if (!verifier.take(stored)) break;
      reports.push([chain, verifier.report()]);
    }
    return joinReports(reports, heads);
  }

  async heads(): Promise<Map<string, ChainHead>> {
    const rows = await this.#database.query<ChainHead & { chain: string }>(
      'SELECT DISTINCT ON (chain) chain, seq, hash FROM audit_records ORDER BY chain, seq DESC',
    );
    return new Map(rows.map(({ chain, seq, hash }) => [chain, { seq, hash }]));
  }

  /** The stored records as lines, ordered by chain name and `seq`. */
  async lines(): Promise<string[]> {
    const lines: string[] = [];
    for await (const batch of this.lineBatches()) lines.push(...batch);
    return lines;
  }

  /** The same lines in batches. */
  async *lineBatches(): AsyncGenerator<readonly string[]> {
    for (const chain of await this.#chains()) {
      let batch: string[] = [];
      for await (const { text, hash } of this.#records(chain)) {
        batch.push(exportLine(text, hash));
        if (batch.length < AUDIT_LIMITS.readRows) continue;
        yield batch;
        batch = [];
      }
      yield batch;
    }
  }

  /** Matching calls, newest first, from an offset. */
  async search(filter: AuditFilter, limit: number, offset = 0): Promise<JoinedRecord[]> {
    const { since, until, q, outcome, profiles, who, tool_part: toolPart, ...equal } = filter;
    const conditions = ["b.phase <> 'end'"];
    const values: string[] = [];
    const add = (condition: (value: string) => string, value: string | undefined) => {
      if (value === undefined) return;
      values.push(asIndexed(value) as string);
      conditions.push(condition(`$${values.length}`));
    };
    for (const [column, value] of Object.entries(equal)) add((given) => `b.${column} = ${given}`, value);
    add((given) => `b.time >= ${given}`, since);
    add((given) => `b.time < ${given}`, until);
    const group = groupCondition(outcome, 'COALESCE(e.outcome, b.outcome)', `${PARSED} -> 'rule' ->> 'rule'`);
    if (group !== undefined) conditions.push(group);
    else add((given) => `COALESCE(e.outcome, b.outcome) = ${given}`, outcome);
    add((given) => `strpos(b.text, ${given}) > 0`, q);
    add((given) => `strpos(${lowerOf('b.tool')}, ${given}) > 0`, toolPart && asciiLower(toolPart));
    const people = ['b.caller', `${PARSED} ->> 'user'`, `${PARSED} -> 'client' ->> 'name'`];
    const isWho = (given: string) =>
      `EXISTS (SELECT 1 FROM json_array_elements_text(${given}::json) AS part WHERE ${people.map((name) => `strpos(${lowerOf(name)}, part) > 0`).join(' OR ')})`;
    add(isWho, who === undefined ? undefined : jsonIn(whoParts(who)));
    const names = profiles && jsonIn(profiles);
    add((given) => `${PARSED} ->> 'profile' IN (SELECT json_array_elements_text(${given}::json))`, names);
    const rows = await this.#database.query<{ begun: string; ended: string | null }>(
      `SELECT b.text AS begun, e.text AS ended FROM audit_records AS b
       LEFT JOIN audit_records AS e ON e.chain = b.chain AND e.call_id = b.call_id AND e.phase = 'end'
       WHERE ${conditions.join(' AND ')} ORDER BY b.time DESC, b.seq DESC, b.chain LIMIT ${limit} OFFSET ${offset}`,
      values,
    );
    return rows.map(({ begun, ended }) =>
      joinRecords(JSON.parse(begun), ended === null ? undefined : JSON.parse(ended)),
    );
  }

  /** The records of one call, as stored. */
  async recordsOf(callId: string): Promise<AuditRecord[]> {
    const rows = await this.#database.query<{ text: string }>(
      'SELECT text FROM audit_records WHERE call_id = $1 ORDER BY chain, seq',
      [asIndexed(callId)],
    );
    return rows.map(({ text }) => JSON.parse(text) as AuditRecord);
  }

  async #shippedHeads(): Promise<NotedHeads> {
    const rows = await this.#database.query<ChainHead & { chain: string }>('SELECT chain, seq, hash FROM audit_heads');
    return new Map(
      rows.map(({ chain, seq, hash }): [string, NotedHead[]] => [chain, [{ source: 'registry', seq, hash }]]),
    );
  }

  /** In byte order. */
  async #chains(): Promise<string[]> {
    return [...(await this.heads()).keys()].sort((a, b) => (a < b ? -1 : 1));
  }

  async *#records(chain: string): AsyncGenerator<StoredRecord> {
    let after = 0;
    for (;;) {
      const rows = await this.#database.query<
        { seq: number; text: string; hash: string } & Record<string, string | null>
      >(
        `SELECT seq, text, hash, ${INDEXED.join(', ')} FROM audit_records WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT ${AUDIT_LIMITS.readRows}`,
        [chain, after],
      );
      for (const { seq: _seq, text, hash, ...indexed } of rows) yield storedRecord(text, hash, indexed);
      const last = rows.at(-1);
      if (!last) return;
      after = last.seq;
    }
  }
}

/** If a record contains NUL, its columns differ from it by design, so only its text is verified. */
function storedRecord(text: string, hash: string, indexed: Readonly<Record<string, string | null>>): StoredRecord {
  return text.includes('\\u0000') ? { text, hash } : { text, hash, indexed };
}
