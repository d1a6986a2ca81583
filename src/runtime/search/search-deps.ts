import { BinderyError } from '../../contract/errors.ts';
import type { GatewayDeps } from '../../gateway/operations/deps.ts';
import type { CountTokens } from '../../gateway/search/words/tokens.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { gatewaySettings } from '../../host/config/gateway-settings.ts';
import type { ProfileView } from '../../proxy/lists/profile-view.ts';
import { isMiniLmInstalled } from '../../store/search/minilm-encoder.ts';

export interface SearchDepsOptions {
  readonly config: ConfigStore;
  /** Throws `PROFILE_NOT_FOUND`. */
  view(profile: string): ProfileView | Promise<ProfileView>;
  /** Servers whose tools are not known yet. */
  missing(): readonly string[];
  readonly tokensOf?: CountTokens;
}

/** Dependencies of the search operations, except for calls, which need a running gateway. */
export function searchDeps(options: SearchDepsOptions): GatewayDeps['search'] {
  const { config } = options;
  return {
    find: async (input, profile) => (await options.view(profile)).search().find(input, options.missing()),
    call: async () => {
      throw new BinderyError('GATEWAY_NOT_RUNNING');
    },
    cost: async (profile) => (await options.view(profile)).search().cost(options.tokensOf),
    semantic: async () => {
      const { settings } = gatewaySettings((await config.read()).layers);
      return { on: settings.search?.semantic === true, isInstalled: isMiniLmInstalled() };
    },
    setSemantic: (on) => config.setGateway(['search', 'semantic'], on),
  };
}
