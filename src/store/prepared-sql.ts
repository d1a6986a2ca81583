import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** Runs SQL on a database and caches its prepared statements. */
export class PreparedSql {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run(sql: string, ...values: SQLInputValue[]) {
    return this.#prepare(sql).run(...values);
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** The column `n` of one row. */
  number(sql: string, ...values: SQLInputValue[]): number | undefined {
    return this.get<{ n: number | null }>(sql, ...values)?.n ?? undefined;
  }

  iterate(sql: string): Iterable<unknown> {
    return this.#database.prepare(sql).iterate();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
