import type { DatabaseSync } from 'node:sqlite';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { EXTRAS, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import {
  takesObject,
  wellFormedPrompt,
  wellFormedResource,
  wellFormedTemplate,
  wellFormedTool,
} from '../../gateway/catalogue/well-formed.ts';
import { inTransaction } from '../in-transaction.ts';
import { STORE_LIMITS } from '../limits.ts';
import { migrate } from '../migrate.ts';
import { PreparedSql } from '../prepared-sql.ts';
import { registryMigrations } from './registry-schema.ts';
import { type WriteRows, writeAll } from './sliced-rows.ts';

/** A row of `mcp_servers`, without the offer. */
export interface ServerRow {
  readonly name: string;
  readonly endpoint: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly status: 'running' | 'stopped' | 'error';
  readonly lastHealthCheck?: string | undefined;
  /** Whether calls can reach it: it is enabled and trusted. */
  readonly isServed: boolean;
  /** Metadata from its registration, merged with what the server reports once connected. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A tool as policy sees it, with the names that its server uses. */
export interface JudgedTool {
  readonly server: string;
  readonly tool: string;
  /** Whether its server declares it read-only. */
  readonly readOnly: boolean;
}

export interface ToolApproval extends JudgedTool {
  /** Whether policy requires approval before a call. */
  readonly approvalRequired: boolean;
}

/** A tool with what its row needs. */
export type SavedTool = ToolEntry & { readonly tokens: number | undefined; readonly approvalRequired: boolean };

/** State that changes within a session, and whether it was ended. */
export interface SessionRow {
  readonly ended: boolean;
  readonly state: Readonly<Record<string, unknown>>;
  /** Owner of the session; absent if only the end of the session is known. */
  readonly caller?: string;
}

/** The registry on SQLite: the last known offers of servers, and the stored state of sessions. */
export class RegistryStore {
  readonly #database: DatabaseSync;
  readonly #sql: PreparedSql;
  /** Session rows by caller: an upper bound. */
  readonly #sessionRows = new Map<string, number>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = new PreparedSql(database);
    migrate(database, registryMigrations);
  }

  /** Runs work in one transaction of the registry's database. */
  together<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  /** All stored offers, by server. */
  offers(): Map<string, ServerOffer> {
    return this.#offers('SELECT name, offer FROM mcp_servers WHERE offer IS NOT NULL');
  }

  /** Stored offers of servers that a gateway serves, or served last. */
  servedOffers(): Map<string, ServerOffer> {
    return this.#offers('SELECT name, offer FROM mcp_servers WHERE offer IS NOT NULL AND is_served = 1');
  }

  #offers(sql: string): Map<string, ServerOffer> {
    const rows = this.#sql.all<{ name: string; offer: string }>(sql);
    return new Map(rows.map(({ name, offer }) => [name, storedOffer(offer)]));
  }

  /** Private offers of one user, by server. */
  privateOffers(owner: string): Map<string, ServerOffer> {
    const rows = this.#database.prepare('SELECT server, offer FROM private_offers WHERE owner = ?').all(owner) as {
      server: string;
      offer: string;
    }[];
    return new Map(rows.map(({ server, offer }) => [server, storedOffer(offer)]));
  }

  /** Private offers of all users. */
  allPrivateOffers(): ServerOffer[] {
    const rows = this.#sql.all<{ offer: string }>('SELECT offer FROM private_offers ORDER BY owner, server');
    return rows.map(({ offer }) => storedOffer(offer));
  }

  /** Forgets a server's private offer to one user; acceptances stay. */
  forgetPrivate(owner: string, server: string): void {
    inTransaction(this.#database, () => {
      this.#sql.run('DELETE FROM private_offers WHERE owner = ? AND server = ?', owner, server);
      this.#sql.run("UPDATE tool_registry SET status = 'removed' WHERE server_name = ? AND owner = ?", server, owner);
    });
  }

  /** The last known offer of a server. */
  offer(server: string): ServerOffer | undefined {
    const sql = 'SELECT offer FROM mcp_servers WHERE name = ?';
    const row = this.#sql.get<{ offer: string | null }>(sql, server);
    return typeof row?.offer === 'string' ? storedOffer(row.offer) : undefined;
  }

  /** Where the server of the last known offer was. */
  endpointOf(server: string): string | undefined {
    const sql = "SELECT json_extract(offer, '$.endpoint') AS endpoint FROM mcp_servers WHERE name = ?";
    return this.#sql.get<{ endpoint: string | null }>(sql, server)?.endpoint ?? undefined;
  }

  /** How the server was last reached. */
  transportOf(server: string): ServerRow['transport'] {
    const sql = 'SELECT transport FROM mcp_servers WHERE name = ?';
    return this.#sql.get<Pick<ServerRow, 'transport'>>(sql, server)?.transport ?? 'stdio';
  }

  /** Forgets every offer under this server name. */
  forget(server: string): void {
    inTransaction(this.#database, () => {
      this.#sql.run('DELETE FROM tool_registry WHERE server_name = ?', server);
      this.#sql.run('DELETE FROM private_offers WHERE server = ?', server);
      this.#sql.run('DELETE FROM mcp_servers WHERE name = ?', server);
    });
  }

  /** Stores a server's current offer. Tools that are gone stay as `removed`, with their accepted digest. */
  saveOffer(
    row: Pick<ServerRow, 'name' | 'endpoint' | 'transport'>,
    offer: ServerOffer,
    tools: readonly SavedTool[],
  ): void {
    inTransaction(this.#database, () => {
      this.saveList(row, offer);
      this.saveTools(row.name, offer, tools);
    });
  }

  /** Stores the offer itself, from which lists are built. */
  saveList(row: Pick<ServerRow, 'name' | 'endpoint' | 'transport'>, offer: ServerOffer): void {
    if (offer.owner === undefined) this.#saveServer(row, offer);
    else this.#savePrivate(row, offer, offer.owner);
  }

  /** Stores the rows of its tools. */
  saveTools(
    server: string,
    { owner, registration }: ServerOffer,
    tools: readonly SavedTool[],
    writeRows: WriteRows = writeAll,
  ): void {
    inTransaction(this.#database, () => {
      this.#sql.run(
        "UPDATE tool_registry SET status = 'removed' WHERE server_name = ? AND owner = ? AND status <> 'removed' AND tool_name NOT IN (SELECT value FROM json_each(?))",
        ...[server, owner ?? '', JSON.stringify(tools.map(({ name }) => name))],
      );
      writeRows(tools, ({ name, tool, offered, tokens, approvalRequired }) => {
        const { title, description, inputSchema, outputSchema, annotations } = offered.definition;
        this.#sql.run(
          UPSERT_TOOL,
          name,
          server,
          description ?? null,
          JSON.stringify(inputSchema ?? null),
          annotations?.readOnlyHint === true ? 1 : 0,
          approvalRequired ? 1 : 0,
          tool,
          title ?? null,
          outputSchema === undefined ? null : JSON.stringify(outputSchema),
          annotations === undefined ? null : JSON.stringify(annotations),
          tokens ?? null,
          offered.sha256,
          offered.status === 'quarantined' ? '' : offered.sha256,
          offered.status,
          owner ?? '',
          registration ?? null,
        );
      });
    });
  }

  /** Stores token counts of tools, once they are known. */
  saveTokens(tools: readonly { readonly name: string; readonly owner: string; readonly tokens: number }[]): void {
    inTransaction(this.#database, () => {
      const sql = 'UPDATE tool_registry SET tokens = ? WHERE tool_name = ? AND owner = ?';
      for (const { name, owner, tokens } of tools) this.#sql.run(sql, tokens, name, owner);
    });
  }

  /** Stores the current state of servers. A server that is served again gets its tools back. */
  noteServers(rows: readonly ServerRow[], { keepsAddress = false } = {}): void {
    inTransaction(this.#database, () => {
      for (const { name, endpoint, transport, status, lastHealthCheck, isServed, metadata } of rows) {
        const before = this.#sql.get<{ is_served: number }>('SELECT is_served FROM mcp_servers WHERE name = ?', name);
        this.#sql.run(ADD_SERVER, name, name, endpoint, transport, status);
        // If the address is unchanged, the negotiated transport stays.
        const move = 'UPDATE mcp_servers SET endpoint = ?2, transport = ?3 WHERE name = ?1 AND endpoint <> ?2';
        if (!keepsAddress) this.#sql.run(move, name, endpoint, transport);
        if (metadata) this.#sql.run(NOTE_METADATA, JSON.stringify(metadata), name);
        this.#sql.run(NOTE_STATUS, status, lastHealthCheck ?? null, isServed ? 1 : 0, name);
        if (before?.is_served === 0 && isServed) this.#bringToolsBack(name);
      }
    });
  }

  /** Marks all other servers as stopped and their tools as removed. */
  noteNoOthers(names: readonly string[]): void {
    inTransaction(this.#database, () => {
      const others = 'name NOT IN (SELECT value FROM json_each(?))';
      this.#sql.run(
        `UPDATE mcp_servers SET status = 'stopped', is_served = 0 WHERE (status <> 'stopped' OR is_served <> 0) AND ${others}`,
        JSON.stringify(names),
      );
      this.#sql.run(
        "UPDATE tool_registry SET status = 'removed' WHERE status <> 'removed' AND server_name IN (SELECT name FROM mcp_servers WHERE is_served = 0)",
      );
    });
  }

  noteAllStopped(): void {
    this.#sql.run("UPDATE mcp_servers SET status = 'stopped' WHERE status <> 'stopped'");
  }

  /** Offered tools as policy sees them, and whether they are marked as requiring approval. */
  judgedTools(): ToolApproval[] {
    const rows = this.#sql.all<{ server: string; tool: string; asks: number; reads: number }>(
      "SELECT server_name AS server, original_name AS tool, approval_required AS asks, MIN(read_only) AS reads FROM tool_registry WHERE status <> 'removed' GROUP BY 1, 2, 3",
    );
    return rows.map(({ server, tool, asks, reads }) => ({
      server,
      tool,
      readOnly: reads === 1,
      approvalRequired: asks === 1,
    }));
  }

  /** Marks whether tools require approval. */
  setApproval(tools: readonly ToolApproval[]): void {
    inTransaction(this.#database, () => {
      const sql =
        'UPDATE tool_registry SET approval_required = ?3 WHERE server_name = ?1 AND original_name = ?2 AND approval_required <> ?3';
      for (const { server, tool, approvalRequired } of tools)
        this.#sql.run(sql, server, tool, approvalRequired ? 1 : 0);
    });
  }

  #bringToolsBack(server: string): void {
    const shared = this.#sql.get<{ offer: string | null }>('SELECT offer FROM mcp_servers WHERE name = ?', server);
    const own = this.#sql.all<{ offer: string }>('SELECT offer FROM private_offers WHERE server = ?', server);
    const sql =
      'UPDATE tool_registry SET status = ? WHERE server_name = ? AND original_name = ? AND owner = ? AND definition_sha256 = ?';
    for (const { offer } of [...(shared ? [shared] : []), ...own]) {
      const { owner = '', tools } = offer === null ? { tools: [] } : (JSON.parse(offer) as ServerOffer);
      for (const { status, definition, sha256 } of tools)
        this.#sql.run(sql, status, server, definition.name, owner, sha256);
    }
  }

  /** Activates a definition (a tool's, or `EXTRAS`) in every offer that contains exactly this digest. */
  activate(server: string, tool: string, sha256: string): void {
    inTransaction(this.#database, () => {
      this.#sql.run(
        "UPDATE tool_registry SET accepted_sha256 = definition_sha256, status = 'active' WHERE server_name = ? AND original_name = ? AND definition_sha256 = ? AND status <> 'removed'",
        ...[server, tool, sha256],
      );
      // After a restart, lists are built from the stored offer.
      const shared = this.offer(server);
      const sql = 'UPDATE mcp_servers SET offer = ? WHERE name = ?';
      if (shared) this.#sql.run(sql, JSON.stringify(activated(shared, tool, sha256)), server);
      for (const offer of this.allPrivateOffers().filter((one) => one.server === server)) {
        const own = 'UPDATE private_offers SET offer = ? WHERE server = ? AND owner = ?';
        this.#sql.run(own, JSON.stringify(activated(offer, tool, sha256)), server, offer.owner ?? '');
      }
    });
  }

  session(session: string): Omit<SessionRow, 'caller'> | undefined {
    const row = this.#database.prepare('SELECT ended, state FROM session_state WHERE session = ?').get(session) as
      | { ended: number; state: string }
      | undefined;
    return row && { ended: row.ended === 1, state: JSON.parse(row.state) };
  }

  /** Bounds the rows per caller: evicts those that expire first, and records the eviction. */
  saveSession(session: string, expiresAt: number, { ended, state, caller = '' }: SessionRow): void {
    inTransaction(this.#database, () => {
      this.#sql.run(
        'INSERT INTO session_state(session, expires_at, ended, state, caller) VALUES (?, ?, ?, ?, ?) ON CONFLICT(session) DO UPDATE SET ended = MAX(ended, excluded.ended), state = excluded.state',
        ...[session, expiresAt, ended ? 1 : 0, JSON.stringify(state), caller],
      );
      this.#boundSessionRows(caller);
    });
  }

  /** Counts rows only occasionally, because a count reads all of them. */
  #boundSessionRows(caller: string): void {
    const { sessionRowsPerCallerMax: most, sessionRowsKeptAtEviction: kept } = STORE_LIMITS;
    const known = this.#sessionRows.get(caller);
    const rows = known === undefined || known >= most ? this.#countSessionRows(caller) : known + 1;
    this.#sessionRows.set(caller, rows);
    if (rows <= most) return;
    this.#sql.run(
      `INSERT INTO evicted_sessions(caller, through) SELECT ?1, expires_at FROM session_state WHERE caller = ?1 ORDER BY expires_at DESC LIMIT 1 OFFSET ${kept}
       ON CONFLICT(caller) DO UPDATE SET through = MAX(through, excluded.through)`,
      caller,
    );
    this.#sql.run(
      `DELETE FROM session_state WHERE rowid IN (SELECT rowid FROM session_state WHERE caller = ? ORDER BY expires_at DESC LIMIT -1 OFFSET ${kept})`,
      caller,
    );
    this.#sessionRows.set(caller, kept);
  }

  #countSessionRows(caller: string): number {
    return Number(this.#database.prepare('SELECT COUNT(*) AS n FROM session_state WHERE caller = ?').get(caller)?.n);
  }

  /** Sessions of a caller that expire by this time may have lost their row; 0: none. */
  evictedThrough(caller: string): number {
    const row = this.#database.prepare('SELECT through FROM evicted_sessions WHERE caller = ?').get(caller);
    return Number(row?.through ?? 0);
  }

  /** Deletes expired sessions. */
  reclaimSessions(now: number): number {
    this.#sql.run('DELETE FROM evicted_sessions WHERE through <= ?', now);
    this.#sessionRows.clear();
    return Number(this.#database.prepare('DELETE FROM session_state WHERE expires_at <= ?').run(now).changes);
  }

  #saveServer(row: Pick<ServerRow, 'name' | 'endpoint' | 'transport'>, offer: ServerOffer): void {
    this.#sql.run(
      UPSERT_SERVER,
      row.name,
      row.name,
      row.endpoint,
      row.transport,
      JSON.stringify(offer.tools.map(({ definition }) => definition.name)),
      JSON.stringify({ server_info: offer.serverInfo, protocol_version: offer.protocolVersion }),
      JSON.stringify(offer),
      offer.registration ?? null,
    );
  }

  /** Stores no offer on the server itself: the offer depends on the user. */
  #savePrivate(
    { name, endpoint, transport }: Pick<ServerRow, 'name' | 'endpoint' | 'transport'>,
    offer: ServerOffer,
    owner: string,
  ): void {
    this.#database
      .prepare(
        `INSERT INTO mcp_servers(name, container_name, endpoint, transport, capabilities, status, registration) VALUES (?, ?, ?, ?, '[]', 'running', ?)
         ON CONFLICT(name) DO UPDATE SET endpoint = excluded.endpoint, transport = excluded.transport, capabilities = '[]', offer = NULL, registration = excluded.registration`,
      )
      .run(name, name, endpoint, transport, offer.registration ?? null);
    this.#database
      .prepare(
        'INSERT INTO private_offers(owner, server, offer) VALUES (?, ?, ?) ON CONFLICT(owner, server) DO UPDATE SET offer = excluded.offer',
      )
      .run(owner, name, JSON.stringify(offer));
  }
}

function activated(offer: ServerOffer, tool: string, sha256: string): ServerOffer {
  if (tool === EXTRAS)
    return offer.extras?.sha256 === sha256 ? { ...offer, extras: { sha256, status: 'active' } } : offer;
  const tools = offer.tools.map(({ reason, ...item }) =>
    item.definition.name === tool && item.sha256 === sha256 && reason !== 'name_conflict'
      ? { ...item, status: 'active' as const }
      : { ...item, ...(reason === undefined ? {} : { reason }) },
  );
  return { ...offer, tools };
}

const UPSERT_SERVER = `
INSERT INTO mcp_servers(name, container_name, endpoint, transport, capabilities, status, metadata, offer, registration)
VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?)
ON CONFLICT(name) DO UPDATE SET endpoint = excluded.endpoint, transport = excluded.transport, capabilities = excluded.capabilities,
  metadata = json_patch(COALESCE(metadata, '{}'), excluded.metadata), offer = excluded.offer,
  registration = excluded.registration`;

const ADD_SERVER =
  "INSERT OR IGNORE INTO mcp_servers(name, container_name, endpoint, transport, capabilities, status) VALUES (?, ?, ?, ?, '[]', ?)";

const NOTE_METADATA = `
UPDATE mcp_servers SET metadata = json_patch(COALESCE(metadata, '{}'), ?1)
WHERE name = ?2 AND metadata IS NOT json_patch(COALESCE(metadata, '{}'), ?1)`;

const NOTE_STATUS = `
UPDATE mcp_servers SET status = ?1, last_health_check = COALESCE(?2, last_health_check), is_served = ?3
WHERE name = ?4 AND (status <> ?1 OR is_served <> ?3 OR (?2 IS NOT NULL AND last_health_check IS NOT ?2))`;

const UPSERT_TOOL = `
INSERT INTO tool_registry(tool_name, server_name, description, parameters_schema, read_only, approval_required, original_name, title, output_schema, annotations, tokens, definition_sha256, accepted_sha256, status, owner, registration)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT(tool_name, owner) DO UPDATE SET
  server_name = excluded.server_name, description = excluded.description, parameters_schema = excluded.parameters_schema, read_only = excluded.read_only, approval_required = excluded.approval_required,
  original_name = excluded.original_name, title = excluded.title, output_schema = excluded.output_schema, annotations = excluded.annotations,
  tokens = COALESCE(excluded.tokens, CASE WHEN definition_sha256 = excluded.definition_sha256 THEN tokens END),
  definition_sha256 = excluded.definition_sha256, status = excluded.status, registration = excluded.registration,
  accepted_sha256 = CASE WHEN excluded.status IN ('changed', 'quarantined') THEN accepted_sha256 ELSE excluded.definition_sha256 END`;

/** Another version of the program may have stored definitions that clients reject. */
function storedOffer(json: string): ServerOffer {
  const offer = JSON.parse(json) as ServerOffer;
  return {
    ...offer,
    tools: offer.tools
      .filter(({ definition }) => takesObject(definition))
      .map((tool) => ({ ...tool, definition: wellFormedTool(tool.definition) })),
    resources: offer.resources.map(wellFormedResource),
    resourceTemplates: offer.resourceTemplates.map(wellFormedTemplate),
    prompts: offer.prompts.map(wellFormedPrompt),
  };
}
