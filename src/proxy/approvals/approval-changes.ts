import type { EventEmitter } from 'node:events';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { PROXY_LIMITS } from '../limits.ts';

export interface ApprovalEvents {
  created: [Approval];
  /** The same, where this process asked; other nodes get `created` alone. */
  asked: [Approval];
  decided: [Approval];
  /** Nobody is waited for any more. */
  ending: [];
}

/** Waits for changes of one question, from the first read to the last. */
export interface ApprovalChanges {
  /** Something may be different now; also now and then, without a reason. */
  next(): Promise<void>;
  end(): void;
}

/**
 * The changes of a question; the end of any of the signals is one too. The call that has waited longest hears first, since one
 * yes is for one of them.
 */
export function changesOf(
  events: EventEmitter<ApprovalEvents>,
  id: string,
  signals: readonly CancelSignal[],
): ApprovalChanges {
  let change = Promise.withResolvers<void>();
  const onDecided = (approval: Approval) => {
    if (approval.id === id) change.resolve();
  };
  const onEnd = () => change.resolve();
  events.on('decided', onDecided);
  events.on('ending', onEnd);
  for (const signal of signals) signal.addEventListener('abort', onEnd, { once: true });
  return {
    next: async () => {
      const timer = setTimeout(change.resolve, PROXY_LIMITS.approvalLookEveryMs);
      await change.promise;
      clearTimeout(timer);
      change = Promise.withResolvers<void>();
    },
    end: () => {
      events.off('decided', onDecided);
      events.off('ending', onEnd);
      for (const signal of signals) signal.removeEventListener('abort', onEnd);
    },
  };
}
