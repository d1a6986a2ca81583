import { chmodSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { LIMITS } from '../../contract/limits.ts';
import { isOpenToOthers } from '../../files/open-to-others.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { secretsOf } from '../commands/import-clients.ts';
import { shellWord } from '../shell-word.ts';
import { type SetUp, trouble } from './finding.ts';

/** Files of the config folder with tokens or keys that other users of the machine can read. */
export function checkSecrets({ configFile }: SetUp, fix: boolean): Diagnosis[] {
  const files = [join(dirname(configFile), 'mcp-auth.json'), ...(hasSecrets(configFile) ? [configFile] : [])];
  return files.filter(isOpenToOthers).map((path) => restrictReading(path, fix));
}

function hasSecrets(configFile: string): boolean {
  const text = readSuppliedFileSync({ path: configFile, bytesMax: LIMITS.configFileBytesMax })?.toString('utf8');
  const servers = text === undefined ? undefined : parse(text)?.mcp?.servers;
  return secretsOf(servers).some(({ value }) => value !== '');
}

/** Takes a file or folder from other users if `fix` is set; otherwise says how. */
export function restrictReading(path: string, fix: boolean): Diagnosis {
  const what = (statSync(path).mode & 0o022) === 0 ? 'read' : 'write';
  const isFolder = statSync(path).isDirectory();
  const remedy = isFolder ? '--fix makes it yours alone.' : `Run \`chmod 600 ${shellWord(path)}\`, or add --fix.`;
  if (!fix) return trouble('warning', 'data', `others can ${what} ${path}`, remedy);
  chmodSync(path, isFolder ? 0o700 : 0o600);
  return { check: 'data', level: 'fixed', message: `${path} is yours alone now`, fix: null };
}
