import { resolve } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { judge, type PolicyLayer } from '../../gateway/policy/decide.ts';
import { type KnownTools, lintPolicy } from '../../gateway/policy/lint-policy.ts';
import type { ConfigStore, LoadedConfig } from '../../host/config/config-store.ts';
import { gatewaySettings } from '../../host/config/gateway-settings.ts';
import { readPolicy } from '../../store/policy/read-policy.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import { configuredProfiles } from './configured-profiles.ts';
import type { policyPaths } from './policy-paths.ts';
import { resolveArgumentPath } from './resolve-path.ts';

export interface FilePolicyOptions {
  readonly paths: ReturnType<typeof policyPaths>;
  readonly projectDir: string;
  readonly config: ConfigStore;
  readonly registry: RegistryStore;
  /** Servers that every gateway has. */
  readonly builtins: readonly string[];
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** What the files say now, whatever a gateway has in use: a bad one is bad here, however good it was before. */
export function filePolicy(options: FilePolicyOptions): Pick<GatewayDeps['policy'], 'check' | 'lint'> {
  const { paths, projectDir, config } = options;
  return {
    check: async ({ server, tool, arguments: args, profile = 'default' }) => {
      const loaded = await config.load();
      const entry = loaded.servers.find(({ id }) => id === server)?.entry;
      const cwd = resolve(projectDir, entry?.cwd ?? '.');
      return judge([...fileLayers(paths), ...profileLayers(loaded, profile)], {
        server,
        tool,
        ...(args === undefined ? {} : { arguments: { value: args } }),
        resolvePath: (path) => resolveArgumentPath(path, cwd),
      }).decision;
    },
    lint: async (file) => {
      const known = knownTools(await config.load(), options);
      const files = file === undefined ? paths.map((path) => path.file) : [resolve(projectDir, file)];
      const read = files.flatMap((path) => readPolicy(path)?.policy ?? []);
      if (file !== undefined && read.length === 0)
        throw new BinderyError('USAGE', { detail: `"${file}" cannot be read` });
      const reports = read.map((policy) => lintPolicy(policy, known));
      return { ok: reports.every(({ ok }) => ok), findings: reports.flatMap(({ findings }) => findings) };
    },
  };
}

function fileLayers(paths: FilePolicyOptions['paths']): PolicyLayer[] {
  return paths.flatMap(({ layer, file }) => {
    const read = readPolicy(file);
    return read ? [{ layer, file, policy: read.policy }] : [];
  });
}

function profileLayers({ layers }: LoadedConfig, name: string): readonly PolicyLayer[] {
  const profiles = configuredProfiles(gatewaySettings(layers).settings, undefined, SILENT);
  const profile = profiles.find((one) => one.name === name);
  if (!profile) throw new BinderyError('PROFILE_NOT_FOUND', { detail: name });
  return profile.policies;
}

function knownTools({ servers }: LoadedConfig, { registry, builtins }: FilePolicyOptions): KnownTools {
  const offers = registry.offers();
  const ids = new Set([...servers.map(({ id }) => id), ...offers.keys(), ...builtins]);
  const toolsOf = (id: string) => offers.get(id)?.tools.map(({ definition }) => definition.name);
  return new Map(
    [...ids].map((id) => {
      const tools = toolsOf(id);
      return [id, tools && new Set(tools)];
    }),
  );
}
