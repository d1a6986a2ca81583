import { EventEmitter } from 'node:events';
import type { Log } from '../../../contract/ports.ts';
import { visibleText } from '../../../contract/visible-text.ts';
import { IS_PRESENT } from '../node-table.ts';
import type { Database } from '../open-database.ts';

/** The state of a server as a node sees it. */
export interface ServerState {
  readonly server: string;
  readonly status: 'running' | 'stopped' | 'error';
  /** An error that this node found itself. */
  readonly error: string | null;
  /** RFC 3339. */
  readonly lastHealthCheck: string | null;
}

/** An error that another node found. */
export interface ErrorElsewhere {
  readonly node: string;
  readonly error: string;
}

interface HealthEvents {
  /** Another node checked this server, or its state there changed. */
  changed: [string];
}

const CHANNEL = 'bindery_server_health';

/**
 * Server health shared by all nodes: each node reports its own connections, one node at a time runs a server's health check, and all use
 * its result.
 */
export class SharedHealth extends EventEmitter<HealthEvents> {
  readonly #database: Database;
  readonly #node: string;
  readonly #log: Log;
  #elsewhere: ReadonlyMap<string, ErrorElsewhere> = new Map();
  #stop: (() => void) | undefined;

  constructor(database: Database, node: string, log: Log) {
    super();
    this.setMaxListeners(0);
    this.#database = database;
    this.#node = node;
    this.#log = log;
  }

  /** Starts listening to other nodes. */
  begin(): void {
    this.#stop ??= this.#database.listen(CHANNEL, {
      onPayload: (payload) => this.#hear(payload),
      onConnected: () => this.#quietly(() => this.refresh()),
    });
  }

  /** The last known error of a server on another present node. */
  errorElsewhere(server: string): ErrorElsewhere | undefined {
    return this.#elsewhere.get(server);
  }

  /** Loads the errors that other nodes found; drops those of nodes that left. */
  async refresh(): Promise<void> {
    const rows = await this.#database.query<ErrorElsewhere & { server: string }>(
      `SELECT server, node, error FROM server_states JOIN nodes ON nodes.name = node
       WHERE error IS NOT NULL AND node <> $1 AND ${IS_PRESENT} ORDER BY server, node DESC`,
      [this.#node],
    );
    const before = this.#elsewhere;
    this.#elsewhere = new Map(rows.map(({ server, node, error }) => [server, { node, error }]));
    for (const server of new Set([...before.keys(), ...this.#elsewhere.keys()]))
      if (before.get(server)?.error !== this.#elsewhere.get(server)?.error) this.emit('changed', server);
  }

  /** Runs `look` unless a node did so within `withinMs`; then returns its result instead. A result is an error text, or null. */
  async check(server: string, withinMs: number, look: () => Promise<string | null>): Promise<string | null> {
    const claimed = await this.#database.query(CLAIM, [server, withinMs]);
    if (claimed.length === 0) {
      const [row] = await this.#database.query<{ error: string | null }>(
        'SELECT error FROM health_checks WHERE server = $1',
        [server],
      );
      return row?.error ?? null;
    }
    const error = textOf(await look());
    await this.#database.query(VERDICT, [server, error, JSON.stringify([this.#node, server])]);
    return error;
  }

  /** Stores how this node sees servers; with `isAll` it deletes its other states. */
  async report(states: readonly ServerState[], isAll: boolean): Promise<void> {
    const names = states.map(({ server }) => server);
    await this.#database.query(REPORT, [
      this.#node,
      names,
      states.map(({ status }) => status),
      states.map(({ error }) => textOf(error)),
      states.map(({ lastHealthCheck }) => lastHealthCheck),
    ]);
    const others = 'DELETE FROM server_states WHERE node = $1 AND NOT server = ANY($2)';
    if (isAll) await this.#database.query(others, [this.#node, names]);
  }

  /** Marks this node's servers as stopped. */
  async close(): Promise<void> {
    this.#stop?.();
    await this.#database
      .query("UPDATE server_states SET status = 'stopped', error = NULL WHERE node = $1", [this.#node])
      .catch((error: unknown) => this.#log.debug('server states could not be updated', { error }));
  }

  #hear(payload: string): void {
    const [node, server] = JSON.parse(payload) as [string, string];
    if (node === this.#node) return;
    this.#quietly(async () => {
      await this.refresh();
      this.emit('changed', server);
    });
  }

  /** Failures are retried with the next notification or after a reconnect. */
  #quietly(work: () => Promise<void>): void {
    work().catch((error: unknown) =>
      this.#log.debug('server health is delayed: the database is unavailable', { error }),
    );
  }
}

/** Error texts come from servers: a NUL character, which a column cannot hold, must not fail the whole write. */
function textOf(error: string | null): string | null {
  return error === null ? null : visibleText(error);
}

const CLAIM = `
INSERT INTO health_checks(server, claimed_at) VALUES ($1, clock_timestamp())
ON CONFLICT (server) DO UPDATE SET claimed_at = clock_timestamp()
WHERE health_checks.claimed_at <= clock_timestamp() - $2::float8 * interval '1 millisecond'
RETURNING 1`;

/** Notifies other nodes of a changed result. */
const VERDICT = `
WITH before AS (SELECT error FROM health_checks WHERE server = $1),
  written AS (UPDATE health_checks SET error = $2 WHERE server = $1 RETURNING 1)
SELECT pg_notify('${CHANNEL}', $3) FROM before, written WHERE before.error IS DISTINCT FROM $2`;

/** Notifies other nodes only about servers whose error changed. */
const REPORT = `
WITH given AS (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS one(server, status, error, checked)
), before AS (
  SELECT given.server, states.error FROM given LEFT JOIN server_states AS states ON states.server = given.server AND states.node = $1
), written AS (
  INSERT INTO server_states(server, node, status, error, last_health_check) SELECT server, $1, status, error, checked FROM given
  ON CONFLICT (server, node) DO UPDATE SET status = excluded.status, error = excluded.error,
    last_health_check = COALESCE(excluded.last_health_check, server_states.last_health_check)
  RETURNING server, error
) SELECT pg_notify('${CHANNEL}', json_build_array($1::text, written.server)::text) FROM written JOIN before ON before.server = written.server
WHERE written.error IS DISTINCT FROM before.error`;
