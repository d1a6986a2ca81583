import type { Log } from '../../contract/ports.ts';
import type { OutputPromises } from '../../gateway/search/output-promises.ts';
import type { ApprovalGate } from '../approvals/approval-gate.ts';
import type { ListPorts } from '../lists/list-ports.ts';
import type { Client } from '../message/client.ts';
import type { SignInGate } from '../own-tools/sign-in-gate.ts';
import type { AskedRounds } from '../sessions/asked-rounds.ts';
import type { HeldCalls } from '../sessions/held-calls.ts';
import type { TaskOwners } from '../tasks/task-owners.ts';
import type { Target } from './client-call.ts';
import type { Connections, PolicyPorts, RecordPorts } from './ports.ts';
import type { ServerLimiter } from './server-limiter.ts';

/** Everything that a call needs from outside the call path; `src/runtime/call-ports.ts` creates it. */
export interface GatewayPorts extends RecordPorts, PolicyPorts, ListPorts {
  readonly connections: Connections;
  readonly log: Log;
  readonly answerBytesMax: number;
  limiterOf(server: string): ServerLimiter;
  /** Throws `RATE_LIMITED` above a limit. Returns a promise only if it has to ask elsewhere. */
  countRate(client: Client, target: Target, perMinute: number | undefined): Promise<void> | undefined;
  /** Checks answers against the output schemas of their tools. */
  readonly promises: OutputPromises;
  /** Records which caller began which task. */
  readonly tasks: TaskOwners;
  /** Calls that wait for answers from their clients. */
  readonly held: HeldCalls;
  /** Rounds of questions between 2026 servers and 2026 clients. */
  readonly rounds: AskedRounds;
  /** Asks people about calls if policy requires it. */
  readonly approvals: ApprovalGate;
  /** Sends people to sign in; absent if no server has per-user credentials. */
  readonly signIns?: SignInGate;
}
