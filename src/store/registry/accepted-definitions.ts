import type { DatabaseSync } from 'node:sqlite';
import type { DefinitionFlag } from '../../gateway/catalogue/definition-limits.ts';
import { EXTRAS, extrasDefinition, type ServerOffer, type ToolStatus } from '../../gateway/catalogue/server-offer.ts';
import { inTransaction } from '../in-transaction.ts';
import { type Migrations, migrate } from '../migrate.ts';
import { PreparedSql } from '../prepared-sql.ts';

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
  ],
};

/** A definition as a server has it now: of a tool, or of what it offers beside tools. */
export interface CurrentDefinition {
  readonly definition: unknown;
  readonly sha256: string;
  readonly status: ToolStatus;
  readonly flags: readonly DefinitionFlag[];
}

/** A definition that is not the one that was accepted, or that nobody has accepted and that is held for that. */
export interface ChangedDefinition {
  readonly server: string;
  /** `EXTRAS` for what the server offers beside tools. */
  readonly tool: string;
  /** Who alone sees it; undefined: everybody. */
  readonly owner?: string;
  /** Undefined: nobody has accepted any. */
  readonly accepted: { readonly sha256: string; readonly definition: unknown } | undefined;
  readonly current: CurrentDefinition;
}

/**
 * The definitions that were accepted, so that a change can be shown and not only told. Without quarantine the first sight of one
 * counts as acceptance; with it, only a person's word.
 */
export class AcceptedDefinitions {
  readonly #database: DatabaseSync;
  readonly #sql: PreparedSql;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = new PreparedSql(database);
    migrate(database, migrations);
  }

  /** Compares an offer with what was accepted; what is in use becomes what is accepted. Gives what differs. */
  learn(offer: ServerOffer): ChangedDefinition[] {
    const accepted = this.digests(offer.server, offer.owner);
    const changed = this.#changes(offer, accepted);
    const fresh = currentOf(offer).filter(
      ([tool, { status, sha256 }]) => status === 'active' && accepted.get(tool) !== sha256,
    );
    if (fresh.length === 0) return changed;
    inTransaction(this.#database, () => {
      for (const [tool, current] of fresh) this.#accept(offer, tool, current);
    });
    return changed;
  }

  /** Accepts a definition of an offer, where it is still the one that was seen. */
  accept(offer: ServerOffer, tool: string, sha256: string): void {
    const current = currentDefinition(offer, tool, sha256);
    if (current) this.#accept(offer, tool, current);
  }

  /** Whether an offer has this very definition. */
  isCurrent(offer: ServerOffer, tool: string, sha256: string): boolean {
    return currentDefinition(offer, tool, sha256) !== undefined;
  }

  /** The accepted digest of each tool of a server, and of its extras. */
  digests(server: string, owner = ''): Map<string, string> {
    // Without the definitions: they are large, and every list that a server sends is compared with the digests.
    const sql = 'SELECT tool, sha256 FROM accepted_definitions WHERE server = ? AND owner = ?';
    const rows = this.#sql.all<{ tool: string; sha256: string }>(sql, server, owner);
    return new Map(rows.map(({ tool, sha256 }) => [tool, sha256]));
  }

  /** Whether this very definition was accepted for anybody. */
  isAcceptedForAnybody(server: string, tool: string, sha256: string): boolean {
    const sql = 'SELECT 1 FROM accepted_definitions WHERE server = ? AND tool = ? AND sha256 = ?';
    return this.#sql.get(sql, server, tool, sha256) !== undefined;
  }

  /** Another server has this name now: what was accepted of the one before says nothing of it. */
  forget(server: string): void {
    this.#sql.run('DELETE FROM accepted_definitions WHERE server = ?', server);
  }

  #accept({ server, owner = '' }: ServerOffer, tool: string, { sha256, definition }: CurrentDefinition): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO accepted_definitions(owner, server, tool, sha256, definition) VALUES (?, ?, ?, ?, ?)',
      owner,
      server,
      tool,
      sha256,
      JSON.stringify(definition),
    );
  }

  /** The tools of an offer that differ from what was accepted of them. */
  changes(offer: ServerOffer): ChangedDefinition[] {
    return this.#changes(offer, this.digests(offer.server, offer.owner));
  }

  #changes(offer: ServerOffer, digests: ReadonlyMap<string, string>): ChangedDefinition[] {
    const { server, owner } = offer;
    return currentOf(offer).flatMap(([tool, current]) => {
      const sha256 = digests.get(tool);
      const isHeld = current.status === 'changed' || current.status === 'quarantined';
      // Extras that are not held may change as they like; of tools every change is told.
      if (sha256 === current.sha256 || (!isHeld && (sha256 === undefined || tool === EXTRAS))) return [];
      const accepted = sha256 === undefined ? undefined : { sha256, definition: this.#definition(offer, tool) };
      return [{ server, tool, ...(owner === undefined ? {} : { owner }), accepted, current }];
    });
  }

  #definition({ server, owner = '' }: ServerOffer, tool: string): unknown {
    const sql = 'SELECT definition FROM accepted_definitions WHERE server = ? AND tool = ? AND owner = ?';
    const row = this.#sql.get<{ definition: string }>(sql, server, tool, owner);
    return row === undefined ? undefined : JSON.parse(row.definition);
  }
}

/** What an offer consists of, by the name under which it is accepted. */
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
