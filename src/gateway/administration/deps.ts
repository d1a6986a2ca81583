import type { Surface } from '../../contract/approval-surfaces.ts';
import type { CatalogAddDeps } from '../catalog/catalog-operations.ts';
import type { ClientId, SourceId } from '../import/client-formats.ts';
import type { PlannedServer } from '../import/plan-servers.ts';
import type { ApiKey, KeyRequest } from '../keys/api-key.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { StartingPolicy } from './starting-policy.ts';

/** Sync or async. */
type Settled<T> = T | Promise<T>;

export interface ImportRequest {
  /** Undefined: every client that is found. */
  readonly from: SourceId | undefined;
  readonly file: string | undefined;
  /** The clients to look for if no file is named; undefined: all. */
  readonly clients?: readonly ClientId[] | undefined;
  readonly replace: boolean;
}

export interface PlannedClient {
  readonly client: SourceId;
  readonly file: string;
  readonly servers: readonly PlannedServer[];
  /** Whether our entry replaces the servers in the client's file. */
  readonly replaced: boolean;
}

export interface UnwrittenFile {
  readonly path: string;
  readonly reason: string;
}

/** The result of applying a plan. */
export interface Applied {
  readonly backup: string;
  /** Client files that could not be written, and that are unchanged. */
  readonly unwritten: readonly UnwrittenFile[];
}

/** The planned changes of an import. */
export interface ImportPlan {
  readonly clients: readonly PlannedClient[];
  /** Clients whose file cannot be read, so that nothing of them is imported. */
  readonly leftOut: readonly string[];
  /** A unified diff with secrets masked; empty if nothing changes. */
  readonly diff: string;
  /** Applies the plan after a backup. */
  apply(): Promise<Applied>;
}

export interface RestoreRequest {
  /** Undefined: the last change. */
  readonly backup?: string | undefined;
  readonly force: boolean;
  readonly dry_run: boolean;
}

export interface RestoredFile {
  readonly path: string;
  /** `edited`: what was added is taken out, and later changes stay. `left`: it stays as it is. */
  readonly action: 'restored' | 'removed' | 'unchanged' | 'edited' | 'left';
  /** The backup that its bytes come from. */
  readonly backup: string;
  /** Why something stays, and what removes it. */
  readonly note?: string;
}

/** An undone command, and its backup. */
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
  /** What another `restore` would undo. */
  readonly left: UndoneCommand | null;
  /** The backup of the files that `force` replaced although they had changed. */
  readonly copy?: { readonly backup: string; readonly folder: string };
}

export interface DisconnectRequest {
  readonly client: ClientId;
  /** Used instead of the client's own file. */
  readonly file?: string | undefined;
}

export interface ConnectRequest extends DisconnectRequest {
  readonly header: readonly string[];
  readonly print: boolean;
  readonly link: boolean;
  /** Replaces another server with our name. */
  readonly force: boolean;
}

export interface ConnectedClient {
  readonly client: string;
  readonly file: string;
  /** `foreign`: the entry with our name is another server. */
  readonly action: 'written' | 'unchanged' | 'printed' | 'removed' | 'foreign';
  readonly backup: string | null;
  /** The text to print. */
  readonly text: string | null;
  /** The environment variable from which the entry reads its key. */
  readonly key_variable: string | null;
}

export type InitStart = 'background' | 'service' | 'no';

/** The state before Bindery is set up. */
export interface InitFound {
  readonly clients: readonly { readonly client: ClientId; readonly file: string; readonly servers: number }[];
  readonly hasPolicy: boolean;
  /** The approval surfaces that are allowed now. */
  readonly surfaces: readonly Surface[];
  /** The URL of the running gateway, or of the one that will be started. */
  readonly url: string;
  /** The port that `bindery up` uses with the current config. */
  readonly configuredPort: number;
  /** The gateway process that is already running. */
  readonly runningPid: number | undefined;
  /** Whether this machine can run user services. */
  readonly hasServices: boolean;
}

/** The choices of a person, by flags or prompts. */
export interface InitAnswers {
  readonly clients: readonly ClientId[];
  readonly policy: StartingPolicy | 'keep';
  readonly surfaces: readonly Surface[];
  readonly start: InitStart;
}

/** The planned changes of the set-up. */
export interface InitPlan extends ImportPlan {
  /** The files to change. */
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
  /** A link that signs a browser in; null if the output does not go to a terminal. */
  readonly console: string | null;
}

export interface InitDeps {
  /** Without a port: the one of the config. */
  look(port: number | undefined): Promise<InitFound>;
  /** Prompts for choices that were not given; returns none if there is no terminal. */
  ask(found: InitFound, given: Partial<InitAnswers>): Promise<Partial<InitAnswers>>;
  plan(answers: InitAnswers, found: InitFound): Promise<InitPlan>;
  /** Throws if no gateway runs and none could listen on the port. */
  checkPort(found: InitFound): Promise<void>;
  /** Starts the gateway if none runs, and records it in the backup. */
  start(how: InitStart, found: InitFound, backup: string | null): Promise<StartedGateway | null>;
}

/** The dependencies of the administration commands. */
export interface AdministrationDeps extends CatalogAddDeps {
  readonly init: InitDeps;
  planImport(request: ImportRequest): Promise<ImportPlan>;
  connect(request: ConnectRequest): Promise<ConnectedClient>;
  disconnect(request: DisconnectRequest): Promise<ConnectedClient>;
  /** Examines the set-up; `fix` repairs what is safe to repair. */
  diagnose(fix: boolean): Promise<readonly Diagnosis[]>;
  /**
   * Asks for confirmation at the terminal; false if there is none. Throws `CANCELLED` if the person declines. An empty line declines
   * unless `onEnter` is `yes`.
   */
  confirm(question: string, onEnter?: 'yes' | 'no'): Promise<boolean>;
  restore(request: RestoreRequest): Promise<Restored>;
  readonly keys: {
    /** Returns the secret; only its digest is stored. */
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
    restore(file: string): Promise<{ readonly files: number; readonly records: number; readonly set_aside: string }>;
  };
}
