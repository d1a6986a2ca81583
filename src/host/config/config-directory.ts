import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './expand-env.ts';

/** The folder of the user's config, tokens and trust, from environment variables. */
export function configDirectory(env: Environment): string {
  const home = env.HOME || homedir();
  if (env.BINDERY_LAYOUT !== 'xdg') return join(home, '.bindery');
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'bindery');
}
