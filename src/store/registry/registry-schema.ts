import type { Migrations } from '../migrate.ts';

/** The tables of the registry. Other programs query `mcp_servers` and `tool_registry`: keep their names and columns. */
export const registryMigrations: Migrations = {
  part: 'registry',
  steps: [
    `
CREATE TABLE mcp_servers (
  name TEXT PRIMARY KEY,
  container_name TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  transport TEXT NOT NULL CHECK (transport IN ('stdio', 'http', 'sse')),
  capabilities JSON NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'error')),
  last_health_check TIMESTAMP,
  metadata JSON,
  offer JSON
);
CREATE TABLE tool_registry (
  tool_name TEXT PRIMARY KEY,
  server_name TEXT NOT NULL,
  description TEXT,
  parameters_schema JSON,
  read_only BOOLEAN DEFAULT FALSE,
  approval_required BOOLEAN DEFAULT FALSE,
  original_name TEXT NOT NULL,
  title TEXT,
  output_schema JSON,
  annotations JSON,
  tokens INTEGER,
  definition_sha256 TEXT NOT NULL,
  accepted_sha256 TEXT NOT NULL,
  status TEXT NOT NULL,
  FOREIGN KEY (server_name) REFERENCES mcp_servers(name)
);
CREATE INDEX idx_tool_server ON tool_registry(server_name);
CREATE INDEX idx_server_status ON mcp_servers(status);
CREATE TABLE session_state (session TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0, state JSON NOT NULL);
CREATE INDEX idx_session_expiry ON session_state(expires_at);
`,
    // Tools that only one user sees have an owner; for shared tools it is empty.
    `
ALTER TABLE tool_registry RENAME TO tool_registry_before;
CREATE TABLE tool_registry (
  tool_name TEXT NOT NULL,
  server_name TEXT NOT NULL,
  description TEXT,
  parameters_schema JSON,
  read_only BOOLEAN DEFAULT FALSE,
  approval_required BOOLEAN DEFAULT FALSE,
  original_name TEXT NOT NULL,
  title TEXT,
  output_schema JSON,
  annotations JSON,
  tokens INTEGER,
  definition_sha256 TEXT NOT NULL,
  accepted_sha256 TEXT NOT NULL,
  status TEXT NOT NULL,
  owner TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (tool_name, owner),
  FOREIGN KEY (server_name) REFERENCES mcp_servers(name)
);
INSERT INTO tool_registry SELECT tool_name, server_name, description, parameters_schema, read_only, approval_required, original_name, title,
  output_schema, annotations, tokens, definition_sha256, accepted_sha256, status, '' FROM tool_registry_before;
DROP TABLE tool_registry_before;
CREATE INDEX idx_tool_server ON tool_registry(server_name);
CREATE TABLE private_offers (owner TEXT NOT NULL, server TEXT NOT NULL, offer JSON NOT NULL, PRIMARY KEY (owner, server));
`,
    // Whether a gateway serves it: configured or registered, enabled, and trusted.
    'ALTER TABLE mcp_servers ADD COLUMN is_served INTEGER NOT NULL DEFAULT 1',
    // The caller bounds the rows per caller; `evicted_sessions` records up to which expiry a caller's rows were evicted.
    `
ALTER TABLE session_state ADD COLUMN caller TEXT NOT NULL DEFAULT '';
CREATE INDEX idx_session_caller ON session_state(caller, expires_at);
CREATE TABLE evicted_sessions (caller TEXT PRIMARY KEY, through INTEGER NOT NULL);
`,
    // The registration that offered it; null for a configured server.
    'ALTER TABLE mcp_servers ADD COLUMN registration TEXT; ALTER TABLE tool_registry ADD COLUMN registration TEXT',
  ],
};
