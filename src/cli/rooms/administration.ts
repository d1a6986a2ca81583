import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { AnyOperation } from '../../contract/operation.ts';
import type { AdministrationDeps, InitDeps } from '../../gateway/administration/deps.ts';
import { administrationRoom } from '../../gateway/administration/room.ts';
import { type AdminRecorder, recordedAfterwards, recordedOperation } from '../../gateway/audit/recorded-room.ts';
import { type ClientId, FORMATS, type GatewayAddress } from '../../gateway/import/client-formats.ts';
import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { DataBackup } from '../../store/backup/data-backup.ts';
import { type EndProcess, FileBackups } from '../../store/import/file-backups.ts';
import { KeyStore } from '../../store/keys/key-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import { fileRecorder } from '../commands/file-recorder.ts';
import { forgetRemovedPolicies } from '../commands/forget-policies.ts';
import { planImport } from '../commands/import-clients.ts';
import { ownFiles } from '../commands/own-files.ts';
import { withSharedState } from '../commands/with-shared-state.ts';
import { confirmed, type OnEnter } from '../confirm.ts';
import { connectClient, disconnectClient } from '../connect-client.ts';
import { directories } from '../directories.ts';
import type { ProbeServer, SetUp } from '../doctor/finding.ts';
import { likelyPort, portOfUrl } from '../gateway-port.ts';
import type { InitOptions } from '../init/init-deps.ts';
import { withNeededKey } from '../needed-key.ts';
import { addOperationCommand, type CommandFlags } from '../operation-command.ts';
import { type OwnProgram, ownProgram } from '../own-program.ts';
import { addDatabaseOption, registryFileOfCommand, sharedDatabaseUrl } from '../registry-location.ts';
import { type Announcement, findAnnouncement } from '../running-gateway.ts';
import type { Terminal } from '../terminal.ts';
import type { Wiring } from '../wiring.ts';
import { commandCatalog } from './catalog-deps.ts';

/** Wires the commands of a person at the gateway's machine; all of them are recorded in the audit log. */
export const administrationWiring: Wiring = {
  room: administrationRoom,
  addCommands(program, terminal) {
    const { dataDir } = directories(process.env);
    const recorder = fileRecorder(dataDir);
    for (const operation of administrationRoom.operations) {
      const recorded = operation.hints.readOnly ? operation : recordedCommand(operation, recorder);
      addOperationCommand(program, recorded, {
        terminal,
        options: (command) => {
          command.option('--cwd <dir>', 'folder of the project', '.');
          if (/key|backup/.test(operation.id)) addDatabaseOption(command);
          if (operation.id === 'gateway.init') addNoStart(command);
        },
        deps: (flags) => administrationDeps(flags, terminal, operation.id),
      });
    }
  },
};

function recordedCommand(operation: AnyOperation, recorder: AdminRecorder): AnyOperation {
  if (operation.id.startsWith('gateway.backup')) return recordedAfterwards(operation, recorder);
  if (operation.id === 'gateway.import' || operation.id === 'gateway.init') {
    return recordedAfterwards(operation, recorder, (output) => (output as { backup: unknown }).backup !== null);
  }
  const recorded = recordedOperation(operation, recorder);
  if (operation.id !== 'gateway.restore') return recorded;
  // Dry runs are not recorded.
  const isDry = (input: unknown) => (input as { dry_run: boolean }).dry_run;
  return { ...operation, run: (input, ...rest) => (isDry(input) ? operation : recorded).run(input, ...rest) };
}

/** Commands that write entries of the gateway into clients' files. */
const WRITES_ENTRIES = ['gateway.connect', 'gateway.import', 'gateway.init'];

async function administrationDeps(
  flags: CommandFlags,
  terminal: Terminal,
  operation: string,
): Promise<AdministrationDeps> {
  const { dataDir, configDir, configFile } = directories(process.env);
  const cwd = resolve(String(flags.cwd ?? '.'));
  const clock = { now: Date.now };
  const fileBackups = new FileBackups(join(dataDir, 'backups'), clock);
  const file = await registryFileOfCommand(flags.db, dataDir, cwd);
  const backup = new DataBackup(dataDir, clock, { registryFile: file, configFile });
  const running = await findAnnouncement(dataDir);
  const databaseUrl = sharedDatabaseUrl(flags.db);
  const onKeys = <T>(work: (keys: KeyStore) => T) => {
    const run = () => work(new KeyStore(openDatabase(file), clock));
    return databaseUrl === undefined ? run() : withSharedState(databaseUrl, file, run);
  };
  const machine = { platform: process.platform, home: process.env.HOME || homedir(), env: process.env };
  const url = running?.url ?? `http://127.0.0.1:${likelyPort(configFile)}`;
  const program = ownProgram();
  const plain = { url: `${url}/mcp`, command: program.command, args: program.args };
  const address = running && WRITES_ENTRIES.includes(operation) ? await withNeededKey(plain) : plain;
  const confirm = (question: string, onEnter?: OnEnter) =>
    flags.json === true ? Promise.resolve(false) : confirmed(question, terminal, onEnter);
  const connecting = { machine, cwd, backups: fileBackups, address, confirm };
  const importing = {
    machine,
    cwd,
    config: new ConfigStore({ global: configFile, project: projectConfigFile(cwd) }),
    backups: fileBackups,
    address,
    warn: (text: string) => void terminal.warn(text),
  };
  const canAsk = flags.json !== true && process.stdin.isTTY && process.stderr.isTTY;
  return {
    catalog: commandCatalog,
    hasPath: (path) => existsSync(resolve(cwd, path)),
    addServer: async (id, entry, scope) => ({
      warnings: await importing.config.add(id, entry, scope, false),
      path: importing.config.files[scope],
    }),
    init: lateInit({ importing, program, configDir, dataDir, running, canAsk, showsLink: terminal.isPerson }),
    diagnose: lateDiagnose({ machine, cwd, configDir, configFile, dataDir, running, probe: lateProbe(cwd, terminal) }),
    connect: async (request) => {
      const doubts = [...portWarning(running, configFile), ...cacheWarning(program, request.client, address)];
      for (const doubt of doubts) await terminal.warn(doubt);
      return connectClient(connecting, request);
    },
    disconnect: (request) => disconnectClient(connecting, request),
    planImport: (request) => planImport(importing, request),
    confirm,
    restore: async (request) => {
      const own = ownFiles(configFile, machine.env);
      const restored = await fileBackups.restore(request, { end: endStarted(dataDir), own });
      const still = request.dry_run ? undefined : await findAnnouncement(dataDir);
      if (still) await terminal.warn(stillRuns(still));
      else if (!request.dry_run) forgetRemovedPolicies(restored, file);
      return restored;
    },
    keys: {
      create: (request) => onKeys((keys) => keys.create(request, { bytes: (length) => randomBytes(length) })),
      list: () => onKeys((keys) => keys.list()),
      revoke: (id) => onKeys((keys) => keys.revoke(id)),
    },
    backups: {
      create: (file) => backup.create(resolve(cwd, file)),
      restore: (file) => backup.restore(resolve(cwd, file)),
    },
  };
}

function lateDiagnose(setUp: SetUp): AdministrationDeps['diagnose'] {
  return async (fix) => (await import('../doctor/diagnose.ts')).diagnose(setUp, fix);
}

/** Connects to a server as the gateway would. Loads its code on first use. */
function lateProbe(projectDir: string, terminal: Terminal): ProbeServer {
  const loaded = async () => {
    const [{ createHostDeps, hostContext }, { nameResolverOf }] = await Promise.all([
      import('./host/host-deps.ts'),
      import('./name-resolver.ts'),
    ]);
    return createHostDeps({ ...hostContext(terminal), projectDir, names: nameResolverOf([]) });
  };
  let deps: ReturnType<typeof loaded> | undefined;
  return async (server, signal) => {
    deps ??= loaded();
    return (await deps).probe(server, signal);
  };
}

/** Loads the code for the set-up on first use. */
function lateInit(options: InitOptions): InitDeps {
  const loaded = async () => (await import('../init/init-deps.ts')).initDeps(options);
  return {
    look: async (port) => (await loaded()).look(port),
    ask: async (found, given) => (await loaded()).ask(found, given),
    plan: async (answers, found) => (await loaded()).plan(answers, found),
    checkPort: async (found) => (await loaded()).checkPort(found),
    start: async (how, found, backup) => (await loaded()).start(how, found, backup),
  };
}

/** Stops the gateway that was started when the files were written. */
function endStarted(dataDir: string): EndProcess {
  return async ({ how, pid }) => {
    if (how !== 'service') return (await import('../init/start-gateway.ts')).stopGateway(dataDir, pid);
    await (await import('../init/systemd-unit.ts')).removeService();
    return true;
  };
}

/** Warns if this program is in npx's cache: then a client's entry starts it through npx, which looks it up each time. */
function cacheWarning({ isCached }: OwnProgram, client: ClientId, address: GatewayAddress): string[] {
  if (!isCached || FORMATS[client].ownEntry(address).command === undefined) return [];
  return [
    'npx keeps this program in a cache that npm may empty, so the entry starts it with npx, which looks it up each time. To start it from this machine: `npm i -g mcp-bindery`, and connect again',
  ];
}

/** Warns about a client on a port that the next gateway will not use. */
function portWarning(running: Announcement | undefined, configFile: string): string[] {
  if (!running) return [];
  const port = portOfUrl(running.url);
  const later = likelyPort(configFile);
  if (port === later) return [];
  return [
    `the gateway runs on port ${port}, and the next \`bindery up\` takes ${later}: to keep ${port}, set gateway.port in ${configFile}`,
  ];
}

/** The note about a gateway that keeps running after files were restored. */
function stillRuns({ url }: Announcement): string {
  return `a gateway still runs at ${url}. A policy file that was removed stays in force there until \`bindery policy reload\`; stop it with \`bindery stop\``;
}

/** `--no-start` is `--start no`. */
function addNoStart(command: Command): void {
  command.option('--no-start', 'the same as --start no').hook('preAction', () => {
    if (command.getOptionValue('start') === false) command.setOptionValue('start', 'no');
  });
}
