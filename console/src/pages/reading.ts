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
  readonly error: unknown;
}

/** What a view shows of the arguments of some calls. It forgets it when it is left. */
export interface Reading {
  readonly of: (approval: Approval) => Opened;
  /** Whether all of the arguments is before the person: nothing is folded, and nothing that is cut is missing. */
  readonly isRead: (approval: Approval) => boolean;
  /** Unfolds the arguments; what the list has cut is loaded, which the gateway records. */
  readonly readAll: (approval: Approval) => Promise<void>;
  readonly loadExact: (approval: Approval) => Promise<void>;
}

const CLOSED: Opened = { isOpen: false, exact: undefined, error: undefined };

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
      change(approval, { exact: text, error: undefined });
    } catch (error) {
      change(approval, { error });
    }
  };
  return {
    of,
    isRead: (approval) => {
      const { isOpen, exact } = of(approval);
      if (isCut(approval)) return isOpen && exact !== undefined;
      return isOpen || !isFolded(approval.arguments ?? {});
    },
    readAll: async (approval) => {
      change(approval, { isOpen: true });
      if (isCut(approval)) await loadExact(approval);
    },
    loadExact,
  };
}
