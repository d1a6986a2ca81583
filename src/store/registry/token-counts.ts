import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { FailureReport } from '../../contract/failure-report.ts';
import type { CountTokens } from '../../gateway/search/words/tokens.ts';
import { inTransaction } from '../in-transaction.ts';
import { STORE_LIMITS } from '../limits.ts';
import { type Migrations, migrate } from '../migrate.ts';
import { PreparedSql } from '../prepared-sql.ts';

const migrations: Migrations = {
  part: 'tokens',
  steps: ['CREATE TABLE token_counts (sha256 TEXT PRIMARY KEY, tokens INTEGER NOT NULL)'],
};

/** Token counts of texts, cached by digest: loading the tokenizer takes longer than the whole start. */
export class TokenCounts {
  readonly #database: DatabaseSync;
  readonly #sql: PreparedSql;
  readonly #count: CountTokens;
  readonly #report: FailureReport;
  readonly #known = new Map<string, number>();
  /** The cache is empty, so lookups are skipped when many servers are seen for the first time. */
  #isEmpty: boolean;

  constructor(database: DatabaseSync, count: CountTokens, report: FailureReport) {
    this.#database = database;
    this.#sql = new PreparedSql(database);
    this.#count = count;
    this.#report = report;
    migrate(database, migrations);
    this.#isEmpty = this.#sql.get('SELECT 1 FROM token_counts LIMIT 1') === undefined;
  }

  of(text: string): number {
    return this.known(text) ?? (this.ofAll([text])[0] as number);
  }

  known(text: string): number | undefined {
    const known = this.#known.get(text);
    if (known !== undefined || this.#isEmpty) return known;
    const tokens = this.#sql.number('SELECT tokens AS n FROM token_counts WHERE sha256 = ?', sha256(text));
    if (tokens === undefined) return undefined;
    if (this.#known.size >= STORE_LIMITS.tokenCountsInMemoryMax) this.#known.clear();
    this.#known.set(text, tokens);
    return tokens;
  }

  /** Counts texts and stores the counts. If storing fails, they are counted again next time. */
  ofAll(texts: readonly string[]): number[] {
    const counts = texts.map((text) => this.#count(text));
    this.#report.attempt(() => this.#keep(texts, counts));
    return counts;
  }

  #keep(texts: readonly string[], counts: readonly number[]): void {
    inTransaction(this.#database, () => {
      texts.forEach((text, index) => {
        const tokens = counts[index] as number;
        this.#sql.run('INSERT OR REPLACE INTO token_counts(sha256, tokens) VALUES (?, ?)', sha256(text), tokens);
      });
      this.#sql.run(
        'DELETE FROM token_counts WHERE rowid <= (SELECT MAX(rowid) FROM token_counts) - ?',
        STORE_LIMITS.tokenCountsMax,
      );
    });
    this.#isEmpty = false;
  }
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64');
}
