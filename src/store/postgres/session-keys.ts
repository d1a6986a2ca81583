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
 * The keys that sign session ids: one set for all nodes, encrypted with their shared key file. Two are kept, and every node accepts a new
 * key before any node signs with it.
 */
export class SessionKeys {
  /** The signing key first, then the other accepted one. The array object never changes. */
  readonly keys: Uint8Array[] = [];
  readonly #database: Database;
  readonly #ring: KeyRing;

  private constructor(database: Database, ring: KeyRing) {
    this.#database = database;
    this.#ring = ring;
  }

  /** Throws `NODE_KEY_DIFFERS` if earlier nodes have another key file. */
  static async open(database: Database, ring: KeyRing): Promise<SessionKeys> {
    const keys = new SessionKeys(database, ring);
    await keys.keep();
    return keys;
  }

  /** Creates a key if there is none or the newest is old, and loads the keys of other nodes. */
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

/** Newest first. */
function rowsOf(query: Query): Promise<Row[]> {
  return query(
    'SELECT key_id, sealed, (extract(epoch FROM now() - created_at) * 1000)::float8 AS age_ms FROM session_keys ORDER BY id DESC LIMIT 2',
  );
}
