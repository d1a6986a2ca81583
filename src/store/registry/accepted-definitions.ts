import type { DatabaseSync } from 'node:sqlite';
import type { OfferedTool, ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { inTransaction } from '../in-transaction.ts';
import { type Migrations, migrate } from '../migrate.ts';
import { PreparedSql } from '../prepared-sql.ts';

const migrations: Migrations = {
  part: 'definitions',
  steps: [
    'CREATE TABLE accepted_definitions (server TEXT NOT NULL, tool TEXT NOT NULL, sha256 TEXT NOT NULL, definition JSON NOT NULL, PRIMARY KEY (server, tool))',
  ],
};

/** A tool whose definition is not the one that was accepted. */
export interface ChangedDefinition {
  readonly server: string;
  readonly tool: string;
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
    const accepted = this.#acceptedOf(offer.server);
    const changed = changesOf(offer, accepted);
    const fresh = offer.tools.filter(
      ({ status, definition, sha256 }) => status === 'active' && accepted.get(definition.name)?.sha256 !== sha256,
    );
    if (fresh.length === 0) return changed;
    inTransaction(this.#database, () => {
      for (const tool of fresh) this.accept(offer.server, tool);
    });
    return changed;
  }

  accept(server: string, { definition, sha256 }: OfferedTool): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO accepted_definitions(server, tool, sha256, definition) VALUES (?, ?, ?, ?)',
      server,
      definition.name,
      sha256,
      JSON.stringify(definition),
    );
  }

  /** The tools of an offer that differ from what was accepted of them. */
  changes(offer: ServerOffer): ChangedDefinition[] {
    return changesOf(offer, this.#acceptedOf(offer.server));
  }

  #acceptedOf(server: string): ReadonlyMap<string, AcceptedRow> {
    const rows = this.#sql.all<AcceptedRow>(
      'SELECT tool, sha256, definition FROM accepted_definitions WHERE server = ?',
      server,
    );
    return new Map(rows.map((row) => [row.tool, row]));
  }
}

interface AcceptedRow {
  readonly tool: string;
  readonly sha256: string;
  readonly definition: string;
}

function changesOf(offer: ServerOffer, accepted: ReadonlyMap<string, AcceptedRow>): ChangedDefinition[] {
  return offer.tools.flatMap((current) => {
    const row = accepted.get(current.definition.name);
    if (!row || row.sha256 === current.sha256 || current.status === 'quarantined') return [];
    const definition: unknown = JSON.parse(row.definition);
    return [{ server: offer.server, tool: row.tool, accepted: { sha256: row.sha256, definition }, current }];
  });
}
