import { resolve } from 'node:path';
import { Option } from 'commander';
import { Answers } from '../../bind/answers.ts';
import type { BindDeps } from '../../bind/deps.ts';
import { verifyOperation } from '../../bind/operations/keys.ts';
import { Registry } from '../../bind/registry.ts';
import { RemoteZones } from '../../bind/remote-zones.ts';
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
import { FollowedBindConfig } from './followed-bind-config.ts';
import { registryReader } from './registry-reader.ts';
import { zoneFetcher } from './zone-fetcher.ts';

/** Maximum number of damaged zones that a warning names. */
const DAMAGED_NAMED_MAX = 5;

export type ZoneStore = ZoneWriter & { readonly table: ZoneTable; follow(): void; close(): Promise<void> };

/** Wires `bind`: zones from a folder, or from a database if the path names one. */
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
    const followed = new FollowedBindConfig(settings.configFile);
    const config = followed.started;
    const path = servedZones(settings, config);
    if (path === undefined) return undefined;
    const store = openStore(path, log);
    store.follow();
    const keys = openKeys(config, log);
    keys?.follow();
    const resolvers = () => followed.resolvers;
    const { deps, remote } = createDeps({ store, keys, config, resolvers, flags, clock, log });
    const unfollow = followed.follow(() => remote.forget());
    return {
      bound: bindRoomTo(bindRoom, deps),
      tryNext: () => {
        const name = store.table.names().find((candidate) => !deps.policy.protectedNames.has(candidate)) ?? 'sentinel';
        return [
          `curl '${settings.baseUrl()}/codex/resolve/mcp/${name}'`,
          `npx bindery bind explain ${shellWord(name)}${flags.zones ? ` --zones ${shellWord(String(flags.zones))}` : ''}`,
        ];
      },
      warnings: () => {
        return [...zoneWarnings(store.table), ...followed.warnings()];
      },
      close: async () => {
        unfollow();
        keys?.close();
        await store.close();
      },
    };
  },
};

/** The room's dependencies in a command: the zones that the flags or the configuration name, read again each time. */
export function commandDeps(flags: CommandFlags, needsNoZones: boolean): BindDeps {
  const config = readBindConfig(directories(process.env).configFile);
  const path = zonesPath(flags, config, resolve(String(flags.cwd)));
  const clock = { now: Date.now };
  const log = stderrLog();
  const parts = { keys: openKeys(config, log), config, resolvers: () => config.resolvers, flags, clock, log };
  if (path !== undefined) return createDeps({ ...parts, store: openStore(path, log) }).deps;
  if (needsNoZones || Object.keys(config.resolvers).length > 0) return createDeps({ ...parts, store: undefined }).deps;
  throw noZones();
}

function noZones(): BinderyError {
  return new BinderyError('USAGE', {
    detail: 'there are no zones to look at',
    next: 'Pass --zones DIR, or set bind.zones in config.json.',
  });
}

/** Refuses writes if no zones are stored here. */
const NO_STORE: ZoneWriter & { close(): Promise<void> } = {
  update: async () => {
    throw noZones();
  },
  entries: () => {
    throw noZones();
  },
  close: async () => {},
};

/** Warnings about the zones for an operator. */
function zoneWarnings({ staleSinceMs, damaged }: ZoneTable): string[] {
  const warnings: string[] = [];
  if (staleSinceMs !== undefined) {
    warnings.push(`bind: the zones cannot be read since ${new Date(staleSinceMs).toISOString()}; answers are stale`);
  }
  if (damaged.size > 0) {
    const named = [...damaged].sort().slice(0, DAMAGED_NAMED_MAX).join(', ');
    const more = damaged.size > DAMAGED_NAMED_MAX ? ', …' : '';
    warnings.push(`bind: ${damaged.size} damaged zones do not resolve (${named}${more}); see \`bindery bind lint\``);
  }
  return warnings;
}

interface RoomParts {
  readonly store: ZoneStore | undefined;
  readonly keys: SigningKeyFile | undefined;
  readonly config: BindConfig;
  /** The currently configured resolvers. */
  readonly resolvers: () => BindConfig['resolvers'];
  readonly flags: CommandFlags;
  readonly clock: Clock;
  readonly log: Log;
}

function createDeps(parts: RoomParts): { readonly deps: BindDeps; readonly remote: RemoteZones } {
  const { store, keys, config, resolvers, flags, clock, log } = parts;
  const zones = store?.table ?? new ZoneTable();
  const policy = {
    protectedNames: new Set(config.protected_names),
    allowPrivateEndpoints: flags.allowPrivateEndpoints === true || config.allow_private_endpoints,
    registrarKeys: config.registrar_keys,
  };
  const signing = keys && (() => keys.current);
  const remote = new RemoteZones(zones, zoneFetcher(resolvers, policy.allowPrivateEndpoints, clock, log), clock);
  const answers = new Answers({ zones: remote, policy, clock, signing });
  const deps = {
    zones,
    writer: store ?? NO_STORE,
    answers,
    policy,
    clock,
    registry: new Registry(answers.zones, policy, config.registry_namespace),
    registryServers: registryReader(policy.allowPrivateEndpoints),
    signing,
  };
  return { deps, remote };
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
