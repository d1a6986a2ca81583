import type { DatabaseSync } from 'node:sqlite';
import type { OfferedTool, ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { type Migrations, migrate } from '../migrate.ts';

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

  constructor(database: DatabaseSync) {
    this.#database = database;
    migrate(database, migrations);
  }

  /** Compares an offer with what was accepted; what is in use becomes what is accepted. Gives what differs. */
  learn(offer: ServerOffer): ChangedDefinition[] {
    const changed = this.changes(offer);
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const tool of offer.tools) if (tool.status === 'active') this.accept(offer.server, tool, offer.owner);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
    return changed;
  }

  accept(server: string, { definition, sha256 }: OfferedTool, owner = ''): void {
    this.#database
      .prepare(
        'INSERT OR REPLACE INTO accepted_definitions(owner, server, tool, sha256, definition) VALUES (?, ?, ?, ?, ?)',
      )
      .run(owner, server, definition.name, sha256, JSON.stringify(definition));
  }

  /** The tools of an offer that differ from what was accepted of them. */
  changes(offer: ServerOffer): ChangedDefinition[] {
    const rows = this.#database
      .prepare('SELECT tool, sha256, definition FROM accepted_definitions WHERE server = ? AND owner = ?')
      .all(offer.server, offer.owner ?? '') as { tool: string; sha256: string; definition: string }[];
    const accepted = new Map(rows.map((row) => [row.tool, row]));
    return offer.tools.flatMap((current) => {
      const row = accepted.get(current.definition.name);
      if (!row || row.sha256 === current.sha256 || current.status === 'quarantined') return [];
      return [
        {
          server: offer.server,
          tool: row.tool,
          ...(offer.owner === undefined ? {} : { owner: offer.owner }),
          accepted: { sha256: row.sha256, definition: JSON.parse(row.definition) },
          current,
        },
      ];
    });
  }
}
