import type { Database } from './open-database.ts';

const CHANNEL = 'bindery_sessions';

/** What nodes know together of a session: whether it was ended, and what its id is too short to carry. */
export interface SharedSession {
  readonly ended: boolean;
  readonly state: Readonly<Record<string, unknown>>;
}

/** The little that sessions keep, for every node. */
export class SharedSessions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(session: string): Promise<SharedSession | undefined> {
    const [row] = await this.#database.query<{ ended: boolean; state: string }>(
      'SELECT ended, state FROM session_state WHERE session = $1',
      [session],
    );
    return row && { ended: row.ended, state: JSON.parse(row.state) };
  }

  /** An ended session stays ended; every node hears of its end. */
  async save(session: string, expiresAtMs: number, { ended, state }: SharedSession): Promise<void> {
    await this.#database.query(
      `WITH saved AS (
         INSERT INTO session_state(session, ended, state, expires_at) VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000))
         ON CONFLICT (session) DO UPDATE SET ended = session_state.ended OR excluded.ended, state = excluded.state
         RETURNING session, ended
       ) SELECT pg_notify('${CHANNEL}', session) FROM saved WHERE ended`,
      [session, ended, JSON.stringify(state), expiresAtMs],
    );
  }

  /** Hears of sessions that any node ended. After a cut, those that `known` names are looked up. Returns how to stop. */
  onEnded(known: () => string[], hear: (session: string) => void, onError: (error: unknown) => void): () => void {
    // One end that cannot be kept must not hide the others.
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

  /** Forgets sessions whose ids have expired. */
  async reclaim(): Promise<void> {
    await this.#database.query('DELETE FROM session_state WHERE expires_at <= now()');
  }
}
