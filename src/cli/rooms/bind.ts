import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { z } from 'zod';
import { Answers } from '../../bind/answers.ts';
import type { BindDeps } from '../../bind/deps.ts';
import { PROTECTED_NAMES } from '../../bind/limits.ts';
import { verifyOperation } from '../../bind/operations/keys.ts';
import { createResolver, distrust } from '../../bind/resolver.ts';
import { bindRoom } from '../../bind/room.ts';
import type { ZoneWriter } from '../../bind/write-zone.ts';
import { ZoneTable } from '../../bind/zone-table.ts';
import { BinderyError } from '../../contract/errors.ts';
import { bindRoom as bindRoomTo } from '../../contract/operation.ts';
import type { Clock, Log } from '../../contract/ports.ts';
import type { NameResolver } from '../../host/connection/named-endpoint.ts';
import { FolderZones } from '../../store/bind/folder-zones.ts';
import { SigningKeyFile } from '../../store/bind/signing-key.ts';
import { SqliteZones } from '../../store/bind/sqlite-zones.ts';
import { directories } from '../directories.ts';
import { createLog } from '../log.ts';
import { addOperationCommand, type CommandFlags } from '../operation-command.ts';
import type { ServedRoom, Wiring } from '../wiring.ts';

type ZoneStore = ZoneWriter & { readonly table: ZoneTable; follow(): void; close(): Promise<void> };

const BindConfig = z.object({
  zones: z.string().optional(),
  allow_private_endpoints: z.boolean().default(false),
  registrar_keys: z.array(z.string().min(1)).default([]),
  signing_key_file: z.string().optional(),
  protected_names: z.array(z.string()).default([...PROTECTED_NAMES]),
});

type BindConfig = z.output<typeof BindConfig>;

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
    const { flags, cwd, dataDir, log, clock } = settings;
    const config = readConfig(directories(process.env).configFile);
    const path = zonesPath(flags, config, cwd) ?? join(dataDir, 'zones');
    if (!flags.zones && !config.zones && !existsSync(path)) return undefined;
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
          `npx bindery bind explain ${name}${flags.zones ? ` --zones ${String(flags.zones)}` : ''}`,
        ];
      },
      close: async () => {
        keys?.close();
        await store.close();
      },
    };
  },
};

/** Resolves `ai://` names by the zones that are served here, or where none are by those of the configuration, read anew. */
export function nameResolverOf(served: readonly ServedRoom[]): NameResolver {
  return {
    resolve: async (name) => {
      const here = served.find(({ bound }) => bound.room.name === bindRoom.name)?.bound.deps as BindDeps | undefined;
      const { answers, clock, writer } = here ?? commandDeps({ cwd: '.' }, false);
      try {
        return await createResolver(answers, clock).resolve(name);
      } finally {
        if (!here) await (writer as ZoneStore).close();
      }
    },
    distrust: (answer, keys) => distrust(answer, keys, Date.now()),
  };
}

function commandDeps(flags: CommandFlags, needsNoZones: boolean): BindDeps {
  const config = readConfig(directories(process.env).configFile);
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
  return /\.(db|sqlite3?)$/.test(path) ? new SqliteZones(path) : new FolderZones(path, log);
}

function zonesPath(flags: CommandFlags, config: BindConfig, cwd: string): string | undefined {
  return typeof flags.zones === 'string' ? resolve(cwd, flags.zones) : config.zones;
}

/** The section `bind` of the configuration; its paths are relative to the file. */
function readConfig(file: string): BindConfig {
  const refuse = (detail: string, cause: unknown) =>
    new BinderyError('USAGE', { detail, next: 'Correct the section "bind" of config.json.', cause });
  let section: unknown;
  try {
    section = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { bind?: unknown }).bind : undefined;
  } catch (cause) {
    throw refuse('config.json is not JSON', cause);
  }
  const parsed = BindConfig.safeParse(section ?? {});
  if (!parsed.success) throw refuse(z.prettifyError(parsed.error).replaceAll(/\s+/g, ' '), parsed.error);
  const { zones, signing_key_file, ...rest } = parsed.data;
  return {
    ...rest,
    zones: zones && resolve(dirname(file), zones),
    signing_key_file: signing_key_file && resolve(dirname(file), signing_key_file),
  };
}

function stderrLog(): Log {
  return createLog((line) => process.stderr.write(line), 'warn');
}
