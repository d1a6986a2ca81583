import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../credentials/key-ring.ts';
import { NodeMessages } from './node-messages.ts';
import { NodeTable } from './node-table.ts';
import type { Database } from './open-database.ts';
import { ProcessClaims } from './process-claims.ts';
import { SessionKeys } from './session-keys.ts';
import { SharedSessions } from './shared-sessions.ts';
import { UpstreamSessions } from './upstream-sessions.ts';

/** The stores of one run of a node in the shared database. */
export class NodeStores {
  readonly table: NodeTable;
  readonly messages: NodeMessages;
  readonly sessions: SharedSessions;
  readonly upstreams: UpstreamSessions;
  readonly claims: ProcessClaims;
  readonly keys: SessionKeys;

  private constructor(
    database: Database,
    ring: KeyRing,
    keys: SessionKeys,
    self: { name: string; url?: string | undefined },
  ) {
    const run = randomBytes(8).toString('hex');
    this.table = new NodeTable(database, { name: self.name, run, url: self.url });
    this.messages = new NodeMessages(database, self.name);
    this.sessions = new SharedSessions(database);
    this.upstreams = new UpstreamSessions(database, ring);
    this.claims = new ProcessClaims(database, self.name, run);
    this.keys = keys;
  }

  /** Throws `NODE_KEY_DIFFERS` if this node's key file differs from that of earlier nodes. */
  static async open(
    database: Database,
    ring: KeyRing,
    self: { name: string; url?: string | undefined },
  ): Promise<NodeStores> {
    return new NodeStores(database, ring, await SessionKeys.open(database, ring), self);
  }

  /** Rotates the keys and purges expired rows. */
  async reclaim(): Promise<void> {
    await this.keys.keep();
    await this.messages.reclaim();
    await this.sessions.reclaim();
    await this.upstreams.reclaim();
    await this.claims.reclaim();
  }
}
