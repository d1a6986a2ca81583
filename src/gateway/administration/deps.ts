import type { Surface } from '../../contract/approval-surfaces.ts';
import type { CatalogAddDeps } from '../catalog/catalog-operations.ts';
import type { ClientId, SourceId } from '../import/client-formats.ts';
import type { PlannedServer } from '../import/plan-servers.ts';
import type { ApiKey, KeyRequest } from '../keys/api-key.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { StartingPolicy } from './starting-policy.ts';

/** At once, or after a while. */
type Settled<T> = T | Promise<T>;

export interface ImportRequest {
  /** Undefined: every client that is found. */
  readonly from: SourceId | undefined;
  readonly file: string | undefined;
  /** The clients that are looked for where no file is named; undefined: all. */
  readonly clients?: readonly ClientId[] | undefined;
  readonly replace: boolean;
}

export interface PlannedClient {
  readonly client: SourceId;
  readonly file: string;
  readonly servers: readonly PlannedServer[];
  /** Whether the client's file gets our entry in place of its servers. */
  readonly replaced: boolean;
}

export interface UnwrittenFile {
  readonly path: string;
  readonly reason: string;
}

/** What was done of a plan. */
export interface Applied {
  readonly backup: string;
  /** Files of clients that could not be written, and are as they were. */
  readonly unwritten: readonly UnwrittenFile[];
}

/** What an import would do. */
export interface ImportPlan {
  readonly clients: readonly PlannedClient[];
  /** Unified, secrets masked; empty where nothing changes. */
  readonly diff: string;
  /** Does it, after a backup. */
  apply(): Promise<Applied>;
}

export interface RestoreRequest {
  /** Undefined: what was changed last. */
  readonly backup?: string | undefined;
  readonly force: boolean;
  readonly dry_run: boolean;
}

export interface RestoredFile {
  readonly path: string;
  readonly action: 'restored' | 'removed' | 'unchanged';
  /** Where its bytes come from. */
  readonly backup: string;
}

/** A command that is undone, and the backup that it made. */
export interface UndoneCommand {
  readonly backup: string;
  readonly command: 'init' | 'import' | 'connect' | 'disconnect' | 'restore';
  readonly time: string;
}

export interface Restored {
  /** Oldest first. */
  readonly undone: readonly UndoneCommand[];
  readonly files: readonly RestoredFile[];
  /** The gateway that is stopped. */
  readonly process: { readonly how: 'background' | 'service'; readonly pid: number } | null;
  /** What one more `restore` would undo. */
  readonly left: UndoneCommand | null;
}

export interface DisconnectRequest {
  readonly client: ClientId;
  /** In place of the client's own file. */
  readonly file?: string | undefined;
}

export interface ConnectRequest extends DisconnectRequest {
  readonly header: readonly string[];
  readonly print: boolean;
  readonly link: boolean;
  /** Replaces another server that has our name. */
  readonly force: boolean;
}

export interface ConnectedClient {
  readonly client: string;
  readonly file: string;
  /** `foreign`: the entry with our name is another server. */
  readonly action: 'written' | 'unchanged' | 'printed' | 'removed' | 'foreign';
  readonly backup: string | null;
  /** What is to be printed. */
  readonly text: string | null;
  /** The environment variable from which the entry reads the key that the gateway wants. */
  readonly key_variable: string | null;
}

export type InitStart = 'background' | 'service' | 'no';

/** What is there before Bindery is set up. */
export interface InitFound {
  readonly clients: readonly { readonly client: ClientId; readonly file: string; readonly servers: number }[];
  readonly hasPolicy: boolean;
  /** Where calls may be approved now. */
  readonly surfaces: readonly Surface[];
  /** The address of the gateway: of the one that runs, or of the one that will. */
  readonly url: string;
  /** The port that `bindery up` takes as the config is now. */
  readonly configuredPort: number;
  /** The process that serves it already. */
  readonly runningPid: number | undefined;
  /** Whether this machine starts services of a user. */
  readonly hasServices: boolean;
}

/** What a person decides, by flags or when asked. */
export interface InitAnswers {
  readonly clients: readonly ClientId[];
  readonly policy: StartingPolicy | 'keep';
  readonly surfaces: readonly Surface[];
  readonly start: InitStart;
}

/** What setting up would do. */
export interface InitPlan extends ImportPlan {
  /** The files that change. */
  readonly files: readonly string[];
}

export interface StartedGateway {
  readonly gateway: {
    readonly url: string;
    readonly pid: number;
    readonly how: 'running' | 'background' | 'service';
    /** The command line that stops it. */
    readonly stop: string;
  };
  /** A link that signs a browser in. */
  readonly console: string;
}

export interface InitDeps {
  /** Without a port: the one of the config. */
  look(port: number | undefined): Promise<InitFound>;
  /** Asks the person at the terminal for what is not given; gives nothing where there is none. */
  ask(found: InitFound, given: Partial<InitAnswers>): Promise<Partial<InitAnswers>>;
  plan(answers: InitAnswers, found: InitFound): Promise<InitPlan>;
  /** Starts the gateway where none runs, and notes it in the backup. */
  start(how: InitStart, found: InitFound, backup: string | null): Promise<StartedGateway | null>;
}

/** What the commands of administration run on. */
export interface AdministrationDeps extends CatalogAddDeps {
  readonly init: InitDeps;
  planImport(request: ImportRequest): Promise<ImportPlan>;
  connect(request: ConnectRequest): Promise<ConnectedClient>;
  disconnect(request: DisconnectRequest): Promise<ConnectedClient>;
  /** Looks at the set-up; `fix` mends what is safe. */
  diagnose(fix: boolean): Promise<readonly Diagnosis[]>;
  /** Asks the person at the terminal; false where there is none. Throws `CANCELLED` where they say no. */
  confirm(question: string): Promise<boolean>;
  restore(request: RestoreRequest): Promise<Restored>;
  readonly keys: {
    /** Gives the secret once. */
    create(request: KeyRequest): Settled<{ readonly key: string; readonly record: ApiKey }>;
    list(): Settled<readonly ApiKey[]>;
    revoke(id: string): Settled<ApiKey | undefined>;
  };
  readonly backups: {
    create(file: string): Promise<{
      readonly file: string;
      readonly files: number;
      readonly bytes: number;
      readonly left_out: readonly string[];
    }>;
    restore(file: string): Promise<{ readonly files: number; readonly records: number }>;
  };
}
