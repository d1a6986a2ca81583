import type { DatabaseSync } from 'node:sqlite';
import type { DefinitionFlag } from '../../gateway/catalogue/definition-limits.ts';
import {
  EXTRAS,
  extrasDefinition,
  identityOf,
  type SeenDefinition,
  type ServerIdentity,
  type ServerOffer,
  type ToolStatus,
} from '../../gateway/catalogue/server-offer.ts';
import { inTransaction } from '../in-transaction.ts';
import { STORE_LIMITS } from '../limits.ts';
import { type Migrations, migrate } from '../migrate.ts';
import { PreparedSql } from '../prepared-sql.ts';
import { registeredMigrations } from './registered-servers.ts';
import { registryMigrations } from './registry-schema.ts';
import type { RegistryStore } from './registry-store.ts';
import { type WriteRows, writeAll } from './sliced-rows.ts';

const migrations: Migrations = {
  part: 'definitions',
  steps: [
    'CREATE TABLE accepted_definitions (server TEXT NOT NULL, tool TEXT NOT NULL, sha256 TEXT NOT NULL, definition JSON NOT NULL, PRIMARY KEY (server, tool))',
    `ALTER TABLE accepted_definitions RENAME TO accepted_definitions_of_all;
CREATE TABLE accepted_definitions (
  owner TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, sha256 TEXT NOT NULL, definition JSON NOT NULL,
  PRIMARY KEY (server, tool, owner)
);
INSERT INTO accepted_definitions(owner, server, tool, sha256, definition)
  SELECT '', server, tool, sha256, definition FROM accepted_definitions_of_all;
DROP TABLE accepted_definitions_of_all`,
    // Definitions in use and accepted definitions were one table and cannot be told apart there, so its rows count as both. Rows under a
    // name belong to the server that has the name now.
    `
ALTER TABLE accepted_definitions RENAME TO definitions_in_use;
ALTER TABLE definitions_in_use ADD COLUMN registration TEXT;
CREATE TABLE acceptances (
  server TEXT NOT NULL, registration TEXT NOT NULL, endpoint TEXT NOT NULL, tool TEXT NOT NULL, sha256 TEXT NOT NULL, accepted_at TEXT NOT NULL,
  PRIMARY KEY (server, registration, endpoint, tool, sha256)
);
CREATE TEMP VIEW registrations AS
  SELECT name, COALESCE(json_extract(manifest, '$.registration'), name || ' ' || registered_at) AS id FROM registered_servers;
INSERT OR IGNORE INTO acceptances(server, registration, endpoint, tool, sha256, accepted_at)
  SELECT d.server, COALESCE(r.id, ''), CASE WHEN r.id IS NULL THEN COALESCE(m.endpoint, '') ELSE '' END, d.tool, d.sha256, ''
  FROM definitions_in_use AS d LEFT JOIN registrations AS r ON r.name = d.server LEFT JOIN mcp_servers AS m ON m.name = d.server;
INSERT OR IGNORE INTO definitions_in_use(owner, server, tool, sha256, definition)
  SELECT owner, server_name, original_name, accepted_sha256, 'null' FROM tool_registry WHERE accepted_sha256 <> '';
UPDATE definitions_in_use SET registration = (SELECT id FROM registrations WHERE name = server);
UPDATE tool_registry SET registration = (SELECT id FROM registrations WHERE name = server_name);
UPDATE mcp_servers SET registration = (SELECT id FROM registrations AS r WHERE r.name = mcp_servers.name);
UPDATE mcp_servers SET offer = json_set(offer, '$.registration', registration) WHERE registration IS NOT NULL AND offer IS NOT NULL;
UPDATE private_offers SET offer = json_set(offer, '$.registration', (SELECT id FROM registrations WHERE name = server))
  WHERE server IN (SELECT name FROM registrations);
DROP VIEW registrations`,
  ],
};

/** A definition that a server offers now: a tool, or its extras (everything but tools). */
export interface CurrentDefinition {
  readonly definition: unknown;
  readonly sha256: string;
  readonly status: ToolStatus;
  readonly flags: readonly DefinitionFlag[];
}

/** A definition that differs from the one in use, or that is held until a person accepts it. */
export interface ChangedDefinition {
  readonly server: string;
  /** `EXTRAS` for everything that the server offers except tools. */
  readonly tool: string;
  /** The only user who sees it; undefined: all users. */
  readonly owner?: string;
  /** The definition in use before; undefined if there was none. */
  readonly accepted: { readonly sha256: string; readonly definition: unknown } | undefined;
  readonly current: CurrentDefinition;
}

/**
 * Tracks two facts about each definition. "In use" is written whenever a gateway sees the server; the last write wins, and pins hold any
 * deviation from it. "Accepted" is written only when a person accepts a definition: a set that only grows, so that nodes cannot overwrite
 * each other.
 */
export class AcceptedDefinitions {
  readonly #database: DatabaseSync;
  readonly #sql: PreparedSql;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = new PreparedSql(database);
    // One migration step reads the tables of the other two parts.
    for (const part of [registryMigrations, registeredMigrations, migrations]) migrate(database, part);
  }

  /** Compares an offer with the definitions in use, stores its active ones as in use, and returns the differences. */
  learn(offer: ServerOffer, writeRows: WriteRows = writeAll): ChangedDefinition[] {
    const known = this.inUse(offer);
    const changed = this.#changes(offer, known);
    const fresh = currentOf(offer).filter(
      ([tool, { status, sha256 }]) => status === 'active' && known.get(tool) !== sha256,
    );
    if (fresh.length === 0) return changed;
    inTransaction(this.#database, () => {
      writeRows(fresh, ([tool, current]) => this.#use(offer, tool, current));
    });
    return changed;
  }

  /**
   * Accepts definitions of a server for every user who is offered them. Returns false and accepts nothing if one of them is not offered
   * now.
   */
  acceptForAll(registry: RegistryStore, server: string, seen: readonly SeenDefinition[]): boolean {
    return registry.together(() => {
      const shared = registry.offer(server);
      const own = registry.allPrivateOffers().filter((offer) => offer.server === server);
      const offers = [...(shared ? [shared] : []), ...own];
      const isOffered = ({ tool, sha256 }: SeenDefinition) =>
        offers.some((offer) => currentDefinition(offer, tool, sha256) !== undefined);
      if (!seen.every(isOffered)) return false;
      for (const { tool, sha256 } of seen) {
        for (const offer of offers) this.accept(offer, tool, sha256);
        registry.activate(server, tool, sha256);
      }
      return true;
    });
  }

  /** Accepts a definition if the offer still contains it. */
  accept(offer: ServerOffer, tool: string, sha256: string): void {
    const current = currentDefinition(offer, tool, sha256);
    if (!current) return;
    const { server, registration, endpoint } = identityOf(offer);
    this.#sql.run(
      "INSERT OR IGNORE INTO acceptances(server, registration, endpoint, tool, sha256, accepted_at) VALUES (?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
      ...[server, registration, endpoint, tool, sha256],
    );
    this.#use(offer, tool, current);
  }

  /** Digests of the definitions in use, by tool (and `EXTRAS`). Ignores other registrations of the same name. */
  inUse({
    server,
    owner = '',
    registration,
  }: Pick<ServerOffer, 'server' | 'owner' | 'registration'>): Map<string, string> {
    // Leaves out the definitions: they are large, and every list from a server is compared by digest.
    const sql = 'SELECT tool, sha256 FROM definitions_in_use WHERE server = ? AND owner = ? AND registration IS ?';
    const rows = this.#sql.all<{ tool: string; sha256: string }>(sql, server, owner, registration ?? null);
    return new Map(rows.map(({ tool, sha256 }) => [tool, sha256]));
  }

  /** Loads the definitions that people accepted for this server, and returns a lookup. */
  accepted({ server, registration, endpoint }: ServerIdentity): (tool: string, sha256: string) => boolean {
    const sql = 'SELECT tool, sha256 FROM acceptances WHERE server = ? AND registration = ? AND endpoint = ?';
    const rows = this.#sql.all<{ tool: string; sha256: string }>(sql, server, registration, endpoint);
    const all = new Set(rows.map(({ tool, sha256 }) => `${sha256} ${tool}`));
    return (tool, sha256) => all.has(`${sha256} ${tool}`);
  }

  /** Another server has this name now: forget both facts about its predecessor. */
  forget(server: string): void {
    this.forgetUse(server);
    this.#sql.run('DELETE FROM acceptances WHERE server = ?', server);
  }

  /** Forgets the definitions in use; the accepted ones stay. */
  forgetUse(server: string): void {
    this.#sql.run('DELETE FROM definitions_in_use WHERE server = ?', server);
  }

  #use(
    { server, owner = '', registration }: ServerOffer,
    tool: string,
    { sha256, definition }: CurrentDefinition,
  ): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO definitions_in_use(owner, server, tool, sha256, definition, registration) VALUES (?, ?, ?, ?, ?, ?)',
      ...[owner, server, tool, sha256, JSON.stringify(definition), registration ?? null],
    );
  }

  /** Definitions of an offer that differ from the ones in use, or that are held. */
  changes(offer: ServerOffer): ChangedDefinition[] {
    return this.#changes(offer, this.inUse(offer));
  }

  #changes(offer: ServerOffer, digests: ReadonlyMap<string, string>): ChangedDefinition[] {
    const { server, owner } = offer;
    const isAccepted = this.accepted(identityOf(offer));
    const definitionOf = this.#definitionsOf(offer);
    return currentOf(offer).flatMap(([tool, current]) => {
      const known = digests.get(tool);
      const sha256 = known === current.sha256 ? undefined : known;
      const isHeld = current.status === 'changed' || current.status === 'quarantined';
      // Another node may have stored the offer before it learned that a person accepted it.
      if (isHeld && isAccepted(tool, current.sha256)) return [];
      // Extras may change freely unless they are held; every change of a tool is reported.
      if (!isHeld && (sha256 === undefined || tool === EXTRAS)) return [];
      const accepted = sha256 === undefined ? undefined : parsedLater(sha256, definitionOf(tool));
      return [{ server, tool, ...(owner === undefined ? {} : { owner }), accepted, current }];
    });
  }

  /** Looks up definitions in use: the first ones one by one, then all at once, because a server may change thousands. */
  #definitionsOf({ server, owner = '' }: ServerOffer): (tool: string) => string | undefined {
    const from = 'FROM definitions_in_use WHERE server = ? AND owner = ?';
    let lookups = 0;
    let all: Map<string, string> | undefined;
    const allOf = () => {
      const rows = this.#sql.all<{ tool: string; definition: string }>(
        `SELECT tool, definition ${from}`,
        server,
        owner,
      );
      return new Map(rows.map(({ tool, definition }) => [tool, definition]));
    };
    return (tool) => {
      lookups += 1;
      if (lookups > STORE_LIMITS.rowsAtOnce) all ??= allOf();
      const one = `SELECT definition ${from} AND tool = ?`;
      return all ? all.get(tool) : this.#sql.get<{ definition: string }>(one, server, owner, tool)?.definition;
    };
  }
}

/** A definition in use, parsed when it is read: thousands at once would block the event loop. */
function parsedLater(sha256: string, text: string | undefined): NonNullable<ChangedDefinition['accepted']> {
  return {
    sha256,
    get definition(): unknown {
      return text === undefined ? undefined : JSON.parse(text);
    },
  };
}

/** The definitions of an offer, by the name under which they are accepted. */
function currentOf(offer: ServerOffer): [string, CurrentDefinition][] {
  const tools = offer.tools
    .filter(({ reason }) => reason !== 'name_conflict')
    .map((tool): [string, CurrentDefinition] => [tool.definition.name, tool]);
  if (!offer.extras) return tools;
  return [[EXTRAS, { ...offer.extras, definition: extrasDefinition(offer), flags: [] }], ...tools];
}

function currentDefinition(offer: ServerOffer, tool: string, sha256: string): CurrentDefinition | undefined {
  return currentOf(offer).find(([name, current]) => name === tool && current.sha256 === sha256)?.[1];
}
