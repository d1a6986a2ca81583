import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { configDirectory } from '../host/config/config-directory.ts';

export interface Directories {
  readonly configDir: string;
  readonly configFile: string;
  readonly dataDir: string;
}

/** Bindery's directories, from the variables that names.md lists. */
export function directories(env: NodeJS.ProcessEnv): Directories {
  const home = env.HOME || homedir();
  const xdg = env.BINDERY_LAYOUT === 'xdg';
  const dataDir = xdg ? join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'bindery') : join(home, '.bindery');
  const configFile = env.BINDERY_CONFIG_PATH
    ? resolve(env.BINDERY_CONFIG_PATH)
    : join(configDirectory(env), 'config.json');
  return {
    configDir: dirname(configFile),
    configFile,
    dataDir: env.BINDERY_DATA_DIR ? resolve(env.BINDERY_DATA_DIR) : dataDir,
  };
}
