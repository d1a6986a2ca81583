import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BinderyError } from '../contract/errors.ts';
import { isDatabaseUrl } from '../store/postgres/connection-settings.ts';
import { findAnnouncement } from './running-gateway.ts';

/** Adds `--db` to a command that opens the registry. */
export function addDatabaseOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--db <file|url>',
      'registry database: a file instead of registry.db, or postgres://… for several nodes',
    ),
  );
}

/** The address of the shared database, if the flag names one. */
export function sharedDatabaseUrl(flag: unknown): string | undefined {
  return typeof flag === 'string' && isDatabaseUrl(flag) ? flag : undefined;
}

/** The registry file: that of the flag, otherwise that of the data directory, which may be a replica of a shared one. */
export function registryFile(flag: unknown, dataDir: string, cwd = '.'): string {
  if (typeof flag !== 'string' || isDatabaseUrl(flag)) return join(dataDir, 'registry.db');
  // The text may contain a password, so do not repeat it.
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(flag)) throw new BinderyError('DATABASE_UNSUPPORTED');
  if (flag === '') throw new BinderyError('USAGE', { detail: '--db is the path of a file' });
  return resolve(cwd, flag);
}

/** The registry file for a command: without a flag, that of the running gateway of this data directory. */
export async function registryFileOfCommand(flag: unknown, dataDir: string, cwd = '.'): Promise<string> {
  const announced = typeof flag === 'string' ? undefined : await findAnnouncement(dataDir);
  return announced?.registry ?? registryFile(flag, dataDir, cwd);
}
