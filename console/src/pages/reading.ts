import { useSignal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import type { Approval } from '../data/types.ts';
import { isFolded } from '../parts/json.tsx';
import { isAtRest, linesLeftOf, type Mark, markNow, scrollToUnseen } from './on-screen.ts';

/** Which parts of the arguments of one call a person has opened. */
export interface Opened {
  /** Nothing is folded. */
  readonly isOpen: boolean;
  /** The exact arguments, once they were requested. */
  readonly exact: string | undefined;
  /** All lines of the arguments have been on the screen. */
  readonly isSeen: boolean;
  readonly error: unknown;
}

/** How far a view has shown the arguments of some calls. The state ends with the view. */
export interface Reading {
  readonly of: (approval: Approval) => Opened;
  /** Whether nothing is folded, and all cut parts are loaded. */
  readonly isUnfolded: (approval: Approval) => boolean;
  /** Whether the person could see all arguments: they are unfolded, and all lines have been on the screen. */
  readonly isRead: (approval: Approval) => boolean;
  /** Takes one step towards that: unfolds, or scrolls to the first lines that were not on the screen. */
  readonly readOn: (approval: Approval) => Promise<void>;
  /** Notes which lines stayed on the screen since the last look, and says whether nothing has moved. `end` is the element after the last line. */
  readonly look: (approval: Approval, end: HTMLElement) => boolean;
  /** How many lines have not been on the screen yet. */
  readonly linesLeft: (approval: Approval) => number;
  /** Unfolds the arguments and loads the parts that the list has cut, which the gateway records. */
  readonly readAll: (approval: Approval) => Promise<void>;
  readonly loadExact: (approval: Approval) => Promise<void>;
}

const CLOSED: Opened = { isOpen: false, exact: undefined, isSeen: false, error: undefined };

/** Other arguments must be read again. */
const keyOf = ({ id, arguments_sha256 }: Approval) => `${id} ${arguments_sha256}`;

export function isCut({ cut }: Approval): boolean {
  return cut !== undefined && cut.length > 0;
}

/** A change of `scope` closes everything again. */
export function useReading(scope = ''): Reading {
  const [known, setKnown] = useState<{ readonly scope: string; readonly opened: ReadonlyMap<string, Opened> }>();
  const opened = known?.scope === scope ? known.opened : undefined;
  const of = (approval: Approval) => opened?.get(keyOf(approval)) ?? CLOSED;
  const marks = useRef(new Map<string, Mark>()).current;
  const linesLeft = useSignal<ReadonlyMap<string, number>>(new Map());
  const current = useRef(scope);
  if (current.current !== scope) marks.clear();
  current.current = scope;
  const change = (approval: Approval, changed: Partial<Opened>) => {
    // The answer may arrive after the view has moved on.
    if (current.current !== scope) return;
    setKnown((now) => {
      const before = now?.scope === scope ? now.opened : new Map<string, Opened>();
      const key = keyOf(approval);
      return { scope, opened: new Map(before).set(key, { ...(before.get(key) ?? CLOSED), ...changed }) };
    });
  };
  const loadExact = async (approval: Approval) => {
    if (of(approval).exact !== undefined) return;
    try {
      const path = `/v1/approvals/${encodeURIComponent(approval.id)}/arguments`;
      const { text } = await api<{ text: string }>(path, { method: 'POST', body: {} });
      // The new text comes after the part that was seen.
      change(approval, { exact: text, isSeen: false, error: undefined });
    } catch (error) {
      change(approval, { error });
    }
  };
  const isUnfolded = (approval: Approval) => {
    const { isOpen, exact } = of(approval);
    if (isCut(approval)) return isOpen && exact !== undefined;
    return isOpen || !isFolded(approval.arguments ?? {});
  };
  const readAll = async (approval: Approval) => {
    // Lines appear between those that were seen.
    marks.delete(keyOf(approval));
    change(approval, { isOpen: true, isSeen: false });
    if (isCut(approval)) await loadExact(approval);
  };
  return {
    of,
    isUnfolded,
    isRead: (approval) => isUnfolded(approval) && of(approval).isSeen,
    readAll,
    readOn: async (approval) => {
      const mark = marks.get(keyOf(approval));
      if (!isUnfolded(approval)) await readAll(approval);
      else if (mark) scrollToUnseen(mark);
    },
    look: (approval, end) => {
      const key = keyOf(approval);
      const before = marks.get(key);
      const mark = markNow(end, before);
      marks.set(key, mark);
      const left = linesLeftOf(mark);
      if (linesLeft.peek().get(key) !== left) linesLeft.value = new Map(linesLeft.peek()).set(key, left);
      if (left === 0 && !of(approval).isSeen) change(approval, { isSeen: true });
      return isAtRest(mark, before);
    },
    linesLeft: (approval) => linesLeft.value.get(keyOf(approval)) ?? 0,
    loadExact,
  };
}
