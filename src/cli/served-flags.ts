import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BinderyError } from '../contract/errors.ts';
import type { UpSettings } from '../runtime/up-settings.ts';
import { readBindConfig, servedZones } from './rooms/bind-config.ts';
import { readCivicConfig } from './rooms/civic-config.ts';

/** Refuses flags that name a missing path, probably a typo: otherwise nothing would be served, silently. */
export function needServed(flags: Readonly<Record<string, unknown>>, cwd: string): void {
  const path = (name: string) => (typeof flags[name] === 'string' ? resolve(cwd, flags[name]) : undefined);
  needFolder('--caches', path('caches'));
  const zones = path('zones');
  // A missing database is created.
  if (zones !== undefined && !existsSync(zones) && !/\.(?:db|sqlite3?)$/.test(zones)) needFolder('--zones', zones);
  const providers = path('providers');
  if (providers !== undefined && !existsSync(providers))
    throw missing('--providers', 'there is no such file', providers);
  // A file that is not SQLite is refused when it is opened.
  const database = typeof flags.db === 'string' && !flags.db.includes('://') ? path('db') : undefined;
  if (database !== undefined && !existsSync(dirname(database)))
    throw missing('--db', 'there is no such folder', dirname(database));
}

/** Refuses flags that have no effect without another setting. */
export function needPartners(settings: Pick<UpSettings, 'flags' | 'cwd' | 'dataDir' | 'configFile'>): void {
  const { flags, configFile } = settings;
  const hasCorpus = () => flags.corpus !== undefined || readCivicConfig(configFile).corpus !== undefined;
  for (const [name, flag] of [
    ['providers', '--providers'],
    ['trustedProxy', '--trusted-proxy'],
  ] as const) {
    if (flags[name] !== undefined && !hasCorpus())
      throw alone(flag, 'no corpus is served', 'Add --corpus DIR, or set civic.corpus in config.json.');
  }
  if (flags.allowPrivateEndpoints === true && servedZones(settings, readBindConfig(configFile)) === undefined) {
    const next = 'Add --zones DIR, or set bind.zones or bind.allow_private_endpoints in config.json.';
    throw alone('--allow-private-endpoints', 'no zones are served', next);
  }
}

function alone(flag: string, why: string, next: string): BinderyError {
  return new BinderyError('USAGE', { detail: `${flag} has no effect: ${why}`, next });
}

export function needFolder(flag: string, path: string | undefined): void {
  const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || found?.isDirectory()) return;
  throw missing(flag, found ? 'this is not a folder' : 'there is no such folder', path);
}

function missing(flag: string, what: string, path: string): BinderyError {
  const next = `Check the path, or make the ${what.endsWith('file') ? 'file' : 'folder'} first.`;
  return new BinderyError('USAGE', { detail: `${flag}: ${what}: ${path}`, next });
}
