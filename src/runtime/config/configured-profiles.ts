import type { Log } from '../../contract/ports.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import { parseAllowlistAt, unreadablePolicy } from '../../gateway/policy/parse-policy.ts';
import type { Exposure } from '../../gateway/search/listing-cost.ts';
import type { GatewaySettings, ProfilePolicy } from '../../host/config/gateway-settings.ts';
import { GATEWAY_VALUES } from '../../host/config/settings/gateway-section.ts';
import type { ProfileSettings } from '../../proxy/lists/profile-view.ts';

/** A profile with its policies. */
export interface ConfiguredProfile extends ProfileSettings {
  readonly policies: readonly PolicyLayer[];
}

/** The profiles of the configuration, and `default`. A bare profile must have exactly one server to be served. */
export function configuredProfiles(
  settings: GatewaySettings,
  exposure: Exposure | undefined,
  log: Log,
): ConfiguredProfile[] {
  const configured: GatewaySettings['profiles'] = { default: { policies: [] }, ...settings.profiles };
  return Object.entries(configured).flatMap(([name, profile]): ConfiguredProfile[] => {
    const { names = 'qualified', servers, ownServers, policies } = profile;
    const search = {
      exposure: exposure ?? profile.exposure ?? settings.exposure ?? GATEWAY_VALUES.exposure.default,
      budgetTokens: profile.budget_tokens ?? settings.budget_tokens ?? GATEWAY_VALUES.budget_tokens.default,
      pinned: profile.pinned ?? [],
    };
    if (names === 'bare' && servers?.length !== 1) {
      log.warn('a bare profile needs exactly one server', { profile: name });
      return [];
    }
    return [
      {
        name,
        names,
        search,
        ...(servers ? { servers } : {}),
        ...(ownServers ? { ownServers } : {}),
        // A bare profile adds nothing to its server.
        ...(profile.promote_resources && names !== 'bare' ? { promotesResources: true } : {}),
        policies: policies.map(profileLayer),
      },
    ];
  });
}

/** The policy of a profile as a layer. */
export function profileLayer({ file, text, path, error }: ProfilePolicy): PolicyLayer {
  const policy = error === undefined ? parseAllowlistAt(text, path) : unreadablePolicy(error);
  return { layer: 'profile', file, policy };
}
