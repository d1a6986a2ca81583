import type { Migrations } from '../../migrate.ts';

/**
 * What nodes know together. `shared_rows` holds rows of the registry as JSON, each with the number of its last change; numbers
 * are given under the lock of `shared_head`, so that whoever has seen one has seen all before it. A row that is gone stays
 * without content, for the nodes that have not heard of it. The views have the names and columns that others query.
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
    // Keys are digests: names of callers and tools may hold what a text column cannot.
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
    // Where each chain ended when it was last shipped: records that are deleted from the table above stay noted here.
    'CREATE TABLE audit_heads (chain TEXT COLLATE "C" PRIMARY KEY, seq BIGINT NOT NULL, hash TEXT NOT NULL)',
  ],
};
