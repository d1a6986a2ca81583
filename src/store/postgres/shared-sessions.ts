import { createHash } from 'node:crypto';
import type { SessionOwner } from '../../gateway/session/session-id.ts';
import { STORE_LIMITS } from '../limits.ts';
import type { Database } from './open-database.ts';

const CHANNEL = 'bindery_sessions';

/** Shared state of a session: whether it was ended, and state that does not fit into its id. */
export interface SharedSession {
  readonly ended: boolean;
  readonly state: Readonly<Record<string, unknown>>;
}

/** Session state shared by all nodes. */
export class SharedSessions {
  readonly #database: Database;
  /** Known number of rows per caller: counting reads all of them. */
  readonly #rows = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** A session whose row may have been evicted counts as ended, because its state is unknown. */
  async find({ session, caller, expiresAtMs }: SessionOwner): Promise<SharedSession | undefined> {
    const [row] = await this.#database.query<{ ended: boolean; state: string }>(
      `SELECT ended, state FROM session_state WHERE session = $1
       UNION ALL SELECT true, '{}' FROM evicted_sessions WHERE caller = $2 AND through >= to_timestamp($3::float8 / 1000)
         AND NOT EXISTS (SELECT 1 FROM session_state WHERE session = $1)`,
      [session, callerKey(caller), expiresAtMs],
    );
    return row && { ended: row.ended, state: JSON.parse(row.state) };
  }

  /**
   * An ended session stays ended, and every node is notified. Bounds the rows per caller: evicts those that expire first, and records the
   * eviction.
   */
  async save({ session, caller, expiresAtMs }: SessionOwner, { ended, state }: SharedSession): Promise<void> {
    const key = callerKey(caller);
    await this.#database.query(
      `WITH saved AS (
         INSERT INTO session_state(session, ended, state, expires_at, caller) VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000), $5)
         ON CONFLICT (session) DO UPDATE SET ended = session_state.ended OR excluded.ended, state = excluded.state
         RETURNING session, ended
       ) SELECT pg_notify('${CHANNEL}', session) FROM saved WHERE ended`,
      [session, ended, JSON.stringify(state), expiresAtMs, key],
    );
    await this.#boundRows(key);
  }

  async #boundRows(key: string): Promise<void> {
    const { sessionRowsPerCallerMax: most, sessionRowsKeptAtEviction: kept } = STORE_LIMITS;
    const known = this.#rows.get(key);
    const rows = known === undefined || known >= most ? await this.#countRows(key) : known + 1;
    this.#rows.set(key, rows);
    if (rows <= most) return;
    await this.#database.query(
      `WITH evicted AS (
         DELETE FROM session_state WHERE session IN (
           SELECT session FROM session_state WHERE caller = $1 ORDER BY expires_at DESC, session OFFSET $2
         ) RETURNING expires_at
       ) INSERT INTO evicted_sessions(caller, through) SELECT $1, max(expires_at) FROM evicted HAVING count(*) > 0
         ON CONFLICT (caller) DO UPDATE SET through = GREATEST(evicted_sessions.through, excluded.through)`,
      [key, kept],
    );
    this.#rows.set(key, kept);
  }

  async #countRows(key: string): Promise<number> {
    const [row] = await this.#database.query<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM session_state WHERE caller = $1',
      [key],
    );
    return row?.rows ?? 0;
  }

  /**
   * Listens for sessions that any node ended. After a reconnect, it looks up the sessions that `known` returns. Returns a function that
   * stops it.
   */
  onEnded(known: () => string[], hear: (session: string) => void, onError: (error: unknown) => void): () => void {
    // One session that fails must not hide the others.
    const hearOne = (session: string) => {
      try {
        hear(session);
      } catch (error) {
        onError(error);
      }
    };
    const catchUp = async () => {
      const rows = await this.#database.query<{ session: string }>(
        'SELECT session FROM session_state WHERE ended AND session = ANY($1)',
        [known()],
      );
      for (const { session } of rows) hearOne(session);
    };
    return this.#database.listen(CHANNEL, { onPayload: hearOne, onConnected: () => void catchUp().catch(onError) });
  }

  /** Deletes expired sessions. */
  async reclaim(): Promise<void> {
    this.#rows.clear();
    await this.#database.query('DELETE FROM session_state WHERE expires_at <= now()');
    await this.#database.query('DELETE FROM evicted_sessions WHERE through <= now()');
  }
}

function callerKey(caller: string): string {
  return createHash('sha256').update(caller).digest('hex');
}
