import type { Surface } from '../../contract/approval-surfaces.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Clock } from '../../contract/ports.ts';
import type { Redactor } from '../../contract/redact.ts';
import type {
  Approval,
  ApprovalDecision,
  ApprovalKey,
  ApprovalStatus,
  RememberedApproval,
  RememberedKey,
} from '../../gateway/approval/approval.ts';

/** A value, or a promise if several nodes share the store. */
export type Settled<T> = T | Promise<T>;

/** The store of questions. If several nodes share it, writes go to the shared database first. */
export interface ApprovalStorePort {
  /** Makes decisions of other nodes visible to reads; absent if this is the only node. */
  refresh?(): Promise<void>;
  /** Adds a question, or returns an equal open one. `sealed` is its encrypted arguments. Throws `TOO_MANY_APPROVALS`. */
  add(approval: Approval, sealed: string): Settled<Approval>;
  find(id: string): Approval | undefined;
  statusOf(id: string): ApprovalStatus | undefined;
  current(key: ApprovalKey, now: string): Approval | undefined;
  /** pending → approved or denied, and remembers what later calls the decision covers; undefined if it is no longer pending. */
  decide(id: string, decision: ApprovalDecision, now: string): Settled<Approval | undefined>;
  use(id: string, now: string): Settled<boolean>;
  useRound(id: string, round: number): Settled<boolean>;
  roundsOf(id: string): number | undefined;
  expire(now: string): Settled<readonly string[]>;
  /** pending → expired ahead of time; false if it is no longer pending. */
  withdraw(id: string): Settled<boolean>;
  /** The remembered approval, if a person gave it on one of these surfaces. */
  remembered(
    key: RememberedKey,
    scopes: readonly string[],
    surfaces: readonly Surface[],
    now: string,
  ): RememberedApproval | undefined;
  /** False if nothing is remembered under this id. */
  forget(id: string): Settled<boolean>;
}

export interface ApprovalGateOptions {
  readonly store: ApprovalStorePort;
  readonly clock: Clock;
  /** Masks the secrets of one server. `keep` limits which arguments may be stored. */
  readonly redactor: {
    of(server: string): Pick<Redactor, 'known'> & { readonly keep?: (value: unknown) => unknown };
  };
  /** Encrypts the exact arguments of a question, so that an approver can reveal them. */
  seal(approval: Pick<Approval, 'id' | 'arguments_sha256'>, text: string): string;
  /** Signs the state that 2026 clients carry: the current key, then the previous one. */
  readonly keys: readonly Uint8Array[];
  readonly settings: () => { readonly expires_ms: number; readonly wait_ms: number };
  newApprovalId(): string;
  /** A sentence for the waiting client that says how a person approves the question with this id. */
  readonly howToApprove?: (id: string) => string;
}

export interface ApprovalEvents {
  created: [Approval];
  /** Like `created`, but only in the process that asked. */
  asked: [Approval];
  decided: [Approval];
  /** All waits end. */
  ending: [];
}

/** A call that a person approved. `use` returns true only once. */
export interface ApprovedCall {
  /** The id is null if an older version, which did not store it, remembered the approval. */
  readonly approval: Pick<Approval, 'decided_by' | 'decided_via'> & { readonly id: string | null };
  /** The approval was given to an earlier call and covers any arguments. */
  readonly isRemembered: boolean;
  use(): Settled<boolean>;
  /** Signs the state that identifies further rounds of the same call. */
  wrapState(upstream: string): string;
}

/** Asks the client by a result, because servers send no requests in revision 2026-07-28. */
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
