import type { EventEmitter } from 'node:events';
import type { CancelSignal } from '../../contract/cancellation.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { isCounted, type PendingLimit, type PendingQuestion, partyOf } from '../../gateway/approval/pending-limits.ts';
import { encodeNotification } from '../../wire/messages.ts';
import type { ClientCall } from '../call/client-call.ts';
import { progressTokenOf } from '../call/progress.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { ApprovalEvents, ApprovalGateOptions } from './approval-ports.ts';

/** Calls that wait for a person; their number and bytes are bounded. */
export class WaitingCalls {
  readonly #events: EventEmitter<ApprovalEvents>;
  readonly #options: Pick<ApprovalGateOptions, 'clock' | 'settings'>;
  readonly #asked = new AskedQuestions();
  #waiting = 0;
  #waitingBytes = 0;
  #isEnding = false;

  constructor(events: EventEmitter<ApprovalEvents>, options: Pick<ApprovalGateOptions, 'clock' | 'settings'>) {
    this.#events = events;
    this.#options = options;
    events.on('decided', ({ id }) => this.#asked.remove(id));
  }

  get count(): number {
    return this.#waiting;
  }

  /** Ends all waits; the questions stay open. */
  end(): void {
    this.#isEnding = true;
    this.#events.emit('ending');
  }

  /** Whether a call waits here for a question. */
  isAwaited(id: string): boolean {
    return this.#asked.isAwaited(id);
  }

  /** Marks the questions of an ended session as abandoned: they are the first to be withdrawn. */
  endSession(session: string): void {
    this.#asked.endSession(session);
  }

  /** Removes the longest abandoned question that counts against the limit that a new one exceeds; returns its id, if any. */
  evict(limit: PendingLimit, approval: Approval): string | undefined {
    const asked = { caller: approval.caller, party: partyOf(approval) };
    const oldest = this.#asked.left().find((question) => isCounted(limit, question, asked));
    if (oldest) this.#asked.remove(oldest.id);
    return oldest?.id;
  }

  /** Waits until a question is decided, the client leaves, or the deadline passes. `current` reads the state of the question. */
  async wait(
    { request, exchange }: ClientCall,
    pending: Approval,
    until: AbortSignal,
    current: () => Promise<Approval>,
  ): Promise<Approval> {
    const deadline = this.#options.clock.now() + this.#options.settings().wait_ms;
    const token = progressTokenOf(request);
    let reportedAt = this.#options.clock.now();
    if (!this.#hasRoomFor(request)) return current();
    const left = exchange.left();
    const change = changesOf(this.#events, pending.id, [exchange.signal, left]);
    this.#asked.begin(pending);
    this.#waiting += 1;
    this.#waitingBytes += request.bytes.length;
    try {
      for (let step = 1; ; step += 1) {
        const found = await current();
        exchange.signal.throwIfAborted();
        const isOver = this.#isEnding || left.aborted || this.#options.clock.now() >= deadline;
        if (found.status !== 'pending' || isOver) return found;
        until.throwIfAborted();
        await change.next();
        if (token !== undefined && this.#options.clock.now() - reportedAt >= PROXY_LIMITS.approvalProgressEveryMs) {
          reportedAt = this.#options.clock.now();
          const params = { progressToken: token, progress: step, message: `waiting for approval: ${pending.id}` };
          exchange.send(encodeNotification({ method: 'notifications/progress', params }));
        }
      }
    } finally {
      this.#asked.end(pending.id, left.aborted || exchange.signal.aborted);
      this.#waiting -= 1;
      this.#waitingBytes -= request.bytes.length;
      change.end();
    }
  }

  #hasRoomFor({ bytes }: ClientCall['request']): boolean {
    const { approvalWaitingMax, approvalWaitingBytesMax } = PROXY_LIMITS;
    return this.#waiting < approvalWaitingMax && this.#waitingBytes + bytes.length <= approvalWaitingBytesMax;
  }
}

/** Notifies one waiting call about changes of its question. */
export interface ApprovalChanges {
  /** Resolves when something may have changed, and periodically without a change. */
  next(): Promise<void>;
  end(): void;
}

/**
 * Watches a question; an aborted signal counts as a change, too. The longest waiting call is notified first, since an approval is good
 * for one call.
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

/** An abandoned question: no call waits for it. */
export type LeftQuestion = Pick<PendingQuestion, 'id' | 'caller' | 'party'>;

/**
 * Tracks which calls wait for which question. A question that was asked here and whose clients have all left stays open until it
 * expires or its place is needed.
 */
export class AskedQuestions {
  readonly #waiting = new Map<string, number>();
  /** Open questions that were asked here. */
  readonly #open = new Map<string, LeftQuestion & { readonly session: string | null }>();
  /** Abandoned questions, the longest abandoned first. */
  readonly #left = new Set<string>();

  /** Registers a call that waits for a question. */
  begin(question: Approval): void {
    const { id, caller, session } = question;
    this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1);
    this.#open.set(id, { id, caller, session, party: partyOf(question) });
    this.#left.delete(id);
  }

  /** A call stops waiting. A client that was asked to retry has not left. */
  end(id: string, hasLeft: boolean): void {
    const others = (this.#waiting.get(id) ?? 1) - 1;
    if (others > 0) this.#waiting.set(id, others);
    else this.#waiting.delete(id);
    if (hasLeft && others === 0 && this.#open.has(id)) this.#left.add(id);
  }

  /** Whether a call waits for it here. */
  isAwaited(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** A session has ended: its questions are abandoned. */
  endSession(session: string): void {
    for (const asked of this.#open.values())
      if (asked.session === session && !this.#waiting.has(asked.id)) this.#left.add(asked.id);
  }

  /** The question is decided, expired or withdrawn. */
  remove(id: string): void {
    this.#open.delete(id);
    this.#left.delete(id);
  }

  /** Abandoned questions, the longest abandoned first. */
  left(): readonly LeftQuestion[] {
    return [...this.#left].flatMap((id) => this.#open.get(id) ?? []);
  }
}
