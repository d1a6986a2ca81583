import { useRef, useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import type { Approval } from '../data/types.ts';
import { isFolded } from '../parts/json.tsx';
import { type ReadLines, useReadLines } from './read-lines.ts';

/** Which parts of the arguments of one call a person has opened. */
export interface Opened {
  /** Nothing is folded. */
  readonly isOpen: boolean;
  /** The exact arguments, once they were requested. */
  readonly exact: string | undefined;
  readonly error: unknown;
}

/** How far a view has shown the arguments of some calls. The state ends with the view. */
export interface Reading {
  readonly lines: ReadLines;
  readonly of: (approval: Approval) => Opened;
  /** Whether nothing is folded, and all cut parts are loaded. */
  readonly isUnfolded: (approval: Approval) => boolean;
  /** Whether the person could see all arguments: they are unfolded, and all lines have been on the screen. */
  readonly isRead: (approval: Approval) => boolean;
  /** Takes one step towards that: unfolds, or scrolls to the first lines that were not on the screen. */
  readonly readOn: (approval: Approval) => Promise<void>;
  /** Unfolds the arguments and loads the parts that the list has cut, which the gateway records. */
  readonly readAll: (approval: Approval) => Promise<void>;
  readonly loadExact: (approval: Approval) => Promise<void>;
}

const CLOSED: Opened = { isOpen: false, exact: undefined, error: undefined };

/** Names the arguments of a call: other arguments must be read again. */
export const argumentsKey = ({ id, arguments_sha256 }: Approval) => `${id} ${arguments_sha256}`;

export function isCut({ cut }: Approval): boolean {
  return cut !== undefined && cut.length > 0;
}

/** A change of `scope` closes everything again. */
export function useReading(scope = ''): Reading {
  const [known, setKnown] = useState<{ readonly scope: string; readonly opened: ReadonlyMap<string, Opened> }>();
  const opened = known?.scope === scope ? known.opened : undefined;
  const of = (approval: Approval) => opened?.get(argumentsKey(approval)) ?? CLOSED;
  const lines = useReadLines(scope);
  const current = useRef(scope);
  current.current = scope;
  const change = (approval: Approval, changed: Partial<Opened>) => {
    // The answer may arrive after the view has moved on.
    if (current.current !== scope) return;
    setKnown((now) => {
      const before = now?.scope === scope ? now.opened : new Map<string, Opened>();
      const key = argumentsKey(approval);
      return { scope, opened: new Map(before).set(key, { ...(before.get(key) ?? CLOSED), ...changed }) };
    });
  };
  const loadExact = async (approval: Approval) => {
    if (of(approval).exact !== undefined) return;
    try {
      const path = `/v1/approvals/${encodeURIComponent(approval.id)}/arguments`;
      const { text } = await api<{ text: string }>(path, { method: 'POST', body: {} });
      lines.forget(argumentsKey(approval), false);
      change(approval, { exact: text, error: undefined });
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
    lines.forget(argumentsKey(approval), true);
    change(approval, { isOpen: true });
    if (isCut(approval)) await loadExact(approval);
  };
  return {
    lines,
    of,
    isUnfolded,
    isRead: (approval) => isUnfolded(approval) && lines.isSeen(argumentsKey(approval)),
    readAll,
    readOn: async (approval) => {
      if (isUnfolded(approval)) lines.scrollOn(argumentsKey(approval));
      else await readAll(approval);
    },
    loadExact,
  };
}
