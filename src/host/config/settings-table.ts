import { z } from 'zod';
import { GATEWAY_SETTINGS } from './settings/gateway-section.ts';
import { PERMISSION_SETTINGS } from './settings/permission-settings.ts';
import { SERVER_SETTINGS } from './settings/server-settings.ts';
import { GLOBAL_ONLY, type ListedSetting, listed } from './settings/setting.ts';

export const TokenStore = z.enum(['file', 'keychain']);

/** All keys of config.json that host and gateway read. A key without a record has no effect in a project. */
export const SETTINGS: readonly ListedSetting[] = [
  {
    path: 'version',
    schema: z.number(),
    summary: 'Version of the format of this file.',
    default: 1,
    project: GLOBAL_ONLY,
  },
  {
    path: 'mcp.token_store',
    schema: TokenStore,
    summary: 'Where tokens of servers are kept: in a file, or in the keychain of the system.',
    default: 'file',
    project: GLOBAL_ONLY,
  },
  ...listed('mcp.servers.*', SERVER_SETTINGS),
  ...listed('permissions', PERMISSION_SETTINGS),
  ...GATEWAY_SETTINGS,
];
