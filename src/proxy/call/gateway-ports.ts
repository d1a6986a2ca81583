import type { Surface } from '../../contract/approval-surfaces.ts';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { Log } from '../../contract/ports.ts';
import type { Redactor } from '../../contract/redact.ts';
import type { ArgumentFiles } from '../../gateway/policy/argument-places.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { OutputPromises } from '../../gateway/search/output-promises.ts';
import type { ApprovalGate } from '../approvals/approval-gate.ts';
import type { LogLevels } from '../lists/log-levels.ts';
import type { OwnLists, OwnPlace } from '../lists/own-lists.ts';
import type { OwnSubscriptions } from '../lists/own-subscriptions.ts';
import type { ResourceWatches } from '../lists/resource-watches.ts';
import type { Client } from '../message/client.ts';
import type { SignInGate } from '../own-tools/sign-in-gate.ts';
import type { HeldCalls } from '../sessions/held-calls.ts';
import type { TaskOwners } from '../tasks/task-owners.ts';
import type { Target } from './client-call.ts';
import type { AuditLog, Connections } from './ports.ts';
import type { ServerLimiter } from './server-limiter.ts';

/** What an attempt needs of the world. */
export interface GatewayPorts {
  readonly audit: AuditLog;
  /** Stores the raw arguments of a call, encrypted; absent unless configured. */
  readonly keepRaw?: (callId: string, args: unknown) => void;
  /** Notes in which trace a call came, by its `_meta`; absent where no spans are made. */
  readonly noteTrace?: ((callId: string, meta: unknown) => void) | undefined;
  readonly connections: Connections;
  /** For what belongs to no server; `of` is for what belongs to one. */
  readonly redactor: Redactor & { of(server: string): Redactor };
  readonly log: Log;
  readonly answerBytesMax: number;
  limiterOf(server: string): ServerLimiter;
  policyLayers(profile: string): readonly PolicyLayer[];
  /** The files that a server's programs see for a client: paths in arguments are judged by them. */
  filesOf(server: string, client: Pick<Client, 'capabilities'>): ArgumentFiles;
  /** Whether a profile shows its one server as it is, and adds nothing. */
  isBare(profile: string): boolean;
  /** Where the admin lets calls of this client be approved. */
  approvalSurfaces(client: Pick<Client, 'caller' | 'profile'>): readonly Surface[];
  /** Throws `RATE_LIMITED` where a limit is used up; a promise where it takes time to know. */
  countRate(client: Client, target: Target, perMinute: number | undefined): Promise<void> | undefined;
  /** Looks whether answers keep what the output schemas of their tools promise. */
  readonly promises: OutputPromises;
  readonly logLevels: LogLevels;
  readonly watches: ResourceWatches;
  /** Whose tasks are whose. */
  readonly tasks: TaskOwners;
  /** What clients subscribed to on connections of their own. */
  readonly subscriptions: OwnSubscriptions;
  /** The lists of clients whose own connections have others than everybody's. */
  readonly ownLists: Pick<OwnLists<OwnPlace>, 'as' | 'has' | 'settled'>;
  /** Calls that wait for their client's answers. */
  readonly held: HeldCalls;
  /** Who asks people where policy wants it. */
  readonly approvals: ApprovalGate;
  /** Who sends people to sign in; absent where no server wants a credential of each. */
  readonly signIns?: SignInGate;
  /** Servers whose tools are not known yet. */
  undiscovered(): readonly string[];
  /**
   * Resolves when servers that are being connected for the first time have answered: those that are named, for which a call has time,
   * or all of them, for which it is a moment at most. Also when the signal ends.
   */
  untilDiscovered(signal?: CancelSignal, servers?: readonly string[]): Promise<void>;
  /** Servers of which it is not known yet which tools they show only to clients that can be asked; absent: it is of all. */
  looking?(): readonly string[];
  /** Resolves when that is known of those that are named, or of all, for which nobody waits long. Also when the signal ends. */
  untilLooked?(signal: CancelSignal, servers?: readonly string[]): Promise<void>;
  /** Whether a server is a room of Bindery. */
  isBuiltin?(server: string): boolean;
  /** A client's listing has changed. */
  listsChanged(): void;
  newCallId(): string;
  /** RFC 3339. */
  now(): string;
}
