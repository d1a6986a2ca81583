import { boundTo, serverCount, session, waiting } from '../data/live.ts';
import type { IconName } from '../parts/icons.tsx';
import type { t } from '../texts.ts';

export interface PageEntry {
  readonly id: IconName & keyof typeof t.pages;
  readonly group: 0 | 1 | 2;
  /** The room that the page needs. */
  readonly room?: string;
  /** It shows what belongs to no profile. */
  readonly isBeyondProfiles?: true;
  /** Number of items on the page that need a person. */
  readonly count?: () => number;
}

const PAGES: readonly PageEntry[] = [
  { id: 'overview', group: 0 },
  { id: 'approvals', group: 0, count: () => waiting.value.length },
  { id: 'servers', group: 0, count: serverCount, isBeyondProfiles: true },
  { id: 'tools', group: 0 },
  { id: 'audit', group: 0 },
  { id: 'policy', group: 0, isBeyondProfiles: true },
  { id: 'context', group: 1, room: 'context', isBeyondProfiles: true },
  { id: 'names', group: 1, room: 'bind' },
  { id: 'civic', group: 1, room: 'civic' },
  { id: 'settings', group: 2 },
];

/** Whether a page shows more than the credential of this browser may see. */
export function isBeyond(id: string): boolean {
  return boundTo.value !== undefined && PAGES.some((page) => page.id === id && page.isBeyondProfiles === true);
}

/** Leaves out pages of rooms that this gateway does not serve, and those that a key of a profile may not see. */
export function shownPages(): readonly PageEntry[] {
  const rooms = session.value?.rooms ?? [];
  return PAGES.filter(({ id, room }) => !isBeyond(id) && (room === undefined || rooms.includes(room)));
}
