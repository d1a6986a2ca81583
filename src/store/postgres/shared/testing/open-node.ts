import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createMemoryLog } from '../../../../contract/testing/memory-log.ts';
import { ApprovalStore } from '../../../approvals/approval-store.ts';
import { KeyStore } from '../../../keys/key-store.ts';
import { openDatabase } from '../../../open-database.ts';
import { AcceptedDefinitions } from '../../../registry/accepted-definitions.ts';
import { RegisteredServers } from '../../../registry/registered-servers.ts';
import { RegistryStore } from '../../../registry/registry-store.ts';
import { type Database, openDatabase as openPostgres } from '../../open-database.ts';
import { SharedApprovals } from '../shared-approvals.ts';
import { SharedRegistry } from '../shared-registry.ts';

/** A node's part of a shared registry: its file, its stores, and their replication. */
export interface TestNode {
  readonly name: string;
  readonly dir: string;
  readonly file: string;
  readonly sqlite: DatabaseSync;
  readonly database: Database;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly registry: SharedRegistry;
  readonly approvals: SharedApprovals;
  readonly store: ApprovalStore;
  readonly keys: KeyStore;
  readonly registered: RegisteredServers;
  readonly offers: RegistryStore;
  readonly definitions: AcceptedDefinitions;
  close(): Promise<void>;
}

let count = 0;

/** Opens a node with a new file, or with an existing one. */
export async function openNode(url: string, dir = mkdtempSync(join(tmpdir(), 'bindery-node-'))): Promise<TestNode> {
  count += 1;
  const name = `node-${count}`;
  const file = join(dir, 'registry.db');
  const sqlite = openDatabase(file);
  const stores = {
    offers: new RegistryStore(sqlite),
    registered: new RegisteredServers(sqlite),
    definitions: new AcceptedDefinitions(sqlite),
    keys: new KeyStore(sqlite, { now: Date.now }),
    store: new ApprovalStore(sqlite),
  };
  const log = createMemoryLog();
  const database = await openPostgres(url, log);
  const registry = await SharedRegistry.open({ database, file, writer: name, log });
  return {
    name,
    dir,
    file,
    sqlite,
    database,
    log,
    registry,
    ...stores,
    approvals: new SharedApprovals(stores.store, registry),
    close: async () => {
      await registry.close();
      await database.close();
      sqlite.close();
    },
  };
}
