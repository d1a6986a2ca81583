import { useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import type { Approval } from '../data/types.ts';
import { isFolded } from '../parts/json.tsx';

/** Which parts of the arguments of one call a person has opened. */
export interface Opened {
  /** Nothing is folded. */
  readonly isOpen: boolean;
  /** The exact arguments, once they were requested. */
  readonly exact: string | undefined;
  /** The beginning and then the end of the arguments have been on the screen. */
  readonly isSeen: boolean;
  readonly error: unknown;
}

/** How far a view has shown the arguments of some calls. The state ends with the view. */
export interface Reading {
  readonly of: (approval: Approval) => Opened;
  /** Whether nothing is folded, and all cut parts are loaded. */
  readonly isUnfolded: (approval: Approval) => boolean;
  /** Whether the person could see all arguments: they are unfolded, and their beginning and end have been on the screen. */
  readonly isRead: (approval: Approval) => boolean;
  /** Takes one step towards that: unfolds, or scrolls by a screen. */
  readonly readOn: (approval: Approval) => Promise<void>;
  /** The element after the last line of the arguments. */
  readonly end: (approval: Approval) => HTMLElement | undefined;
  readonly setEnd: (approval: Approval, end: HTMLElement | null) => void;
  /** Reports that the beginning of the arguments is on the screen. */
  readonly begin: (approval: Approval) => void;
  /** Reports that the end is on the screen: the arguments are read if their beginning was there. */
  readonly see: (approval: Approval) => void;
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
  const ends = useRef(new Map<string, HTMLElement>()).current;
  const begun = useRef(new Set<string>()).current;
  const current = useRef(scope);
  if (current.current !== scope) begun.clear();
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
    change(approval, { isOpen: true, isSeen: false });
    if (isCut(approval)) await loadExact(approval);
  };
  return {
    of,
    isUnfolded,
    isRead: (approval) => isUnfolded(approval) && of(approval).isSeen,
    readAll,
    readOn: async (approval) => {
      const end = ends.get(keyOf(approval));
      if (!isUnfolded(approval)) await readAll(approval);
      else if (end) scrollOn(end);
    },
    end: (approval) => ends.get(keyOf(approval)),
    setEnd: (approval, end) => {
      if (end) ends.set(keyOf(approval), end);
      else ends.delete(keyOf(approval));
    },
    begin: (approval) => begun.add(keyOf(approval)),
    see: (approval) => {
      if (begun.has(keyOf(approval)) && !of(approval).isSeen) change(approval, { isSeen: true });
    },
    loadExact,
  };
}

/** Height that the bars at the edges of the screen may cover. */
export const COVERED_PX = 64;
/** Overlap between two screens of a scroll, bars included. */
const KEPT_PX = 260;

/** Scrolls one screen towards an element, at most up to it. */
function scrollOn(end: HTMLElement): void {
  const box = end.closest('dialog') ?? document.documentElement;
  const step = Math.max(120, box.clientHeight - KEPT_PX);
  box.scrollBy({ top: Math.min(step, pixelsBelow(end) + 2 * COVERED_PX), behavior: 'instant' });
}

/** How far an element is below the visible area. */
export function pixelsBelow(end: HTMLElement): number {
  const bottom = end.closest('dialog')?.getBoundingClientRect().bottom ?? innerHeight;
  return Math.max(0, end.getBoundingClientRect().top - bottom + COVERED_PX);
}
