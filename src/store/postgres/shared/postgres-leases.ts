import { sha256Hex } from '../../../gateway/audit/chain.ts';
import { RATE_WINDOW_MS } from '../../../gateway/throttle/rate-window.ts';
import type { Database } from '../open-database.ts';

/** Rate-limit windows shared by all nodes. The database's clock counts, because node clocks may differ. */
export class PostgresLeases {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Leases up to `calls` calls of a limit; 0 if it is exhausted. Also returns how long the window lasts. */
  async lease(key: string, perMinute: number, calls: number): Promise<{ calls: number; endsInMs: number }> {
    const [row] = await this.#database.query<{ granted: number; ends_in: number }>(LEASE, [
      sha256Hex(key),
      perMinute,
      calls,
    ]);
    return { calls: row?.granted ?? 0, endsInMs: Math.max(1, row?.ends_in ?? 1) };
  }

  /** Deletes windows that have ended. */
  async reclaim(): Promise<void> {
    await this.#database.query(`DELETE FROM rate_windows WHERE started_at + ${RATE_WINDOW_MS} <= ${NOW}`);
  }
}

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const IS_OVER = `excluded.started_at >= rate_windows.started_at + ${RATE_WINDOW_MS}`;
const LEFT = 'GREATEST(0, LEAST($3::bigint, $2::bigint - rate_windows.used))';

/** A window starts with its first call. One statement, so that concurrent nodes share what is left. */
const LEASE = `
INSERT INTO rate_windows(key, started_at, used, granted) VALUES ($1, ${NOW}, LEAST($2::bigint, $3::bigint), LEAST($2::bigint, $3::bigint))
ON CONFLICT (key) DO UPDATE SET
  started_at = CASE WHEN ${IS_OVER} THEN excluded.started_at ELSE rate_windows.started_at END,
  used = CASE WHEN ${IS_OVER} THEN excluded.used ELSE rate_windows.used + ${LEFT} END,
  granted = CASE WHEN ${IS_OVER} THEN excluded.granted ELSE ${LEFT} END
RETURNING granted, started_at + ${RATE_WINDOW_MS} - ${NOW} AS ends_in`;
