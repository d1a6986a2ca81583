import { href, withQuery } from './router.ts';
import type { Costs } from './types.ts';

/** What a client sees under the setting in force. */
export function seenByClients({ exposure, exposures }: Costs): { readonly tools: number; readonly tokens: number } {
  return exposures[exposure];
}

/** The setting that decides it. */
export const EXPOSURE_LINK = withQuery(href('settings', 'config'), { key: 'gateway.exposure' });
