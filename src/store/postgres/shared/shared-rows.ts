import type { Database, Query } from '../open-database.ts';

/** Columns of a row, as in SQLite. */
export type RowContent = Readonly<Record<string, string | number | null>>;

/** A row to write; without content it is removed. */
export interface RowChange {
  readonly part: string;
  /** The values of its primary key, as a JSON array. */
  readonly key: string;
  readonly content: RowContent | null;
}

/** A row as last written. */
export interface SharedRow extends RowChange {
  /** Version of its last change; versions only grow. */
  readonly version: number;
  /** The process that wrote it. */
  readonly writer: string;
}

/** Access to the rows for the one writer. */
export interface RowsForWriter {
  find(part: string, key: string): Promise<RowContent | undefined>;
  since(version: number): Promise<SharedRow[]>;
  /** The rows that belong to a registration of a server. */
  ofRegistration(id: string): Promise<Pick<RowChange, 'part' | 'key'>[]>;
  /** Rows that would not change are left alone. */
  put(changes: readonly RowChange[]): Promise<void>;
}

/** The channel that announces the newest version. */
export const ROWS_CHANNEL = 'bindery_shared_rows';

const PAGE_ROWS = 1_000;

/** The registry rows that all nodes share: PostgreSQL holds the authoritative rows, each node reads its replica. */
export class SharedRows {
  readonly #database: Database;
  readonly #writer: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, writer: string) {
    this.#database = database;
    this.#writer = writer;
  }

  /** The id of this database, and its newest version. */
  async head(): Promise<{ readonly id: string; readonly version: number }> {
    const [head] = await this.#database.query<{ id: string; version: number }>('SELECT id, version FROM shared_head');
    return head as { id: string; version: number };
  }

  /** A page of changes after this version, oldest first. */
  since(version: number): Promise<SharedRow[]> {
    return since((text, values) => this.#database.query(text, values), version, PAGE_ROWS);
  }

  /**
   * Runs work as the only writer, in one transaction, and notifies all nodes. Writers of one node queue here, because waiting in the
   * database would occupy connections.
   */
  write<T>(work: (rows: RowsForWriter) => Promise<T>): Promise<T> {
    const written = this.#last.then(() => this.#writeAlone(work));
    this.#last = written.catch(() => {});
    return written;
  }

  #writeAlone<T>(work: (rows: RowsForWriter) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (query) => {
      const [head] = await query<{ version: number }>('SELECT version FROM shared_head FOR UPDATE');
      let version = head?.version ?? 0;
      const before = version;
      const done = await work({
        find: (part, key) => find(query, part, key),
        since: (after) => since(query, after),
        ofRegistration: (id) => ofRegistration(query, id),
        put: async (changes) => {
          version = await this.#put(query, changes, version);
        },
      });
      if (version > before) {
        await query('UPDATE shared_head SET version = $1', [version]);
        await query('SELECT pg_notify($1, $2)', [ROWS_CHANNEL, String(version)]);
      }
      return done;
    });
  }

  /** Returns the last version. */
  async #put(query: Query, changes: readonly RowChange[], version: number): Promise<number> {
    const written = await query(PUT, [
      changes.map(({ part }) => part),
      changes.map(({ key }) => key),
      changes.map(({ content }) => (content === null ? null : JSON.stringify(content))),
      version,
      this.#writer,
    ]);
    return version + written.length;
  }
}

/** Removing a row that never existed is no change. */
const PUT = `
INSERT INTO shared_rows(part, key, content, version, writer)
SELECT part, key, content, $4 + ROW_NUMBER() OVER (ORDER BY place), $5
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS given(part, key, content, place)
WHERE content IS DISTINCT FROM (SELECT content FROM shared_rows AS there WHERE there.part = given.part AND there.key = given.key)
ON CONFLICT (part, key) DO UPDATE SET content = excluded.content, version = excluded.version, writer = excluded.writer
RETURNING version`;

async function find(query: Query, part: string, key: string): Promise<RowContent | undefined> {
  const [row] = await query<{ content: string | null }>(
    'SELECT content FROM shared_rows WHERE part = $1 AND key = $2',
    [part, key],
  );
  return typeof row?.content === 'string' ? (JSON.parse(row.content) as RowContent) : undefined;
}

/** Searches the text, because a row may contain names that PostgreSQL cannot extract from JSON. */
function ofRegistration(query: Query, id: string): Promise<Pick<RowChange, 'part' | 'key'>[]> {
  return query('SELECT part, key FROM shared_rows WHERE strpos(content, $1) > 0', [
    `"registration":${JSON.stringify(id)}`,
  ]);
}

async function since(query: Query, version: number, limit?: number): Promise<SharedRow[]> {
  const rows = await query<Omit<SharedRow, 'content'> & { content: string | null }>(
    `SELECT part, key, version, writer, content FROM shared_rows WHERE version > $1 ORDER BY version ${limit ? `LIMIT ${limit}` : ''}`,
    [version],
  );
  return rows.map(({ content, ...row }) => ({ ...row, content: content === null ? null : JSON.parse(content) }));
}
