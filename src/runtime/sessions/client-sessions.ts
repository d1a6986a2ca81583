import { join } from 'node:path';
import type { Clock, Log } from '../../contract/ports.ts';
import type { ChangeFeed } from '../../proxy/lists/change-feed.ts';
import { LogLevels } from '../../proxy/lists/log-levels.ts';
import { AskedRounds } from '../../proxy/sessions/asked-rounds.ts';
import { type ContinueElsewhere, HeldCalls } from '../../proxy/sessions/held-calls.ts';
import { type SessionStore, SessionTable } from '../../proxy/sessions/session-table.ts';
import { TaskOwners } from '../../proxy/tasks/task-owners.ts';
import type { SqliteTaskOwners } from '../../store/registry/task-owner-store.ts';
import { privateKey } from '../config/private-file.ts';

export interface ClientSessionsOptions {
  readonly dataDir: string;
  /** The name of this node. */
  readonly node: string;
  /** Absent if this node is the only one. */
  readonly nodes:
    | { readonly keys: readonly Uint8Array[]; readonly others: { readonly continueHeld: ContinueElsewhere } }
    | undefined;
  readonly stores: { readonly registry: SessionStore; readonly taskOwners: SqliteTaskOwners };
  readonly feed: ChangeFeed;
  /** A session was evicted from memory: close what was opened for its client. */
  onGone(clientKey: string): void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The state that a gateway keeps for clients between their requests. */
export class ClientSessions {
  /** Sign the ids and states that clients carry: the current key first. */
  readonly keys: readonly Uint8Array[];
  readonly table: SessionTable;
  readonly held: HeldCalls;
  readonly rounds: AskedRounds;
  readonly tasks: TaskOwners;
  readonly logLevels = new LogLevels();

  constructor({ dataDir, node, nodes, stores, feed, onGone, clock, log }: ClientSessionsOptions) {
    this.keys = nodes?.keys ?? [privateKey(join(dataDir, 'session.key'))];
    this.held = new HeldCalls(this.keys, node, nodes?.others.continueHeld);
    this.rounds = new AskedRounds(this.keys);
    this.tasks = new TaskOwners(stores.taskOwners, log);
    this.table = new SessionTable({
      keys: this.keys,
      node,
      store: stores.registry,
      clock,
      onEnded: (session) => feed.emit('session-ended', session),
      onGone: ({ client }) => onGone(client.key),
    });
  }
}
