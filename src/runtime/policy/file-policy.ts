import { resolve } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { readsOnly } from '../../gateway/catalogue/server-offer.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { lintPolicy } from '../../gateway/policy/lint-policy.ts';
import { type KnownTools, nameDoubts } from '../../gateway/policy/name-doubts.ts';
import { unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { ParsedPolicy } from '../../gateway/policy/policy-document.ts';
import type { ConfigStore, LoadedConfig } from '../../host/config/config-store.ts';
import { oversizedArguments } from '../../proxy/message/argument-bounds.ts';
import type { PolicyFiles } from '../../store/policy/policy-files.ts';
import type { PolicyVersions } from '../../store/policy/policy-versions.ts';
import { readPolicy } from '../../store/policy/read-policy.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';
import { profileNamed, settingsInForce } from '../config/settings-in-force.ts';
import { filesOfServer } from './argument-files.ts';
import { degradedMember, policyStatus } from './policy-status.ts';

export interface FilePolicyOptions {
  readonly policyFiles: PolicyFiles;
  readonly versions: PolicyVersions;
  readonly projectDir: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly config: ConfigStore;
  readonly registry: RegistryStore;
  /** Servers that every gateway has. */
  readonly builtins: readonly string[];
  now(): number;
}

/**
 * What a gateway with these files decides: the one that runs, or one that starts now. Where it goes on by a last good version, so does
 * the answer, and says so.
 */
export function filePolicy(options: FilePolicyOptions): Pick<GatewayDeps['policy'], 'check' | 'lint'> {
  const { policyFiles, projectDir, dataDir, env, config } = options;
  return {
    check: async ({ server, tool, arguments: args, profile = 'default', at }) => {
      const oversized = oversizedArguments(args);
      if (oversized) throw oversized;
      const loaded = await config.load();
      const configured = loaded.servers.find(({ id }) => id === server);
      const files = () => filesOfServer({ server: configured, projectDir, dataDir, env, hasClientRoots: false });
      const { settings, lost } = settingsInForce(loaded.layers, options.versions);
      const { decision } = judge([...policyFiles.layers(), ...profileNamed(settings, profile).policies], {
        server,
        tool,
        now: () => at ?? options.now(),
        readOnly: isReadOnly(options.registry, server, tool),
        ...(args === undefined ? {} : { arguments: { value: args, files } }),
      });
      const { layers } = policyStatus({ policyFiles, config: { settings, lost, loadedAt: null } });
      const notes = nameDoubts(server, tool, knownTools(loaded, options));
      return { ...decision, ...degradedMember(layers, profile), ...(notes.length > 0 ? { notes } : {}) };
    },
    lint: async (file) => {
      const known = knownTools(await config.load(), options);
      const read =
        file === undefined ? policiesOf(policyFiles) : [{ file, policy: policyAt(resolve(projectDir, file), file) }];
      const reports = read.map(({ file: path, policy }) => ({ path, ...lintPolicy(policy, known) }));
      return {
        ok: reports.every(({ ok }) => ok),
        findings: reports.flatMap(({ path, findings }) => findings.map((finding) => ({ ...finding, file: path }))),
      };
    },
  };
}

/** What the server said when it was last seen. */
function isReadOnly(registry: RegistryStore, server: string, tool: string): boolean {
  const tools = registry.offers().get(server)?.tools ?? [];
  return tools.some((offered) => offered.definition.name === tool && readsOnly(offered));
}

/** The files as they are now; one that has vanished is an error. */
function policiesOf(policyFiles: PolicyFiles): { readonly file: string; readonly policy: ParsedPolicy }[] {
  return policyFiles.status().map(({ file, status }) => ({
    file,
    policy: status === 'vanished' ? unreadablePolicy('the file is gone') : policyAt(file, file),
  }));
}

function policyAt(path: string, written: string): ParsedPolicy {
  const read = readPolicy(path);
  if (!read) throw new BinderyError('USAGE', { detail: `"${written}" cannot be read` });
  return read.policy;
}

/** The servers of the config and of the registry, each with the tools that were last seen there. */
export function knownTools(
  { servers }: Pick<LoadedConfig, 'servers'>,
  { registry, builtins }: Pick<FilePolicyOptions, 'registry' | 'builtins'>,
): KnownTools {
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
