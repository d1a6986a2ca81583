import { BinderyError } from '../../contract/errors.ts';
import { GATEWAY_LIMITS } from '../limits.ts';

/** A question that waits for a decision: whose it is, and how much is kept of it. */
export interface PendingQuestion {
  readonly id: string;
  readonly caller: string;
  readonly bytes: number;
}

/** Throws `TOO_MANY_APPROVALS` where another question would be one too many for its caller, or for everyone. */
export function refuseTooMany(pending: readonly PendingQuestion[], caller: string, bytes: number): void {
  const own = pending.filter((question) => question.caller === caller);
  const {
    approvalsPendingPerCallerMax: ownMax,
    approvalsPendingMax: allMax,
    approvalsPendingBytesPerCallerMax: ownBytesMax,
    approvalsPendingBytesMax: allBytesMax,
  } = GATEWAY_LIMITS;
  if (own.length >= ownMax || bytesOf(own) + bytes > ownBytesMax)
    throw new BinderyError('TOO_MANY_APPROVALS', { detail: `${own.length} calls of this caller wait for a decision` });
  if (pending.length >= allMax || bytesOf(pending) + bytes > allBytesMax)
    throw new BinderyError('TOO_MANY_APPROVALS', { detail: `${pending.length} calls wait for a decision` });
}

function bytesOf(questions: readonly PendingQuestion[]): number {
  return questions.reduce((sum, { bytes }) => sum + bytes, 0);
}
