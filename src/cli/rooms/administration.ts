import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { AnyOperation } from '../../contract/operation.ts';
import { stillVisible } from '../../contract/visible-text.ts';
import type { AdministrationDeps, InitDeps } from '../../gateway/administration/deps.ts';
import { administrationRoom } from '../../gateway/administration/room.ts';
import { type AdminRecorder, recordedAfterwards, recordedOperation } from '../../gateway/audit/recorded-room.ts';
import { ConfigStore, projectConfigFile } from '../../host/config/config-store.ts';
import { PACKAGE_DIR } from '../../runtime/version.ts';
import { DataBackup } from '../../store/backup/data-backup.ts';
import { type EndProcess, FileBackups } from '../../store/import/file-backups.ts';
import { KeyStore } from '../../store/keys/key-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import { fileRecorder } from '../commands/file-recorder.ts';
import { planImport } from '../commands/import-clients.ts';
import { withSharedState } from '../commands/with-shared-state.ts';
import { connectClient, disconnectClient } from '../connect-client.ts';
import { directories } from '../directories.ts';
import type { InitOptions } from '../init/init-deps.ts';
import { addOperationCommand, type CommandFlags } from '../operation-command.ts';
import { addDatabaseOption, registryFileOfCommand, sharedDatabaseUrl } from '../registry-location.ts';
import { findAnnouncement } from '../running-gateway.ts';
import type { Terminal } from '../terminal.ts';
import type { Wiring } from '../wiring.ts';
import { commandCatalog } from './catalog-deps.ts';

const DEFAULT_URL = 'http://127.0.0.1:7717';
const BIN = join(PACKAGE_DIR, 'bin', 'bindery.js');

/** Wires what a person does at the machine of a gateway; all of it is recorded in the audit log. */
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
        deps: (flags) => administrationDeps(flags, terminal),
      });
    }
  },
};

function recordedCommand(operation: AnyOperation, recorder: AdminRecorder): AnyOperation {
  if (operation.id.startsWith('gateway.backup')) return recordedAfterwards(operation, recorder);
  if (operation.id === 'gateway.import' || operation.id === 'gateway.init') {
    return recordedAfterwards(operation, recorder, (output) => (output as { backup: unknown }).backup !== null);
  }
  return recordedOperation(operation, recorder);
}

async function administrationDeps(flags: CommandFlags, terminal: Terminal): Promise<AdministrationDeps> {
  const { dataDir, configDir, configFile } = directories(process.env);
  const cwd = resolve(String(flags.cwd ?? '.'));
  const clock = { now: Date.now };
  const fileBackups = new FileBackups(join(dataDir, 'backups'), clock);
  const file = await registryFileOfCommand(flags.db, dataDir, cwd);
  const backup = new DataBackup(dataDir, clock, { registryFile: file, configFile });
  const running = await findAnnouncement(dataDir);
  const url = sharedDatabaseUrl(flags.db);
  const onKeys = <T>(work: (keys: KeyStore) => T) => {
    const run = () => work(new KeyStore(openDatabase(file), clock));
    return url === undefined ? run() : withSharedState(url, file, run);
  };
  const machine = { platform: process.platform, home: process.env.HOME || homedir(), env: process.env };
  const address = { url: `${running?.url ?? DEFAULT_URL}/mcp`, command: process.execPath, args: [BIN, 'stdio'] };
  const connecting = { machine, cwd, backups: fileBackups, address };
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
    addServer: async (id, entry, scope) => ({
      warnings: await importing.config.add(id, entry, scope, false),
      path: importing.config.files[scope],
    }),
    init: lateInit({ importing, configDir, dataDir, running, canAsk }),
    diagnose: async (fix) =>
      (await import('../doctor/diagnose.ts')).diagnose({ machine, cwd, configDir, configFile, dataDir, running }, fix),
    connect: (request) => connectClient(connecting, request),
    disconnect: (request) => disconnectClient(connecting, request),
    planImport: (request) => planImport(importing, request),
    confirm: (question) => (flags.json === true ? Promise.resolve(false) : confirm(question, terminal)),
    restore: (backup, force) => fileBackups.restore(backup, force, endStarted(dataDir)),
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

/** Setting up needs more than other commands: it is loaded for that. */
function lateInit(options: InitOptions): InitDeps {
  const loaded = async () => (await import('../init/init-deps.ts')).initDeps(options);
  return {
    look: async (port) => (await loaded()).look(port),
    ask: async (found, given) => (await loaded()).ask(found, given),
    plan: async (answers, found) => (await loaded()).plan(answers, found),
    start: async (how, found, backup) => (await loaded()).start(how, found, backup),
  };
}

/** Ends the gateway that was started when the files were written. */
function endStarted(dataDir: string): EndProcess {
  return async ({ how, pid }) => {
    if (how === 'service') await (await import('../init/systemd-unit.ts')).removeService();
    else await (await import('../init/start-gateway.ts')).stopGateway(dataDir, pid);
  };
}

/** `--no-start` is `--start no`. */
function addNoStart(command: Command): void {
  command.option('--no-start', 'the same as --start no').hook('preAction', () => {
    if (command.getOptionValue('start') === false) command.setOptionValue('start', 'no');
  });
}

/** Asks at the terminal; without a terminal the answer is no. */
async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    await terminal.note(question.slice(0, question.lastIndexOf('\n') + 1));
    return false;
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${stillVisible(question)} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
