import { useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import type { Approval } from '../data/types.ts';
import { isFolded } from '../parts/json.tsx';

/** What a person has opened of the arguments of one call. */
export interface Opened {
  /** Nothing is folded. */
  readonly isOpen: boolean;
  /** The arguments byte for byte, once they were asked for. */
  readonly exact: string | undefined;
  /** The end of what is shown has been on the screen. */
  readonly isSeen: boolean;
  readonly error: unknown;
}

/** What a view shows of the arguments of some calls. It forgets it when it is left. */
export interface Reading {
  readonly of: (approval: Approval) => Opened;
  /** Whether nothing is folded, and nothing that is cut is missing. */
  readonly isUnfolded: (approval: Approval) => boolean;
  /** Whether all of the arguments was before the person: it is unfolded, and its end has been on the screen. */
  readonly isRead: (approval: Approval) => boolean;
  /** Does one step towards that: unfolds what is folded, or scrolls on by a screen. */
  readonly readOn: (approval: Approval) => Promise<void>;
  /** What stands behind the last line of the arguments. */
  readonly end: (approval: Approval) => HTMLElement | undefined;
  readonly setEnd: (approval: Approval, end: HTMLElement | null) => void;
  readonly see: (approval: Approval) => void;
  /** Unfolds the arguments; what the list has cut is loaded, which the gateway records. */
  readonly readAll: (approval: Approval) => Promise<void>;
  readonly loadExact: (approval: Approval) => Promise<void>;
}

const CLOSED: Opened = { isOpen: false, exact: undefined, isSeen: false, error: undefined };

/** Other arguments are something else to read. */
const keyOf = ({ id, arguments_sha256 }: Approval) => `${id} ${arguments_sha256}`;

export function isCut({ cut }: Approval): boolean {
  return cut !== undefined && cut.length > 0;
}

/** `scope` is what the view is of: another one begins with everything closed. */
export function useReading(scope = ''): Reading {
  const [known, setKnown] = useState<{ readonly scope: string; readonly opened: ReadonlyMap<string, Opened> }>();
  const opened = known?.scope === scope ? known.opened : undefined;
  const of = (approval: Approval) => opened?.get(keyOf(approval)) ?? CLOSED;
  const ends = useRef(new Map<string, HTMLElement>()).current;
  const current = useRef(scope);
  current.current = scope;
  const change = (approval: Approval, changed: Partial<Opened>) => {
    // What was asked for may come when the view has gone on.
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
      // It stands behind what was seen.
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
    see: (approval) => {
      if (!of(approval).isSeen) change(approval, { isSeen: true });
    },
    loadExact,
  };
}

/** What the bars at the edges of the screen may cover. */
export const COVERED_PX = 64;
/** Lines that stay on the screen when it goes on, with the bars over them. */
const KEPT_PX = 260;

/** A screen further towards an element, and no further than it. */
function scrollOn(end: HTMLElement): void {
  const box = end.closest('dialog') ?? document.documentElement;
  const step = Math.max(120, box.clientHeight - KEPT_PX);
  box.scrollBy({ top: Math.min(step, pixelsBelow(end) + 2 * COVERED_PX), behavior: 'instant' });
}

/** How far an element is below what is on the screen. */
export function pixelsBelow(end: HTMLElement): number {
  const bottom = end.closest('dialog')?.getBoundingClientRect().bottom ?? innerHeight;
  return Math.max(0, end.getBoundingClientRect().top - bottom + COVERED_PX);
}
