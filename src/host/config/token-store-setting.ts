import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import { parseLayer } from './config-layer.ts';
import { TokenStore } from './settings-table.ts';

/** Where tokens are stored: `mcp.token_store` of the user's own config; a project cannot set it. */
export function tokenStoreSetting(configFile: string): 'file' | 'keychain' {
  const bytes = readSuppliedFileSync({ path: configFile, bytesMax: LIMITS.configFileBytesMax });
  const text = bytes?.toString('utf8');
  // A shortcut: most configs do not set it, and parsing a long file twice is slow.
  if (!text || !/token_store|\\u/.test(text)) return 'file';
  const { mcp } = parseLayer('global', configFile, text).value as { mcp?: { token_store?: unknown } };
  const setting = TokenStore.safeParse(mcp?.token_store ?? 'file');
  if (setting.success) return setting.data;
  throw new BinderyError('CONFIG_INVALID', { detail: 'mcp.token_store is "file" or "keychain"' });
}
