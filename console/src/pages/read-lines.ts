import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isAtRest, linesLeftOf, linesOf, type Mark, markNow, scrollToUnseen } from './on-screen.ts';

/** Which lines of some texts have been on the screen; a key names a text. The state ends with the view. */
export interface ReadLines {
  /** All lines have been on the screen. */
  readonly isSeen: (key: string) => boolean;
  /** Notes which lines stayed on the screen since the last look, and says whether nothing has moved. `end` is the element after the last line. */
  readonly look: (key: string, end: HTMLElement) => boolean;
  /** How many lines have not been on the screen yet. */
  readonly left: (key: string) => number;
  /** How much of some texts has been on the screen, from 0 to 1. */
  readonly share: (keys: readonly string[]) => number;
  /** Scrolls to the first lines that were not on the screen. */
  readonly scrollOn: (key: string) => void;
  /** Lines appear after those that were seen, or, with `fromStart`, between them. */
  readonly forget: (key: string, fromStart: boolean) => void;
}

interface Lines {
  readonly all: number;
  readonly left: number;
  readonly isSeen: boolean;
}

const UNKNOWN: Lines = { all: 1, left: 1, isSeen: false };

/** A change of `scope` forgets everything. */
export function useReadLines(scope = ''): ReadLines {
  const marks = useRef(new Map<string, Mark>()).current;
  const known = useSignal<ReadonlyMap<string, Lines>>(new Map());
  const current = useRef({ scope, number: 0 });
  if (current.current.scope !== scope) {
    marks.clear();
    current.current = { scope, number: current.current.number + 1 };
  }
  const { number } = current.current;
  const inScope = (key: string) => `${number} ${key}`;
  const of = (key: string) => known.value.get(inScope(key)) ?? UNKNOWN;
  const change = (key: string, lines: Lines) => {
    const before = known.peek().get(inScope(key)) ?? UNKNOWN;
    const isSame = before.all === lines.all && before.left === lines.left && before.isSeen === lines.isSeen;
    // A look may come after the view has moved on.
    if (!isSame && current.current.number === number) known.value = new Map(known.peek()).set(inScope(key), lines);
  };
  return {
    isSeen: (key) => of(key).isSeen,
    look: (key, end) => {
      const before = marks.get(key);
      const mark = markNow(end, before);
      marks.set(key, mark);
      const left = linesLeftOf(mark);
      const wasSeen = known.peek().get(inScope(key))?.isSeen === true;
      change(key, { all: linesOf(mark), left, isSeen: wasSeen || left === 0 });
      return isAtRest(mark, before);
    },
    left: (key) => of(key).left,
    share: (keys) => {
      const sum = (member: 'all' | 'left') => keys.reduce((total, key) => total + of(key)[member], 0);
      return keys.length === 0 ? 1 : 1 - sum('left') / sum('all');
    },
    scrollOn: (key) => {
      const mark = marks.get(key);
      if (mark) scrollToUnseen(mark);
    },
    forget: (key, fromStart) => {
      if (fromStart) marks.delete(key);
      change(key, { ...(known.peek().get(inScope(key)) ?? UNKNOWN), isSeen: false });
    },
  };
}
