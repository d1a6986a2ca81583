import { NodeStores } from '../../store/postgres/node-stores.ts';
import { type Database, openDatabase } from '../../store/postgres/open-database.ts';
import { credentialKeys } from '../config/private-file.ts';
import type { UpSettings } from '../up-settings.ts';
import { SeveralNodes } from './several-nodes.ts';
import { openSharedState, type SharedState } from './shared-state.ts';

/** What a node has in common with others: messages and sessions, and what all of them know. */
export interface NodeTeam {
  readonly nodes: SeveralNodes;
  readonly shared: SharedState;
  /** Whether the database answers; `/readyz` says where it does not. */
  isReachable(): boolean;
  /** Closes the database; the gateway has closed the rest by then. */
  close(): Promise<void>;
}

/**
 * Opens the database that the nodes share, once for all. Throws `NODE_KEY_DIFFERS` where this node has another key file than those
 * before it.
 */
export async function openNodeTeam(url: string, settings: UpSettings): Promise<NodeTeam> {
  const database = await openDatabase(url, settings.log);
  try {
    return await teamOn(database, settings);
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}

async function teamOn(database: Database, settings: UpSettings): Promise<NodeTeam> {
  const { node: name, advertise: url, dataDir } = settings;
  const stores = await NodeStores.open(database, credentialKeys(dataDir), { name, url });
  const nodes = new SeveralNodes({ stores, ...settings });
  const shared = await openSharedState(database, settings);
  return {
    nodes,
    shared,
    isReachable: () => database.isReachable,
    close: () => database.close(),
  };
}
