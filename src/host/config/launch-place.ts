import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { StdioSpec } from '../connection/supervision/server-set.ts';
import type { ConfiguredServer } from './configured-servers.ts';
import type { ServerEntry } from './server-entry.ts';

/** The folders that determine where stdio servers start. All are absolute. */
export interface ServerPlaces {
  /** The folder of the project. Only trusted servers of its own config start there. */
  readonly projectDir: string;
  /** The parent of the working directories of all other servers. */
  readonly serversDir: string;
}

/** The servers' folder in a data directory. */
export function serversDirIn(dataDir: string): string {
  return join(dataDir, 'servers');
}

export type LaunchPlace =
  | Pick<StdioSpec, 'command' | 'cwd' | 'isOwnCwd' | 'untrustedDir'>
  | { readonly reason: string };

/**
 * The working directory of a stdio server, and the program of a relative command. A server of the user's own config never starts in the
 * project's folder unless its entry names it, because programs load code from their working directory.
 */
export function launchPlace(
  { id, source, file, entry }: Pick<ConfiguredServer, 'id' | 'source' | 'file'> & { readonly entry: ServerEntry },
  { projectDir, serversDir }: ServerPlaces,
): LaunchPlace {
  const { command = '', cwd } = entry;
  if (source === 'project') return { command, cwd: resolve(projectDir, cwd ?? '.') };
  const relative = isRelativeCommand(command) ? 'command' : cwd !== undefined && !isAbsolute(cwd) ? 'cwd' : undefined;
  if (relative !== undefined && !isAbsolute(file)) {
    return { reason: `${relative}: must be an absolute path, because no config file names this server` };
  }
  const base = dirname(file);
  return {
    command: isRelativeCommand(command) ? resolve(base, command) : command,
    ...(cwd === undefined ? { cwd: join(serversDir, id), isOwnCwd: true } : { cwd: resolve(base, cwd) }),
    untrustedDir: projectDir,
  };
}

/** Makes command and `cwd` of an entry absolute, relative to its config file's folder. Leaves paths that begin with a variable or `~`. */
export function withPathsFrom<T extends Readonly<Record<string, unknown>>>(folder: string, entry: T): T {
  const { command, cwd } = entry;
  const isSettled = (path: string) => /^(?:\$\{|~)/.test(path);
  return {
    ...entry,
    ...(typeof command === 'string' && !isSettled(command) && isRelativeCommand(command)
      ? { command: resolve(folder, command) }
      : {}),
    ...(typeof cwd === 'string' && !isSettled(cwd) ? { cwd: resolve(folder, cwd) } : {}),
  };
}

/** A bare name is looked up on the PATH; `./run`, `bin/run` and `..\\run` are paths. */
function isRelativeCommand(command: string): boolean {
  const hasFolder = command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
  return hasFolder && !isAbsolute(command);
}
