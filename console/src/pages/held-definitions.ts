import { useRef, useState } from 'preact/hooks';
import type { ToolChange } from '../data/types.ts';

export interface HeldDefinitions {
  /** The definitions as they were drawn first: what comes later does not replace them. */
  readonly shown: readonly ToolChange[];
  /** What waits now is no longer what is shown. */
  readonly isOld: boolean;
  /** Draws what waits now. */
  readonly showNow: () => void;
}

const nameOf = ({ original_name, user }: ToolChange) => `${user ?? ''} ${original_name}`;
export const definitionKey = (change: ToolChange) => `${nameOf(change)} ${change.definition_sha256}`;

/** Keeps on the screen what a person looks at, so that a click accepts that, however often the server changes its definitions meanwhile. */
export function useHeldDefinitions(waiting: readonly ToolChange[]): HeldDefinitions {
  const [, redraw] = useState({});
  const held = useRef(waiting);
  const names = new Set(waiting.map(nameOf));
  const isThere = (change: ToolChange) => names.has(nameOf(change));
  if (!held.current.some(isThere)) held.current = waiting;
  const shown = held.current.filter(isThere);
  const keys = new Set(shown.map(definitionKey));
  return {
    shown,
    isOld: waiting.some((change) => !keys.has(definitionKey(change))),
    showNow: () => {
      held.current = waiting;
      redraw({});
    },
  };
}
