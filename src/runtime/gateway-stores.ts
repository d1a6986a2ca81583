import type { DatabaseSync } from 'node:sqlite';
import { FailureReport } from '../contract/failure-report.ts';
import type { Clock, Log } from '../contract/ports.ts';
import { ApprovalStore } from '../store/approvals/approval-store.ts';
import { WebhookOutbox } from '../store/approvals/webhook-outbox.ts';
import { CredentialIndex } from '../store/credentials/credential-index.ts';
import { KeyStore } from '../store/keys/key-store.ts';
import { openDatabase, waitBriefly } from '../store/open-database.ts';
import { PolicyVersions } from '../store/policy/policy-versions.ts';
import { RegisteredServers } from '../store/registry/registered-servers.ts';
import { RegistryStore } from '../store/registry/registry-store.ts';
import { SqliteTaskOwners } from '../store/registry/task-owner-store.ts';

export interface GatewayStoresOptions {
  readonly registryFile: string;
  /** A worker reads policy versions but writes none. */
  readonly isFollower: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** The database of a gateway, and the stores with tables in it. */
export class GatewayStores {
  readonly registryFile: string;
  readonly database: DatabaseSync;
  readonly registry: RegistryStore;
  readonly registered: RegisteredServers;
  readonly credentials: CredentialIndex;
  readonly policyVersions: PolicyVersions;
  readonly taskOwners: SqliteTaskOwners;
  readonly keys: KeyStore;
  readonly approvals: ApprovalStore;
  readonly webhookOutbox: WebhookOutbox;
  readonly #lapsing: FailureReport;

  constructor({ registryFile, isFollower, clock, log }: GatewayStoresOptions) {
    this.registryFile = registryFile;
    this.database = openDatabase(registryFile);
    this.registry = new RegistryStore(this.database);
    this.registered = new RegisteredServers(this.database);
    this.credentials = new CredentialIndex(this.database);
    this.policyVersions = new PolicyVersions(this.database, isFollower);
    this.taskOwners = new SqliteTaskOwners(this.database, clock.now);
    this.keys = new KeyStore(this.database, clock);
    this.approvals = new ApprovalStore(this.database);
    this.webhookOutbox = new WebhookOutbox(this.database);
    this.#lapsing = new FailureReport(log, {
      failing: 'streams of revoked keys stay open, because the keys cannot be read',
      again: 'the keys are read again',
    });
  }

  /** Ends the streams of revoked keys. If the keys cannot be read, the next run tries again. */
  endLapsedKeys(): void {
    this.#lapsing.attempt(() => this.keys.endLapsed());
  }

  /** From now on writes wait only briefly for a lock, because they block the event loop. */
  waitBriefly(): void {
    waitBriefly(this.database);
  }

  close(): void {
    this.database.close();
  }
}
