import { randomBytes } from 'node:crypto';
import { BinderyError } from '../../contract/errors.ts';
import type { KeyRing } from '../credentials/key-ring.ts';
import { type Sealed, seal, unseal } from '../credentials/seal.ts';
import { NODE_LIMITS } from './limits.ts';
import type { Database, Query } from './open-database.ts';

const LOCK = 7_717_002;
const KEY_BYTES = 32;
const PLACE = ['session_keys'];

interface Row extends Sealed {
  readonly age_ms: number;
}

/**
 * The keys that nodes sign session ids with: one set for all, sealed with the key file that the nodes share. Two are kept,
 * and a new one is accepted everywhere before any node signs with it.
 */
export class SessionKeys {
  /** The present key, then the others that are accepted. It is one array for as long as the node runs. */
  readonly keys: Uint8Array[] = [];
  readonly #database: Database;
  readonly #ring: KeyRing;

  private constructor(database: Database, ring: KeyRing) {
    this.#database = database;
    this.#ring = ring;
  }

  /** Throws `NODE_KEY_DIFFERS` where the nodes before this one have another key file. */
  static async open(database: Database, ring: KeyRing): Promise<SessionKeys> {
    const keys = new SessionKeys(database, ring);
    await keys.keep();
    return keys;
  }

  /** Makes a key where there is none, or where the present one is old, and learns what others made. */
  async keep(rotateMs: number = NODE_LIMITS.rotateKeysMs): Promise<void> {
    const rows = await this.#database.transaction(async (query) => {
      await query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      const known = await rowsOf(query);
      if (known[0] && known[0].age_ms < rotateMs) return known;
      const { key_id, sealed } = seal(this.#ring, PLACE, randomBytes(KEY_BYTES).toString('base64url'));
      await query('INSERT INTO session_keys(key_id, sealed) VALUES ($1, $2)', [key_id, sealed]);
      await query('DELETE FROM session_keys WHERE id NOT IN (SELECT id FROM session_keys ORDER BY id DESC LIMIT 2)');
      return rowsOf(query);
    });
    const [newest] = rows;
    const isSettled = newest && newest.age_ms >= NODE_LIMITS.settleKeyMs;
    const ordered = isSettled ? rows : rows.toReversed();
    this.keys.splice(0, this.keys.length, ...ordered.map((row) => this.#open(row)));
  }

  #open(row: Row): Uint8Array {
    try {
      return Buffer.from(unseal(this.#ring, PLACE, row) as string, 'base64url');
    } catch {
      throw new BinderyError('NODE_KEY_DIFFERS');
    }
  }
}

/** The newest first. */
function rowsOf(query: Query): Promise<Row[]> {
  return query(
    'SELECT key_id, sealed, (extract(epoch FROM now() - created_at) * 1000)::float8 AS age_ms FROM session_keys ORDER BY id DESC LIMIT 2',
  );
}
