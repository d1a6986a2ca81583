import type { Surface } from '../../contract/approval-surfaces.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Clock } from '../../contract/ports.ts';
import type { Redactor } from '../../contract/redact.ts';
import type {
  Approval,
  ApprovalDecision,
  ApprovalKey,
  ApprovalStatus,
  GivenYes,
  RememberedApproval,
  RememberedKey,
} from '../../gateway/approval/approval.ts';

/** A value, or a promise where several nodes share the store. */
export type Settled<T> = T | Promise<T>;

/** The store of questions. Where several nodes share it, changes are made there first and take time. */
export interface ApprovalStorePort {
  /** Makes decisions of other nodes visible to reads; absent where there are none. */
  refresh?(): Promise<void>;
  /**
   * Adds a question, or returns an equal one that is open already. `sealed` is its exact arguments. Throws
   * `TOO_MANY_APPROVALS`.
   */
  add(approval: Approval, sealed: string): Settled<Approval>;
  find(id: string): Approval | undefined;
  statusOf(id: string): ApprovalStatus | undefined;
  current(key: ApprovalKey, now: string): Approval | undefined;
  decide(id: string, decision: ApprovalDecision, now: string): Settled<Approval | undefined>;
  use(id: string, now: string): Settled<boolean>;
  useRound(id: string, round: number): Settled<boolean>;
  roundsOf(id: string): number | undefined;
  expire(now: string): Settled<readonly string[]>;
  /** pending → expired before its time; false if it is no longer pending. */
  withdraw(id: string): Settled<boolean>;
  remember(key: RememberedKey, scope: string, given: GivenYes): Settled<void>;
  /** The remembered approval that was given on one of these surfaces. */
  remembered(
    key: RememberedKey,
    scopes: readonly string[],
    surfaces: readonly Surface[],
    now: string,
  ): RememberedApproval | undefined;
  /** False where nothing is remembered under this id. */
  forget(id: string): Settled<boolean>;
}

export interface ApprovalGateOptions {
  readonly store: ApprovalStorePort;
  readonly clock: Clock;
  /** Masks with the secrets of one server; `keep` gives what may be kept of the arguments, where that is not all. */
  readonly redactor: {
    of(server: string): Pick<Redactor, 'known'> & { readonly keep?: (value: unknown) => unknown };
  };
  /** Encrypts the exact arguments of a question, so that an approver can reveal them. */
  seal(approval: Pick<Approval, 'id' | 'arguments_sha256'>, text: string): string;
  /** For the state that 2026 clients carry: the present key, then the one before. */
  readonly keys: readonly Uint8Array[];
  readonly settings: () => { readonly expires_ms: number; readonly wait_ms: number };
  newApprovalId(): string;
  /** How a person approves the question with this id, as one sentence for the waiting client. */
  readonly howToApprove?: (id: string) => string;
}

export interface ApprovalEvents {
  created: [Approval];
  /** The same, where this process asked; other nodes get `created` alone. */
  asked: [Approval];
  decided: [Approval];
  /** All waits end. */
  ending: [];
}

/** A call that a person approved. `use` is true once. */
export interface ApprovedCall {
  /** The id is null where an older version, which did not keep it, remembered the approval. */
  readonly approval: Pick<Approval, 'decided_by' | 'decided_via'> & { readonly id: string | null };
  /** The approval was given to an earlier call, for any arguments. */
  readonly isRemembered: boolean;
  use(): Settled<boolean>;
  /** The state under which further rounds of the same call come back. */
  wrapState(upstream: string): string;
}

/** The client is asked by a result: in revision 2026-07-28 servers send it no requests. */
export class InputRequired extends Error {
  readonly result: JsonObject;
  /** The approval that the question asks for, if it is about one. */
  readonly approvalId: string | undefined;

  constructor(result: JsonObject, approvalId?: string) {
    super('input required');
    this.name = 'InputRequired';
    this.result = result;
    this.approvalId = approvalId;
  }
}
