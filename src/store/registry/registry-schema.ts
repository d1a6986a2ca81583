import type { Migrations } from '../migrate.ts';

/** The tables of the registry. `mcp_servers` and `tool_registry` have the names and columns that others query. */
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
  ],
};
