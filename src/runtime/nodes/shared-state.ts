import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '../../contract/ports.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { LeasedRates } from '../../proxy/call/leased-rates.ts';
import type { ApprovalStore } from '../../store/approvals/approval-store.ts';
import type { Database } from '../../store/postgres/open-database.ts';
import { PostgresLeases } from '../../store/postgres/shared/postgres-leases.ts';
import { approvalOf, SharedApprovals } from '../../store/postgres/shared/shared-approvals.ts';
import { SharedHealth } from '../../store/postgres/shared/shared-health.ts';
import { SharedRegistry } from '../../store/postgres/shared/shared-registry.ts';
import { makeSharedTables } from '../../store/registry/shared-tables.ts';
import { ShippedAudit } from './shipped-audit.ts';

/** Changes of these rows may change the lists of servers or tools. */
const LISTED_PARTS: ReadonlySet<string> = new Set(['registered_servers', 'mcp_servers', 'acceptances']);

/** The parts of a gateway that depend on changes of other nodes. */
export interface FollowingGateway {
  readonly approvals: { applyRemote(approval: Approval): void };
  readonly connections: { readonly host: { look(server: string): void } };
  /** Loads the changes that another process wrote to the registry. */
  reloadRegistry(): Promise<void>;
}

export interface SharedStateOptions {
  readonly registryFile: string;
  /** The name of this node; absent in a command. */
  readonly node?: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the shared state, and makes the local registry a replica of the shared one. */
export async function openSharedState(database: Database, options: SharedStateOptions): Promise<SharedState> {
  const { registryFile: file, clock, log } = options;
  makeSharedTables(file, clock);
  return new SharedState(database, await SharedRegistry.open({ database, file, writer: randomUUID(), log }), options);
}

/** The state that nodes share through one database. */
export class SharedState {
  readonly database: Database;
  readonly registry: SharedRegistry;
  /** Health findings of all nodes; undefined if this process is not a node. */
  readonly health: SharedHealth | undefined;
  readonly audit: ShippedAudit;
  readonly #log: Log;

  constructor(
    database: Database,
    registry: SharedRegistry,
    { node, clock, log }: Omit<SharedStateOptions, 'registryFile'>,
  ) {
    this.database = database;
    this.registry = registry;
    this.health = node === undefined ? undefined : new SharedHealth(database, node, log);
    this.audit = new ShippedAudit({ database, clock, log });
    this.#log = log;
  }

  /** Approvals that any node can decide. */
  approvals(copy: ApprovalStore): SharedApprovals {
    return new SharedApprovals(copy, this.registry);
  }

  /** Rate limits that all nodes share. */
  rates(clock: Clock): LeasedRates {
    return new LeasedRates(new PostgresLeases(this.database), clock);
  }

  /** Reads the audit log of all nodes. */
  readonly readAudit: ShippedAudit['read'] = (read) => this.audit.read(read);

  /** Applies the changes of other nodes to a gateway. */
  follow(gateway: FollowingGateway): void {
    const reload = () =>
      gateway
        .reloadRegistry()
        .catch((error: unknown) => this.#log.error('changes of other nodes could not be applied', { error }));
    this.registry.on('changed', (rows) => {
      for (const { part, content } of rows)
        if (part === 'approvals' && content) gateway.approvals.applyRemote(approvalOf(content));
      if (rows.some(({ part }) => LISTED_PARTS.has(part))) void reload();
    });
    // Changes may have arrived while the gateway started.
    void reload();
    this.health?.on('changed', (server) => gateway.connections.host.look(server));
    this.health?.begin();
  }

  async close(): Promise<void> {
    await this.audit.close();
    await this.health?.close();
    await this.registry.close();
  }
}
