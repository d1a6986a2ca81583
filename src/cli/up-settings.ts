import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { BinderyError } from '../contract/errors.ts';
import { pooledRandom } from '../contract/pooled-random.ts';
import type { Log } from '../contract/ports.ts';
import type { Diagnosis } from '../gateway/administration/diagnosis.ts';
import type { UpFlags, UpSettings } from '../runtime/up-settings.ts';
import { isDatabaseUrl } from '../store/postgres/connection-settings.ts';
import { directories } from './directories.ts';
import { addDatabaseOption, registryFile } from './registry-location.ts';
import { needFolder, needPartners, needServed } from './served-flags.ts';
import { unusedFiles } from './unused-files.ts';

/** Options of all serving commands: what is served, and under which rules. */
export function addServingOptions(command: Command): Command {
  return addDatabaseOption(command)
    .option('--cwd <dir>', 'folder of the project', '.')
    .option('--policy <file>', 'policy file instead of the global and the project’s')
    .option('--exposure <mode>', 'which tools clients see: auto, search or all')
    .option('--trust-project', 'trust what the project’s config defines, for this run')
    .option('--node <name>', 'name of this node, in the audit log and among other nodes', ONLY_NODE)
    .option('--caches <dir>', 'folder of context caches')
    .option('--zones <dir>', 'folder of zone files')
    .option('--corpus <dir>', 'folder of a civic corpus')
    .option('--providers <file>', 'file of the provider directory')
    .option('--trusted-proxy <cidr>', 'proxy whose X-Forwarded-For counts (repeatable)', collect)
    .option('--allow-private-endpoints', 'let names resolve to private addresses');
}

/** The name of a single node. */
const ONLY_NODE = 'local';

/** The name is part of the names of audit chains, followed by a slash. */
const NODE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** The settings from flags and environment, for all rooms. */
export function upSettings(flags: Partial<UpFlags>, log: Log, baseUrl: () => string): UpSettings {
  const { configDir, configFile, dataDir } = directories(process.env);
  if (flags.node !== undefined && !NODE_NAME.test(flags.node))
    throw new BinderyError('USAGE', { detail: '--node is a name of letters, digits, ".", "_" and "-"' });
  const cwd = resolve(flags.cwd ?? '.');
  needFolder('--cwd', cwd);
  const policyFile = flags.policy === undefined ? undefined : resolve(cwd, flags.policy);
  refuseUnusedFiles(cwd, policyFile, log);
  needServed(flags as Record<string, unknown>, cwd);
  needPartners({ flags: flags as Record<string, unknown>, cwd, dataDir, configFile });
  return {
    flags: flags as Record<string, unknown>,
    cwd,
    policyFile,
    configDir,
    configFile,
    dataDir,
    ...databaseOf(flags, dataDir, cwd),
    node: flags.node ?? ONLY_NODE,
    log,
    clock: { now: Date.now },
    random: pooledRandom({ bytes: randomBytes }),
    setUp: {
      settings: async () => (await import('./all-settings.ts')).ALL_SETTINGS,
      diagnose: () => diagnoseHere(cwd),
    },
    baseUrl,
  };
}

/** Refuses to start with a policy file that is not in force: every call would be allowed. */
function refuseUnusedFiles(cwd: string, policyFile: string | undefined, log: Log): void {
  const unused = unusedFiles(directories(process.env), { cwd, policyFile }, process.env);
  if (unused?.isMeant) throw new BinderyError('DATA_DIR_UNUSABLE', { detail: unused.what, next: unused.remedy });
  if (unused) log.warn(`${unused.what}. ${unused.remedy}`);
}

/** The findings of `bindery doctor` here. */
async function diagnoseHere(cwd: string): Promise<readonly Diagnosis[]> {
  const { configDir, configFile, dataDir } = directories(process.env);
  const [{ diagnose }, { findAnnouncement }] = await Promise.all([
    import('./doctor/diagnose.ts'),
    import('./running-gateway.ts'),
  ]);
  const machine = { platform: process.platform, home: process.env.HOME || homedir(), env: process.env };
  return diagnose({ machine, cwd, configDir, configFile, dataDir, running: await findAnnouncement(dataDir) }, false);
}

/** The location of the registry, and the shared database if there are several nodes. */
function databaseOf(
  { db, node = ONLY_NODE, advertise, workers = '1' }: Partial<UpFlags>,
  dataDir: string,
  cwd: string,
): Pick<UpSettings, 'registryFile' | 'databaseUrl' | 'advertise'> {
  if (db === undefined || !isDatabaseUrl(db)) {
    if (advertise !== undefined)
      throw usage('--advertise is for one of several nodes: add --db postgres://…, the database that they share');
    return { registryFile: registryFile(db, dataDir, cwd), databaseUrl: undefined, advertise };
  }
  if (node === ONLY_NODE) throw usage('with --db postgres://… each node needs a name of its own: add --node NAME');
  if (workers !== '1')
    throw usage('with --db postgres://… a node is one process: start more nodes in place of --workers');
  if (advertise !== undefined && !isPlainHttpUrl(advertise))
    throw usage('--advertise is an address like http://10.0.0.7:7717, under which other nodes reach this one');
  return { registryFile: registryFile(undefined, dataDir), databaseUrl: db, advertise };
}

/** A port number; 0 picks a free one. */
export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= PORT_MAX) return port;
  throw new BinderyError('USAGE', {
    detail: `--port is a number from 0 to ${PORT_MAX}, not "${text}"`,
    next: 'Leave it out for the port of the config (7717 unless it says another), or give 0 to pick a free port.',
  });
}

const PORT_MAX = 65_535;

function isPlainHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function usage(detail: string): BinderyError {
  return new BinderyError('USAGE', { detail });
}

function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), value];
}
