import type { Migrations } from '../../migrate.ts';

/**
 * State that nodes share. `shared_rows` holds registry rows as JSON, each with the version of its last change. Versions are assigned under
 * the lock of `shared_head`, so a node that has seen one version has seen all earlier ones. A removed row stays without content, for nodes
 * that have not seen its removal. Other programs query the views: keep their names and columns.
 */
export const sharedMigrations: Migrations = {
  part: 'shared',
  steps: [
    `
CREATE TABLE shared_head (id TEXT NOT NULL, version BIGINT NOT NULL);
INSERT INTO shared_head(id, version) VALUES (gen_random_uuid()::text, 0);
CREATE TABLE shared_rows (
  part TEXT NOT NULL, key TEXT NOT NULL, version BIGINT NOT NULL UNIQUE, writer TEXT NOT NULL, content TEXT,
  PRIMARY KEY (part, key)
);
CREATE VIEW mcp_servers AS
  SELECT c->>'name' AS name, c->>'container_name' AS container_name, c->>'endpoint' AS endpoint, c->>'transport' AS transport,
    (c->>'capabilities')::json AS capabilities, (c->>'metadata')::json AS metadata
  FROM (SELECT content::json AS c FROM shared_rows WHERE part = 'mcp_servers' AND content IS NOT NULL) AS rows;
CREATE VIEW tool_registry AS
  SELECT c->>'tool_name' AS tool_name, c->>'server_name' AS server_name, c->>'description' AS description,
    (c->>'parameters_schema')::json AS parameters_schema, (c->>'read_only')::int <> 0 AS read_only, c->>'original_name' AS original_name,
    c->>'definition_sha256' AS definition_sha256, c->>'accepted_sha256' AS accepted_sha256, c->>'status' AS status
  FROM (SELECT content::json AS c FROM shared_rows WHERE part = 'tool_registry' AND content IS NOT NULL) AS rows;
`,
    // Keys are digests: names of callers and tools may contain characters that a text column cannot hold.
    'CREATE TABLE rate_windows (key TEXT PRIMARY KEY, started_at BIGINT NOT NULL, used BIGINT NOT NULL, granted BIGINT NOT NULL)',
    `
CREATE TABLE audit_records (
  chain TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL,
  kind TEXT, phase TEXT, call_id TEXT, time TEXT COLLATE "C", caller TEXT, session TEXT, server TEXT, tool TEXT, outcome TEXT,
  PRIMARY KEY (chain, seq)
);
CREATE INDEX audit_records_call ON audit_records (call_id);
CREATE INDEX audit_records_time ON audit_records (time, seq) WHERE phase <> 'end';
CREATE INDEX audit_records_system ON audit_records (chain) WHERE kind = 'system';
`,
    // The head of each chain when it was last shipped: it stays if records are deleted from the table above.
    'CREATE TABLE audit_heads (chain TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, hash TEXT NOT NULL)',
    // The state of each server as each node sees it, and when a health check was last claimed. The views have the columns of the SQLite
    // tables. A NUL character, which JSON can hold but a text cannot, would break them.
    `
CREATE TABLE server_states (
  server TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL, error TEXT, last_health_check TIMESTAMPTZ,
  PRIMARY KEY (server, node)
);
CREATE TABLE health_checks (server TEXT PRIMARY KEY, claimed_at TIMESTAMPTZ NOT NULL, error TEXT);
DROP VIEW mcp_servers;
DROP VIEW tool_registry;
CREATE VIEW served_servers AS
  SELECT server, bool_or(status = 'error') AS is_error, bool_or(status = 'running') AS is_running
  FROM server_states JOIN nodes ON nodes.name = node WHERE nodes.seen_at > now() - interval '8 seconds' GROUP BY server;
CREATE VIEW mcp_servers AS
  SELECT c->>'name' AS name, c->>'container_name' AS container_name, c->>'endpoint' AS endpoint, c->>'transport' AS transport,
    (c->>'capabilities')::json AS capabilities,
    CASE WHEN s.is_error THEN 'error' WHEN s.is_running THEN 'running' ELSE 'stopped' END AS status,
    (SELECT max(last_health_check) FROM server_states WHERE server = c->>'name') AS last_health_check,
    (c->>'metadata')::json AS metadata, (c->>'offer')::json AS offer, s.server IS NOT NULL AS is_served
  FROM (SELECT replace(content, '\\u0000', '\\ufffd')::json AS c FROM shared_rows WHERE part = 'mcp_servers' AND content IS NOT NULL) AS rows
  LEFT JOIN served_servers AS s ON s.server = c->>'name';
CREATE VIEW tool_registry AS
  SELECT c->>'tool_name' AS tool_name, c->>'server_name' AS server_name, c->>'description' AS description,
    (c->>'parameters_schema')::json AS parameters_schema, (c->>'read_only')::int <> 0 AS read_only,
    (c->>'approval_required')::int <> 0 AS approval_required, c->>'original_name' AS original_name, c->>'title' AS title,
    (c->>'output_schema')::json AS output_schema, (c->>'annotations')::json AS annotations, (c->>'tokens')::int AS tokens,
    c->>'definition_sha256' AS definition_sha256, c->>'accepted_sha256' AS accepted_sha256,
    CASE WHEN s.server IS NULL AND EXISTS (SELECT 1 FROM served_servers) THEN 'removed' ELSE c->>'status' END AS status,
    c->>'owner' AS owner
  FROM (SELECT replace(content, '\\u0000', '\\ufffd')::json AS c FROM shared_rows WHERE part = 'tool_registry' AND content IS NOT NULL) AS rows
  LEFT JOIN served_servers AS s ON s.server = c->>'server_name';
`,
    // Definitions in use and acceptances are two tables now; the nodes ship the acceptances.
    `
UPDATE shared_rows SET part = 'definitions_in_use' WHERE part = 'accepted_definitions';
CREATE OR REPLACE VIEW mcp_servers AS
  SELECT c->>'name' AS name, c->>'container_name' AS container_name, c->>'endpoint' AS endpoint, c->>'transport' AS transport,
    (c->>'capabilities')::json AS capabilities,
    CASE WHEN s.is_error THEN 'error' WHEN s.is_running THEN 'running' ELSE 'stopped' END AS status,
    (SELECT max(last_health_check) FROM server_states WHERE server = c->>'name') AS last_health_check,
    (c->>'metadata')::json AS metadata, (c->>'offer')::json AS offer, s.server IS NOT NULL AS is_served,
    c->>'registration' AS registration
  FROM (SELECT replace(content, '\\u0000', '\\ufffd')::json AS c FROM shared_rows WHERE part = 'mcp_servers' AND content IS NOT NULL) AS rows
  LEFT JOIN served_servers AS s ON s.server = c->>'name';
CREATE OR REPLACE VIEW tool_registry AS
  SELECT c->>'tool_name' AS tool_name, c->>'server_name' AS server_name, c->>'description' AS description,
    (c->>'parameters_schema')::json AS parameters_schema, (c->>'read_only')::int <> 0 AS read_only,
    (c->>'approval_required')::int <> 0 AS approval_required, c->>'original_name' AS original_name, c->>'title' AS title,
    (c->>'output_schema')::json AS output_schema, (c->>'annotations')::json AS annotations, (c->>'tokens')::int AS tokens,
    c->>'definition_sha256' AS definition_sha256, c->>'accepted_sha256' AS accepted_sha256,
    CASE WHEN s.server IS NULL AND EXISTS (SELECT 1 FROM served_servers) THEN 'removed' ELSE c->>'status' END AS status,
    c->>'owner' AS owner, c->>'registration' AS registration
  FROM (SELECT replace(content, '\\u0000', '\\ufffd')::json AS c FROM shared_rows WHERE part = 'tool_registry' AND content IS NOT NULL) AS rows
  LEFT JOIN served_servers AS s ON s.server = c->>'server_name';
`,
  ],
};
