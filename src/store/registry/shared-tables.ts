import type { Clock } from '../../contract/ports.ts';
import { ApprovalStore } from '../approvals/approval-store.ts';
import { KeyStore } from '../keys/key-store.ts';
import { openDatabase } from '../open-database.ts';
import { AcceptedDefinitions } from './accepted-definitions.ts';
import { RegisteredServers } from './registered-servers.ts';
import { RegistryStore } from './registry-store.ts';

/** Creates the replicated tables before the first row arrives. */
export function makeSharedTables(file: string, clock: Clock): void {
  const database = openDatabase(file);
  try {
    new RegistryStore(database);
    new RegisteredServers(database);
    new AcceptedDefinitions(database);
    new KeyStore(database, clock);
    new ApprovalStore(database);
  } finally {
    database.close();
  }
}
