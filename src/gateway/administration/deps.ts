import type { ClientId, SourceId } from '../import/client-formats.ts';
import type { PlannedServer } from '../import/plan-servers.ts';
import type { ApiKey, KeyRequest } from '../keys/api-key.ts';
import type { Diagnosis } from './diagnosis.ts';

/** At once, or after a while. */
type Settled<T> = T | Promise<T>;

export interface ImportRequest {
  /** Undefined: every client that is found. */
  readonly from: SourceId | undefined;
  readonly file: string | undefined;
  readonly replace: boolean;
}

export interface PlannedClient {
  readonly client: SourceId;
  readonly file: string;
  readonly servers: readonly PlannedServer[];
  /** Whether the client's file gets our entry in place of its servers. */
  readonly replaced: boolean;
}

/** What an import would do. */
export interface ImportPlan {
  readonly clients: readonly PlannedClient[];
  /** Unified, secrets masked; empty where nothing changes. */
  readonly diff: string;
  /** Does it, after a backup; gives the backup's id. */
  apply(): Promise<string>;
}

export interface RestoredFile {
  readonly path: string;
  readonly action: 'restored' | 'removed' | 'unchanged';
}

export interface ConnectRequest {
  readonly client: ClientId;
  /** In place of the client's own file. */
  readonly file?: string | undefined;
}

export interface ConnectedClient {
  readonly client: string;
  readonly file: string;
  readonly action: 'written' | 'unchanged' | 'printed' | 'removed';
  readonly backup: string | null;
  /** What is to be printed. */
  readonly text: string | null;
}

/** What the commands of administration run on. */
export interface AdministrationDeps {
  planImport(request: ImportRequest): Promise<ImportPlan>;
  connect(
    request: ConnectRequest & { readonly header: readonly string[]; readonly print: boolean; readonly link: boolean },
  ): Promise<ConnectedClient>;
  disconnect(request: ConnectRequest): Promise<ConnectedClient>;
  /** Looks at the set-up; `fix` mends what is safe. */
  diagnose(fix: boolean): Promise<readonly Diagnosis[]>;
  /** Asks the person at the terminal; false where there is none, or none who says yes. */
  confirm(question: string): Promise<boolean>;
  restore(backup: string | undefined, force: boolean): Promise<{ backup: string; files: readonly RestoredFile[] }>;
  readonly keys: {
    /** Gives the secret once. */
    create(request: KeyRequest): Settled<{ readonly key: string; readonly record: ApiKey }>;
    list(): Settled<readonly ApiKey[]>;
    revoke(id: string): Settled<ApiKey | undefined>;
  };
  readonly backups: {
    create(file: string): Promise<{ readonly file: string; readonly files: number; readonly bytes: number }>;
    restore(file: string): Promise<{ readonly files: number; readonly records: number }>;
  };
}
