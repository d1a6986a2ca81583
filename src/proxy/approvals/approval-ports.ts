import type { Surface } from '../../contract/approval-surfaces.ts';
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

/** At once, or after a while. */
export type Settled<T> = T | Promise<T>;

/** Where questions are kept; the store implements it. Where several nodes share it, changes are made there first and take time. */
export interface ApprovalStorePort {
  /** Has reads know what other nodes have decided; absent where there are none. */
  refresh?(): Promise<void>;
  /**
   * Gives the question that stands: the same one may have been asked a moment before. `sealed` is its exact arguments. Throws
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
  /** pending → expired before its time; false where it is not pending any more. */
  withdraw(id: string): Settled<boolean>;
  remember(key: RememberedKey, scope: string, given: GivenYes): Settled<void>;
  /** The yes that is remembered and was given on one of these surfaces. */
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
