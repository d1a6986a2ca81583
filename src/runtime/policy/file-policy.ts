import { readsOnly, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import { judge } from '../../gateway/policy/decide.ts';
import { nameDoubts } from '../../gateway/policy/name-doubts.ts';
import { oversizedArguments } from '../../proxy/message/argument-bounds.ts';
import type { PolicyVersions } from '../../store/policy/policy-versions.ts';
import { profileNamed, settingsInForce } from '../config/settings-in-force.ts';
import { filesOfServer } from './argument-files.ts';
import { knownTools, type LintPolicyFilesOptions, lintPolicyFiles } from './lint-policy-files.ts';
import { degradedMember, policyStatus } from './policy-status.ts';

export interface FilePolicyOptions extends LintPolicyFilesOptions {
  readonly versions: PolicyVersions;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  now(): number;
}

/**
 * The decisions of a gateway with these files: the running one, or one that starts now. If it would use a last good version, so does
 * this, and the answer says so.
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
        readOnly: isReadOnly(options.registry.offer(server), tool),
        ...(args === undefined ? {} : { arguments: { value: args, files } }),
      });
      const { layers } = policyStatus({ policyFiles, config: { settings, lost, loadedAt: null } });
      const notes = nameDoubts(server, tool, knownTools(loaded, options));
      return { ...decision, ...degradedMember(layers, profile), ...(notes.length > 0 ? { notes } : {}) };
    },
    lint: (file) => lintPolicyFiles(options, file),
  };
}

/** Whether the tool was read-only when the server was last seen. */
function isReadOnly(offer: ServerOffer | undefined, tool: string): boolean {
  return offer?.tools.some((offered) => offered.definition.name === tool && readsOnly(offered)) ?? false;
}
