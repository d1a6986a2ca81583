import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CivicStore } from '../../civic/submissions/civic-store.ts';
import type { SaltStore } from '../../civic/trust/salts.ts';
import { openRegistry, openSalts } from './schema.ts';
import { SqliteCivicStore } from './sqlite-civic-store.ts';
import { SqliteSaltStore } from './sqlite-salt-store.ts';
import { TurnTransaction } from './turn-transaction.ts';

export interface OpenCivicStore {
  readonly store: CivicStore;
  readonly salts: SaltStore;
  close(): void;
}

type Report = (message: string, fields: { readonly error: unknown }) => void;

/** Opens the civic part of the data directory: the registry, which may be elsewhere, and the salts. */
export function openCivicStore(
  dataDir: string,
  report: Report = () => {},
  registryFile = join(dataDir, 'registry.db'),
): OpenCivicStore {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return open(registryFile, join(dataDir, 'civic-salts.db'), report);
}

/** The same store in memory. */
export function openMemoryStore(): OpenCivicStore {
  return open(':memory:', ':memory:', () => {});
}

function open(registryFile: string, saltsFile: string, report: Report): OpenCivicStore {
  const registry = openRegistry(registryFile);
  const saltsDatabase = openSalts(saltsFile);
  const salts = new SqliteSaltStore(saltsDatabase);
  const settle = () => {
    try {
      salts.settle();
    } catch (error) {
      // The answer is durable; the next commit deletes the remaining salts.
      report('salts could not be deleted yet', { error });
    }
  };
  const transaction = new TurnTransaction(saltsDatabase, registry, { checkpoint: () => salts.checkpoint(), settle });
  return {
    store: new SqliteCivicStore(registry, transaction),
    salts,
    close: () => {
      transaction.close();
      registry.close();
      saltsDatabase.close();
    },
  };
}
