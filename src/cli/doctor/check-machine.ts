import { accessSync, chmodSync, constants, existsSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { abandonedBeside } from '../../files/replace-file.ts';
import type { Diagnosis } from '../../gateway/administration/diagnosis.ts';
import { CLIENTS } from '../../gateway/import/client-formats.ts';
import { clientPlace } from '../../gateway/import/client-places.ts';
import { FileBackups } from '../../store/import/file-backups.ts';
import { listenProblem } from '../gateway-port.ts';
import { findBeside } from '../running-gateway.ts';
import { checkNetwork } from './check-network.ts';
import { restrictReading } from './check-secrets.ts';
import { noAccess, ok, type SetUp, trouble } from './finding.ts';

const NODE_MIN = [22, 19] as const;
const FREE_BYTES_MIN = 200_000_000;
/** An earlier clock is wrong. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
/** A later clock is wrong, or this version is too old. */
const LATEST_MS = Date.UTC(2041, 0, 1);
/** Files that only the user may read. */
const PRIVATE_FILES = ['admin.token', 'credentials.key', 'session.key'];

export function checkNode(version: string): Diagnosis[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isNew) return [ok('node', `Node ${version}`)];
  return [trouble('error', 'node', `Node ${version} is too old`, `Install Node ${NODE_MIN.join('.')} or newer.`)];
}

export function checkDataDir({ dataDir, running }: SetUp, fix: boolean): Diagnosis[] {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (!found) {
    if (!fix) return [trouble('warning', 'data', `${dataDir} does not exist yet`, '`bindery up` or --fix makes it.')];
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return [{ check: 'data', level: 'fixed', message: `made ${dataDir}`, fix: null }];
  }
  if (!found.isDirectory()) {
    const remedy = 'Move the file away, or name another folder with BINDERY_DATA_DIR.';
    return [trouble('error', 'data', `${dataDir} is a file, and has to be a folder`, remedy)];
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [noAccess('data', `${dataDir} cannot be read and written`, dataDir)];
  }
  const readable = ['.', ...PRIVATE_FILES]
    .map((name) => join(dataDir, name))
    .filter((path) => (modeOf(path) & 0o077) !== 0);
  const findings = readable.map((path) => restrictReading(path, fix));
  const stale = join(dataDir, 'gateway.json');
  if (running === undefined && existsSync(stale)) findings.push(withoutLeftover(stale, fix));
  return findings.length > 0 ? findings : [ok('data', dataDir)];
}

/** An `init` or `import` that was killed when it had written some of its files. */
export function checkInterrupted({ dataDir }: SetUp): Diagnosis[] {
  const found = new FileBackups(join(dataDir, 'backups'), { now: Date.now }).interrupted();
  if (found === null) return [];
  const message = `an ${found.command} was interrupted: only some of its files are written (backup ${found.backup})`;
  return [
    trouble(
      'error',
      'data',
      message,
      `\`bindery restore\` undoes it; \`bindery ${found.command}\` again completes it.`,
    ),
  ];
}

/** Temporary files and incomplete backups that killed commands left behind. */
export async function checkLeftovers({ machine, configFile, dataDir }: SetUp, fix: boolean): Promise<Diagnosis[]> {
  const backups = new FileBackups(join(dataDir, 'backups'), { now: Date.now });
  const clientFiles = CLIENTS.map((client) => clientPlace(client, machine));
  const files = new Set([configFile, ...clientFiles, ...backups.paths()]);
  const left = (await Promise.all([...files].map(abandonedBeside))).flat();
  return [...left, ...backups.leftovers()].map((path): Diagnosis => {
    if (!fix) return trouble('warning', 'data', `${path} is left of a command that was killed`, '--fix removes it.');
    rmSync(path, { recursive: true, force: true });
    return { check: 'data', level: 'fixed', message: `removed ${path}`, fix: null };
  });
}

/** Other users who can write the config or the policy control which programs start as this user, and what they may do. */
export function checkAccess({ machine, configDir, configFile, dataDir }: SetUp, fix: boolean): Diagnosis[] {
  // Windows uses access control lists, which modes do not show.
  if (machine.platform === 'win32') return [];
  const paths = [configDir, configFile, join(configDir, 'project_mcp.json')].filter((path) => path !== dataDir);
  const writable = paths.filter((path) => (modeOf(path) & WRITABLE_BY_OTHERS) !== 0);
  return writable.map((path) => restrictWriting(path, fix));
}

const WRITABLE_BY_OTHERS = 0o022;

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

function restrictWriting(path: string, fix: boolean): Diagnosis {
  if (!fix) return trouble('warning', 'config', `others can write ${path}`, '--fix lets only you write it.');
  chmodSync(path, modeOf(path) & 0o7777 & ~WRITABLE_BY_OTHERS);
  return { check: 'config', level: 'fixed', message: `only you can write ${path} now`, fix: null };
}

function withoutLeftover(path: string, fix: boolean): Diagnosis {
  if (!fix) return trouble('warning', 'data', `${path} is left of a gateway that was killed`, '--fix removes it.');
  rmSync(path);
  return { check: 'data', level: 'fixed', message: `removed ${path}`, fix: null };
}

export function checkDisk(dataDir: string): Diagnosis[] {
  let folder = dataDir;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / 1_000_000);
  if (bavail * bsize >= FREE_BYTES_MIN) return [ok('disk', 'there is room')];
  return [trouble('error', 'disk', `only ${free} MB are free`, 'Free some space: the audit log must be written.')];
}

export function checkClock(nowMs: number): Diagnosis[] {
  if (nowMs >= EARLIEST_MS && nowMs < LATEST_MS) return [ok('clock', 'plausible')];
  const shown = new Date(nowMs).toISOString().slice(0, 10);
  return [trouble('error', 'clock', `the clock says ${shown}`, 'Set the clock: certificates and tokens need it.')];
}

/** Variables with unusable values, so that the defaults are in force. */
export async function checkVariables({ machine: { env }, configFile }: SetUp): Promise<Diagnosis[]> {
  const { BINDERY_LAYOUT: layout, BINDERY_CONFIG_PATH: path } = env;
  return [
    ...(layout && layout !== 'xdg'
      ? [trouble('error', 'config', `BINDERY_LAYOUT is "${layout}", and has no effect`, 'Set it to xdg, or unset it.')]
      : []),
    ...(path && !existsSync(configFile)
      ? [
          trouble(
            'error',
            'config',
            `BINDERY_CONFIG_PATH names ${configFile}, and there is no such file`,
            'Correct the path, or write the file: without it nothing is configured, and no policy of yours is in force.',
          ),
        ]
      : []),
    ...(await checkNetwork(env)),
  ];
}

/** The running gateways. If there is none, checks whether another program blocks the port of `bindery up`. */
export async function checkGateways({ running, dataDir }: SetUp, port: number): Promise<Diagnosis[]> {
  const beside = existsSync(dataDir) && statSync(dataDir).isDirectory() ? await findBeside(dataDir) : [];
  const serving = [
    ...(running ? [ok('gateway', `process ${running.pid} serves ${running.url}`)] : []),
    ...beside.map(({ pid, url }) => ok('gateway', `process ${pid} serves ${url} (beside the other)`)),
  ];
  if (serving.length > 0) return serving;
  if ((await listenProblem(port)) === undefined)
    return [trouble('warning', 'gateway', 'no gateway is running', 'Start one with `bindery up`.')];
  const remedy = 'Stop that program, or choose another port: `bindery up --port 0`.';
  return [trouble('error', 'gateway', `another program has port ${port}`, remedy)];
}
