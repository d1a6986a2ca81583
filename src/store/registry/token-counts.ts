import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { CountTokens } from '../../gateway/search/tokens.ts';
import { type Migrations, migrate } from '../migrate.ts';

const migrations: Migrations = {
  part: 'tokens',
  steps: ['CREATE TABLE token_counts (sha256 TEXT PRIMARY KEY, tokens INTEGER NOT NULL)'],
};

const ROWS_MAX = 100_000;
/** Texts that are asked for again and again are whole lists, one of each profile; they are not read each time. */
const IN_MEMORY_MAX = 32;

/** Tokens of texts, counted once and remembered by their digests: loading the tokenizer costs more than a start. */
export class TokenCounts {
  readonly #database: DatabaseSync;
  readonly #count: CountTokens;
  readonly #known = new Map<string, number>();

  constructor(database: DatabaseSync, count: CountTokens) {
    this.#database = database;
    this.#count = count;
    migrate(database, migrations);
  }

  of(text: string): number {
    return this.known(text) ?? (this.ofAll([text])[0] as number);
  }

  known(text: string): number | undefined {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const row = this.#database.prepare('SELECT tokens FROM token_counts WHERE sha256 = ?').get(sha256(text));
    if (!row) return undefined;
    const { tokens } = row as { tokens: number };
    if (this.#known.size >= IN_MEMORY_MAX) this.#known.clear();
    this.#known.set(text, tokens);
    return tokens;
  }

  /** Counts texts that are not known, and remembers them together. */
  ofAll(texts: readonly string[]): number[] {
    const counts = texts.map((text) => this.#count(text));
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const insert = this.#database.prepare('INSERT OR REPLACE INTO token_counts(sha256, tokens) VALUES (?, ?)');
      texts.forEach((text, index) => {
        insert.run(sha256(text), counts[index] as number);
      });
      this.#database
        .prepare('DELETE FROM token_counts WHERE rowid <= (SELECT MAX(rowid) FROM token_counts) - ?')
        .run(ROWS_MAX);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
    return counts;
  }
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64');
}
