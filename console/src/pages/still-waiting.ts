import { useRef } from 'preact/hooks';
import { decided, pending } from '../data/live.ts';
import type { Approval } from '../data/types.ts';

/** The approvals of a dialog in their current state, and those that still wait. */
export function useStillWaiting(approvals: readonly Approval[]): {
  readonly shown: readonly Approval[];
  readonly waiting: readonly Approval[];
} {
  // Decided approvals are published for a moment only, so they are kept here.
  const done = useRef(new Map<string, Approval>()).current;
  for (const { id } of approvals) {
    const now = decided.value.get(id);
    if (now) done.set(id, now);
  }
  const shown = approvals.map((approval) => done.get(approval.id) ?? approval);
  const ids = new Set((pending.value ?? []).map(({ id }) => id));
  return { shown, waiting: shown.filter(({ id }) => ids.has(id)) };
}
