import type { DatabaseSync } from 'node:sqlite';
import type { OfferedTool, ServerOffer } from '../../gateway/catalogue/server-offer.ts';
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

/** A tool whose definition is not the one that was accepted. */
export interface ChangedDefinition {
  readonly server: string;
  readonly tool: string;
  /** Who alone sees the tool; undefined: everybody. */
  readonly owner?: string;
  readonly accepted: { readonly sha256: string; readonly definition: unknown };
  readonly current: OfferedTool;
}

/** The definitions that people accepted (the first sight counts), so that a change can be shown and not only told. */
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
    const accepted = this.#acceptedOf(offer);
    const changed = changesOf(offer, accepted);
    const fresh = offer.tools.filter(
      ({ status, definition, sha256 }) => status === 'active' && accepted.get(definition.name)?.sha256 !== sha256,
    );
    if (fresh.length === 0) return changed;
    inTransaction(this.#database, () => {
      for (const tool of fresh) this.accept(offer.server, tool, offer.owner);
    });
    return changed;
  }

  accept(server: string, { definition, sha256 }: OfferedTool, owner = ''): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO accepted_definitions(owner, server, tool, sha256, definition) VALUES (?, ?, ?, ?, ?)',
      owner,
      server,
      definition.name,
      sha256,
      JSON.stringify(definition),
    );
  }

  /** The tools of an offer that differ from what was accepted of them. */
  changes(offer: ServerOffer): ChangedDefinition[] {
    return changesOf(offer, this.#acceptedOf(offer));
  }

  #acceptedOf({ server, owner }: ServerOffer): ReadonlyMap<string, AcceptedRow> {
    const rows = this.#sql.all<AcceptedRow>(
      'SELECT tool, sha256, definition FROM accepted_definitions WHERE server = ? AND owner = ?',
      server,
      owner ?? '',
    );
    return new Map(rows.map((row) => [row.tool, row]));
  }
}

interface AcceptedRow {
  readonly tool: string;
  readonly sha256: string;
  readonly definition: string;
}

function changesOf(offer: ServerOffer, rows: ReadonlyMap<string, AcceptedRow>): ChangedDefinition[] {
  return offer.tools.flatMap((current) => {
    const row = rows.get(current.definition.name);
    if (!row || row.sha256 === current.sha256 || current.status === 'quarantined') return [];
    const { server, owner } = offer;
    const accepted = { sha256: row.sha256, definition: JSON.parse(row.definition) as unknown };
    return [{ server, tool: row.tool, ...(owner === undefined ? {} : { owner }), accepted, current }];
  });
}
