import { boundTo } from '../data/live.ts';

const TABS = ['keys', 'users', 'nodes', 'config', 'findings', 'gateway'] as const;

/** Only the last is about one profile as well. */
export function settingsTabs(): readonly (typeof TABS)[number][] {
  return boundTo.value === undefined ? TABS : ['gateway'];
}
