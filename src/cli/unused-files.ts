import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { projectConfigFile } from '../host/config/config-store.ts';
import { policyPaths } from '../runtime/policy/policy-in-force.ts';
import type { Directories } from './directories.ts';

export interface UnusedFiles {
  readonly files: readonly string[];
  readonly what: string;
  readonly remedy: string;
  /** Neither a variable nor a flag names another place, so these files are probably meant to be used. */
  readonly isMeant: boolean;
}

/** Files in the data directory that have the names of config and policy, although these are read from another folder. */
export function unusedFiles(
  { configDir, configFile, dataDir }: Directories,
  { cwd, policyFile }: { readonly cwd: string; readonly policyFile?: string | undefined },
  env: NodeJS.ProcessEnv,
): UnusedFiles | undefined {
  const used = [configFile, projectConfigFile(cwd), ...policyPaths(policyFile, configDir, cwd).map(({ file }) => file)];
  const places = new Set(used.map(realPath));
  const found = ['config.json', 'project_mcp.json']
    .map((name) => join(dataDir, name))
    .filter((file) => existsSync(file) && !places.has(realPath(file)));
  if (found.length === 0) return undefined;
  return {
    files: found,
    what: `${found.join(' and ')} ${found.length === 1 ? 'is' : 'are'} not used: config and policy are read in ${configDir}`,
    remedy: `Set BINDERY_CONFIG_PATH=${join(dataDir, 'config.json')} to use them there, or move them to ${configDir}.`,
    isMeant: !env.BINDERY_CONFIG_PATH && policyFile === undefined,
  };
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
