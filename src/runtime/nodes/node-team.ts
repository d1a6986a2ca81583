import { NodeStores } from '../../store/postgres/node-stores.ts';
import { type Database, openDatabase } from '../../store/postgres/open-database.ts';
import { credentialKeys } from '../config/private-file.ts';
import type { UpSettings } from '../up-settings.ts';
import { SeveralNodes } from './several-nodes.ts';
import { openSharedState, type SharedState } from './shared-state.ts';

/** What a node shares with other nodes: messages, sessions and state. */
export interface NodeTeam {
  readonly nodes: SeveralNodes;
  readonly shared: SharedState;
  /** Whether the database answers; `/readyz` reports it if not. */
  isReachable(): boolean;
  /** Closes the database; the gateway has closed everything else by then. */
  close(): Promise<void>;
}

/** Opens the database that the nodes share. Throws `NODE_KEY_DIFFERS` if this node's key file differs from that of earlier nodes. */
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
