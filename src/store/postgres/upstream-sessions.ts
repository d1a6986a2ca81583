import type { KeyRing } from '../credentials/key-ring.ts';
import { type Sealed, seal, unseal } from '../credentials/seal.ts';
import { NODE_LIMITS } from './limits.ts';
import type { Database } from './open-database.ts';

/** Key of an upstream session: client, server, and the server's endpoint. A session is valid at its endpoint only. */
export interface UpstreamPlace {
  readonly server: string;
  readonly client: string;
  readonly endpoint: string;
}

const EXPIRES = `now() + interval '${NODE_LIMITS.upstreamSessionMs} milliseconds'`;

/** Sessions that servers gave to clients, encrypted, because a session id grants access. */
export class UpstreamSessions {
  readonly #database: Database;
  readonly #ring: KeyRing;

  constructor(database: Database, ring: KeyRing) {
    this.#database = database;
    this.#ring = ring;
  }

  /** The stored session; undefined if there is none for this endpoint. */
  async find(place: UpstreamPlace): Promise<unknown> {
    const [row] = await this.#database.query<Sealed>(
      'SELECT key_id, sealed FROM upstream_sessions WHERE server = $1 AND client = $2 AND expires_at > now()',
      [place.server, place.client],
    );
    return row && this.#open(place, row);
  }

  /** Stores a session unless one exists; returns the stored one. */
  async add(place: UpstreamPlace, session: unknown): Promise<unknown> {
    const { key_id, sealed } = seal(this.#ring, placeOf(place), session);
    const added = await this.#database.query(
      `INSERT INTO upstream_sessions(server, client, key_id, sealed, expires_at) VALUES ($1, $2, $3, $4, ${EXPIRES})
       ON CONFLICT (server, client) DO NOTHING RETURNING 1`,
      [place.server, place.client, key_id, sealed],
    );
    if (added.length > 0) return session;
    const first = await this.find(place);
    if (first === undefined) await this.replace(place, session);
    return first ?? session;
  }

  /** Replaces the stored session. */
  async replace(place: UpstreamPlace, session: unknown): Promise<void> {
    const { key_id, sealed } = seal(this.#ring, placeOf(place), session);
    await this.#database.query(
      `INSERT INTO upstream_sessions(server, client, key_id, sealed, expires_at) VALUES ($1, $2, $3, $4, ${EXPIRES})
       ON CONFLICT (server, client) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed, expires_at = excluded.expires_at`,
      [place.server, place.client, key_id, sealed],
    );
  }

  /** The client will not return. */
  async remove(client: string): Promise<void> {
    await this.#database.query('DELETE FROM upstream_sessions WHERE client = $1', [client]);
  }

  /** Resolves when sessions can be stored again. */
  whenReachable(): Promise<void> {
    return this.#database.whenReachable();
  }

  async reclaim(): Promise<void> {
    await this.#database.query('DELETE FROM upstream_sessions WHERE expires_at <= now()');
  }

  #open(place: UpstreamPlace, row: Sealed): unknown {
    try {
      return unseal(this.#ring, placeOf(place), row);
    } catch {
      // Another endpoint or another key: the session cannot be resumed here.
      return undefined;
    }
  }
}

function placeOf({ server, client, endpoint }: UpstreamPlace): string[] {
  return ['upstream_sessions', server, client, endpoint];
}
