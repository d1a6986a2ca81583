import type { Approval } from '../../gateway/approval/approval.ts';
import { type PendingQuestion, partyOf } from '../../gateway/approval/pending-limits.ts';

/** An abandoned question: no call waits for it. */
export type LeftQuestion = Pick<PendingQuestion, 'id' | 'caller' | 'party'>;

/**
 * Who still waits for which question. One that was asked here, and whose clients have all left, stays until its time is up or its
 * place is needed.
 */
export class AskedQuestions {
  readonly #waiting = new Map<string, number>();
  /** Questions that are open and were asked here. */
  readonly #open = new Map<string, LeftQuestion & { readonly session: string | null }>();
  /** Abandoned questions, the longest abandoned first. */
  readonly #left = new Set<string>();

  /** A call waits for a question from now on. */
  begin(question: Approval): void {
    const { id, caller, session } = question;
    this.#waiting.set(id, (this.#waiting.get(id) ?? 0) + 1);
    this.#open.set(id, { id, caller, session, party: partyOf(question) });
    this.#left.delete(id);
  }

  /** A call waits no longer. A client that was asked to retry has not left. */
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

  /** A question has been answered. */
  remove(id: string): void {
    this.#open.delete(id);
    this.#left.delete(id);
  }

  /** Abandoned questions, the longest abandoned first. */
  left(): readonly LeftQuestion[] {
    return [...this.#left].flatMap((id) => this.#open.get(id) ?? []);
  }
}
