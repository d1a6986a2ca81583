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

/** Rows of these may change lists of servers or tools. */
const LISTED_PARTS: ReadonlySet<string> = new Set(['registered_servers', 'mcp_servers', 'acceptances']);

/** What of a gateway depends on what other nodes write. */
export interface FollowingGateway {
  readonly approvals: { heard(approval: Approval): void };
  readonly connections: { readonly host: { look(server: string): void } };
  /** Takes what another process wrote to the registry. */
  reloadRegistry(): Promise<void>;
}

export interface SharedStateOptions {
  readonly registryFile: string;
  /** The name of this node; a command is none. */
  readonly node?: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens what this node shares with others by their database, and has its registry be the copy of theirs. */
export async function openSharedState(database: Database, options: SharedStateOptions): Promise<SharedState> {
  const { registryFile: file, clock, log } = options;
  makeSharedTables(file, clock);
  return new SharedState(database, await SharedRegistry.open({ database, file, writer: randomUUID(), log }), options);
}

/** What a gateway shares with other nodes by one database. */
export class SharedState {
  readonly database: Database;
  readonly registry: SharedRegistry;
  /** What nodes find of the health of servers; undefined where this is no node. */
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

  /** Questions that are decided at any node. */
  approvals(copy: ApprovalStore): SharedApprovals {
    return new SharedApprovals(copy, this.registry);
  }

  /** Limits that hold for all nodes together. */
  rates(clock: Clock): LeasedRates {
    return new LeasedRates(new PostgresLeases(this.database), clock);
  }

  /** Reads the audit log of all nodes. */
  readonly readAudit: ShippedAudit['read'] = (read) => this.audit.read(read);

  /** Has a gateway know what the other nodes change. */
  follow(gateway: FollowingGateway): void {
    const reload = () =>
      gateway
        .reloadRegistry()
        .catch((error: unknown) => this.#log.error('changes of other nodes could not be applied', { error }));
    this.registry.on('changed', (rows) => {
      for (const { part, content } of rows)
        if (part === 'approvals' && content) gateway.approvals.heard(approvalOf(content));
      if (rows.some(({ part }) => LISTED_PARTS.has(part))) void reload();
    });
    // Something may have come while the gateway started.
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
