import { posix, win32 } from 'node:path';
import type { Environment } from './minimal-environment.ts';

/**
 * The same environment with a PATH that leads to no program of the folder: `npm exec` puts `node_modules/.bin` of the project
 * first. Relative parts go as well. Where the home folder lies in it, the person's own programs do too: then only
 * `node_modules/.bin` is taken out.
 */
export function pathOutside(env: Environment, folder: string, platform: string): Environment {
  const { delimiter, isAbsolute, relative } = platform === 'win32' ? win32 : posix;
  const isWithin = (path: string) => {
    const way = relative(folder, path);
    return way === '' || !(way === '..' || /^\.\.[\\/]/.test(way) || isAbsolute(way));
  };
  const home = variable(env, platform === 'win32' ? 'USERPROFILE' : 'HOME', platform);
  const holdsHome = home !== undefined && isAbsolute(home) && isWithin(home);
  const isTaken = (part: string) => {
    if (!isAbsolute(part)) return true;
    return isWithin(part) && (!holdsHome || /[\\/]node_modules[\\/]\.bin[\\/]*$/.test(part));
  };
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const isPath = (platform === 'win32' ? name.toUpperCase() : name) === 'PATH';
      const kept = isPath ? value?.split(delimiter).filter((part) => !isTaken(part)) : undefined;
      return [name, kept?.join(delimiter) ?? value];
    }),
  );
}

function variable(env: Environment, name: string, platform: string): string | undefined {
  if (platform !== 'win32') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
