import { resolve } from 'node:path';
import { Option } from 'commander';
import { Answers } from '../../bind/answers.ts';
import type { BindDeps } from '../../bind/deps.ts';
import { verifyOperation } from '../../bind/operations/keys.ts';
import { bindRoom } from '../../bind/room.ts';
import type { ZoneWriter } from '../../bind/write-zone.ts';
import { ZoneTable } from '../../bind/zone-table.ts';
import { BinderyError } from '../../contract/errors.ts';
import { bindRoom as bindRoomTo } from '../../contract/operation.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import { FolderZones } from '../../store/bind/folder-zones.ts';
import { SigningKeyFile } from '../../store/bind/signing-key.ts';
import { SqliteZones } from '../../store/bind/sqlite-zones.ts';
import { directories } from '../directories.ts';
import { createLog } from '../log.ts';
import { addOperationCommand, type CommandFlags } from '../operation-command.ts';
import { shellWord } from '../shell-word.ts';
import type { Wiring } from '../wiring.ts';
import { type BindConfig, readBindConfig, servedZones, zonesPath } from './bind-config.ts';

export type ZoneStore = ZoneWriter & { readonly table: ZoneTable; follow(): void; close(): Promise<void> };

/** How `bind` is wired: zones from a folder, or from a database where the path names one. */
export const bindWiring: Wiring = {
  room: bindRoom,

  addCommands(program, terminal) {
    for (const operation of bindRoom.operations) {
      addOperationCommand(program, operation, {
        terminal,
        options: (command) => {
          command.addOption(new Option('--zones <path>', 'folder or database of zones'));
          command.addOption(new Option('--cwd <dir>', 'folder of the project').default('.'));
          command.addOption(new Option('--allow-private-endpoints', 'let names resolve to private addresses'));
        },
        deps: (flags) => commandDeps(flags, operation === verifyOperation),
      });
    }
  },

  async serve(settings) {
    const { flags, log, clock } = settings;
    const config = readBindConfig(settings.configFile);
    const path = servedZones(settings, config);
    if (path === undefined) return undefined;
    const store = openStore(path, log);
    store.follow();
    const keys = openKeys(config, log);
    keys?.follow();
    const deps = createDeps(store, keys, config, flags, clock);
    return {
      bound: bindRoomTo(bindRoom, deps),
      tryNext: () => {
        const name = store.table.names().find((candidate) => !deps.policy.protectedNames.has(candidate)) ?? 'sentinel';
        return [
          `curl '${settings.baseUrl()}/codex/resolve/mcp/${name}'`,
          `npx bindery bind explain ${shellWord(name)}${flags.zones ? ` --zones ${shellWord(String(flags.zones))}` : ''}`,
        ];
      },
      close: async () => {
        keys?.close();
        await store.close();
      },
    };
  },
};

/** What the room runs on in a command: the zones that the flags or the configuration name, read anew. */
export function commandDeps(flags: CommandFlags, needsNoZones: boolean): BindDeps {
  const config = readBindConfig(directories(process.env).configFile);
  const path = zonesPath(flags, config, resolve(String(flags.cwd)));
  const clock = { now: Date.now };
  const keys = openKeys(config, stderrLog());
  if (path !== undefined) return createDeps(openStore(path, stderrLog()), keys, config, flags, clock);
  if (needsNoZones) return createDeps(undefined, keys, config, flags, clock);
  throw new BinderyError('USAGE', {
    detail: 'there are no zones to look at',
    next: 'Pass --zones DIR, or set bind.zones in config.json.',
  });
}

function createDeps(
  store: ZoneStore | undefined,
  keys: SigningKeyFile | undefined,
  config: BindConfig,
  flags: CommandFlags,
  clock: Clock,
): BindDeps {
  const zones = store?.table ?? new ZoneTable();
  const policy = {
    protectedNames: new Set(config.protected_names),
    allowPrivateEndpoints: flags.allowPrivateEndpoints === true || config.allow_private_endpoints,
    registrarKeys: config.registrar_keys,
  };
  const signing = keys && (() => keys.current);
  const answers = new Answers({ zones, policy, clock, signing });
  return { zones, writer: store as ZoneWriter, answers, policy, clock, signing };
}

function openKeys({ signing_key_file: file }: BindConfig, log: Log): SigningKeyFile | undefined {
  return file === undefined ? undefined : new SigningKeyFile(file, log);
}

function openStore(path: string, log: Log): ZoneStore {
  return /\.(db|sqlite3?)$/.test(path) ? new SqliteZones(path, log) : new FolderZones(path, log);
}

function stderrLog(): Log {
  return createLog((line) => process.stderr.write(line), 'warn');
}
