import type { DatabaseSync } from 'node:sqlite';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { inTransaction } from '../in-transaction.ts';
import { migrate } from '../migrate.ts';
import { PreparedSql } from '../prepared-sql.ts';
import { registryMigrations } from './registry-schema.ts';

/** A row of `mcp_servers` that is written when a server is seen. */
export interface ServerRow {
  readonly name: string;
  readonly endpoint: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly status: 'running' | 'stopped' | 'error';
  readonly lastHealthCheck?: string;
}

/** What changes within a session, and whether it was ended. */
export interface SessionRow {
  readonly ended: boolean;
  readonly state: Readonly<Record<string, unknown>>;
}

/** The registry on SQLite: what servers offered when they were last seen, and the little that sessions keep. */
export class RegistryStore {
  readonly #database: DatabaseSync;
  readonly #sql: PreparedSql;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = new PreparedSql(database);
    migrate(database, registryMigrations);
  }

  /** Does work as one transaction of the database that the registry is in. */
  together<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  /** Every remembered offer, by server. */
  offers(): Map<string, ServerOffer> {
    const rows = this.#database.prepare('SELECT name, offer FROM mcp_servers WHERE offer IS NOT NULL').all() as {
      name: string;
      offer: string;
    }[];
    return new Map(rows.map(({ name, offer }) => [name, JSON.parse(offer) as ServerOffer]));
  }

  /** What one user alone was offered, by server. */
  privateOffers(owner: string): Map<string, ServerOffer> {
    const rows = this.#database.prepare('SELECT server, offer FROM private_offers WHERE owner = ?').all(owner) as {
      server: string;
      offer: string;
    }[];
    return new Map(rows.map(({ server, offer }) => [server, JSON.parse(offer) as ServerOffer]));
  }

  /** What all users alone were offered. */
  allPrivateOffers(): ServerOffer[] {
    const rows = this.#sql.all<{ offer: string }>('SELECT offer FROM private_offers ORDER BY owner, server');
    return rows.map(({ offer }) => JSON.parse(offer) as ServerOffer);
  }

  /** Forgets what one user alone was offered by a server; what was accepted of it stays. */
  forgetPrivate(owner: string, server: string): void {
    inTransaction(this.#database, () => {
      this.#sql.run('DELETE FROM private_offers WHERE owner = ? AND server = ?', owner, server);
      this.#sql.run("UPDATE tool_registry SET status = 'removed' WHERE server_name = ? AND owner = ?", server, owner);
    });
  }

  /** The accepted digest of each tool of a server, removed ones included. */
  acceptedDigests(server: string, owner = ''): Map<string, string> {
    const rows = this.#sql.all<{ tool: string; sha256: string }>(
      'SELECT original_name AS tool, accepted_sha256 AS sha256 FROM tool_registry WHERE server_name = ? AND owner = ?',
      server,
      owner,
    );
    return new Map(rows.map(({ tool, sha256 }) => [tool, sha256]));
  }

  /** Remembers what a server offers now; tools that are gone stay as `removed`, with what was accepted of them. */
  saveOffer(
    row: ServerRow,
    offer: ServerOffer,
    tools: readonly (ToolEntry & { readonly tokens: number | undefined })[],
  ): void {
    inTransaction(this.#database, () => {
      const { owner } = offer;
      if (owner === undefined) this.#saveServer(row, offer);
      else this.#savePrivate(row, offer, owner);
      this.#sql.run(
        "UPDATE tool_registry SET status = 'removed' WHERE server_name = ? AND owner = ?",
        row.name,
        owner ?? '',
      );
      for (const { name, server, tool, offered, tokens } of tools) {
        const { title, description, inputSchema, outputSchema, annotations } = offered.definition;
        this.#sql.run(
          UPSERT_TOOL,
          name,
          server,
          description ?? null,
          JSON.stringify(inputSchema ?? null),
          annotations?.readOnlyHint === true ? 1 : 0,
          tool,
          title ?? null,
          outputSchema === undefined ? null : JSON.stringify(outputSchema),
          annotations === undefined ? null : JSON.stringify(annotations),
          tokens ?? null,
          offered.sha256,
          offered.sha256,
          offered.status,
          owner ?? '',
        );
      }
    });
  }

  /** Writes down what tools cost, once it has been counted. */
  saveTokens(tools: readonly { readonly name: string; readonly owner: string; readonly tokens: number }[]): void {
    inTransaction(this.#database, () => {
      const sql = 'UPDATE tool_registry SET tokens = ? WHERE tool_name = ? AND owner = ?';
      for (const { name, owner, tokens } of tools) this.#sql.run(sql, tokens, name, owner);
    });
  }

  setStatus(name: string, status: ServerRow['status'], lastHealthCheck: string | undefined): void {
    const sql = 'UPDATE mcp_servers SET status = ?, last_health_check = COALESCE(?, last_health_check) WHERE name = ?';
    this.#sql.run(sql, status, lastHealthCheck ?? null, name);
  }

  /** Accepts a changed definition if it is still the one that was seen. */
  acceptDefinition(server: string, tool: string, sha256: string): boolean {
    const { changes } = this.#database
      .prepare(
        "UPDATE tool_registry SET accepted_sha256 = definition_sha256, status = 'active' WHERE server_name = ? AND original_name = ? AND definition_sha256 = ?",
      )
      .run(server, tool, sha256);
    if (changes > 0) this.#activate(server, tool, sha256);
    return changes > 0;
  }

  /** The remembered offer is what lists are made of after a restart. */
  #activate(server: string, tool: string, sha256: string): void {
    const offer = this.offers().get(server);
    if (offer)
      this.#database
        .prepare('UPDATE mcp_servers SET offer = ? WHERE name = ?')
        .run(JSON.stringify(activated(offer, tool)), server);
    const own = this.#database.prepare('SELECT owner, offer FROM private_offers WHERE server = ?').all(server);
    const save = this.#database.prepare('UPDATE private_offers SET offer = ? WHERE server = ? AND owner = ?');
    for (const row of own as { owner: string; offer: string }[]) {
      const theirs = JSON.parse(row.offer) as ServerOffer;
      const isIt = theirs.tools.some((item) => item.definition.name === tool && item.sha256 === sha256);
      if (isIt) save.run(JSON.stringify(activated(theirs, tool)), server, row.owner);
    }
  }

  session(session: string): SessionRow | undefined {
    const row = this.#database.prepare('SELECT ended, state FROM session_state WHERE session = ?').get(session) as
      | { ended: number; state: string }
      | undefined;
    return row && { ended: row.ended === 1, state: JSON.parse(row.state) };
  }

  saveSession(session: string, expiresAt: number, row: SessionRow): void {
    this.#database
      .prepare(
        'INSERT INTO session_state(session, expires_at, ended, state) VALUES (?, ?, ?, ?) ON CONFLICT(session) DO UPDATE SET ended = MAX(ended, excluded.ended), state = excluded.state',
      )
      .run(session, expiresAt, row.ended ? 1 : 0, JSON.stringify(row.state));
  }

  /** Forgets sessions whose ids have expired. */
  reclaimSessions(now: number): number {
    return Number(this.#database.prepare('DELETE FROM session_state WHERE expires_at <= ?').run(now).changes);
  }

  #saveServer(row: ServerRow, offer: ServerOffer): void {
    this.#sql.run(
      UPSERT_SERVER,
      row.name,
      row.name,
      row.endpoint,
      row.transport,
      JSON.stringify(offer.tools.map(({ definition }) => definition.name)),
      row.status,
      row.lastHealthCheck ?? null,
      JSON.stringify({ server_info: offer.serverInfo, protocol_version: offer.protocolVersion }),
      JSON.stringify(offer),
    );
  }

  /** Of the server itself nothing is remembered but that it is there: what it offers depends on who asks. */
  #savePrivate({ name, endpoint, transport, status }: ServerRow, offer: ServerOffer, owner: string): void {
    this.#database
      .prepare(
        `INSERT INTO mcp_servers(name, container_name, endpoint, transport, capabilities, status) VALUES (?, ?, ?, ?, '[]', ?)
         ON CONFLICT(name) DO UPDATE SET endpoint = excluded.endpoint, transport = excluded.transport, capabilities = '[]', status = excluded.status, offer = NULL`,
      )
      .run(name, name, endpoint, transport, status);
    this.#database
      .prepare(
        'INSERT INTO private_offers(owner, server, offer) VALUES (?, ?, ?) ON CONFLICT(owner, server) DO UPDATE SET offer = excluded.offer',
      )
      .run(owner, name, JSON.stringify(offer));
  }
}

function activated(offer: ServerOffer, tool: string): ServerOffer {
  const tools = offer.tools.map((item) =>
    item.definition.name === tool ? { ...item, status: 'active' as const } : item,
  );
  return { ...offer, tools };
}

const UPSERT_SERVER = `
INSERT INTO mcp_servers(name, container_name, endpoint, transport, capabilities, status, last_health_check, metadata, offer)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT(name) DO UPDATE SET endpoint = excluded.endpoint, transport = excluded.transport, capabilities = excluded.capabilities,
  status = excluded.status, last_health_check = COALESCE(excluded.last_health_check, last_health_check), metadata = excluded.metadata, offer = excluded.offer`;

const UPSERT_TOOL = `
INSERT INTO tool_registry(tool_name, server_name, description, parameters_schema, read_only, original_name, title, output_schema, annotations, tokens, definition_sha256, accepted_sha256, status, owner)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT(tool_name, owner) DO UPDATE SET
  server_name = excluded.server_name, description = excluded.description, parameters_schema = excluded.parameters_schema, read_only = excluded.read_only,
  original_name = excluded.original_name, title = excluded.title, output_schema = excluded.output_schema, annotations = excluded.annotations,
  tokens = COALESCE(excluded.tokens, CASE WHEN definition_sha256 = excluded.definition_sha256 THEN tokens END),
  definition_sha256 = excluded.definition_sha256, status = excluded.status,
  accepted_sha256 = CASE WHEN excluded.status = 'changed' THEN accepted_sha256 ELSE excluded.definition_sha256 END`;
