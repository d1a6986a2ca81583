import type { Migrations } from '../../migrate.ts';

/** Session keys, messages between nodes, and state that lets any node take over from another. */
export const nodesMigrations: Migrations = {
  part: 'nodes',
  steps: [
    `CREATE TABLE nodes (
  name TEXT PRIMARY KEY, run TEXT NOT NULL, url TEXT, seen_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE node_messages (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node TEXT NOT NULL, body TEXT NOT NULL, expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX node_messages_by_node ON node_messages (node, id);
CREATE TABLE session_keys (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key_id TEXT NOT NULL, sealed BYTEA NOT NULL,
  created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE TABLE session_state (
  session TEXT PRIMARY KEY, ended BOOLEAN NOT NULL, state TEXT NOT NULL, expires_at TIMESTAMPTZ NOT NULL
);
CREATE TABLE upstream_sessions (
  server TEXT NOT NULL, client TEXT NOT NULL, key_id TEXT NOT NULL, sealed BYTEA NOT NULL, expires_at TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (server, client)
);
CREATE TABLE own_processes (
  server TEXT NOT NULL, client TEXT NOT NULL, node TEXT NOT NULL, run TEXT NOT NULL,
  claimed_at TIMESTAMPTZ NOT NULL DEFAULT now(), PRIMARY KEY (server, client)
)`,
    // Rows are bounded per caller. Callers are stored as digests: names may contain characters that a text column cannot hold.
    `ALTER TABLE session_state ADD COLUMN caller TEXT NOT NULL DEFAULT '';
CREATE INDEX session_state_by_caller ON session_state (caller, expires_at);
CREATE TABLE evicted_sessions (caller TEXT PRIMARY KEY, through TIMESTAMPTZ NOT NULL)`,
  ],
};
