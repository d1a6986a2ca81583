import type { Log } from '../../contract/ports.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import { parsePolicy } from '../../gateway/policy/parse-policy.ts';
import type { GatewaySettings } from '../../host/config/gateway-settings.ts';
import type { ProfileSettings } from '../../proxy/profile-view.ts';

/** A profile with the policies that its definitions hold. */
export interface ConfiguredProfile extends ProfileSettings {
  readonly policies: readonly PolicyLayer[];
}

/** The profiles of the configuration, and `default`; a bare one without exactly one server cannot be served. */
export function configuredProfiles(settings: GatewaySettings, log: Log): ConfiguredProfile[] {
  const configured: GatewaySettings['profiles'] = { default: { policies: [] }, ...settings.profiles };
  return Object.entries(configured).flatMap(
    ([name, { names = 'qualified', servers, policies }]): ConfiguredProfile[] => {
      if (names === 'bare' && servers?.length !== 1) {
        log.warn('a bare profile needs exactly one server', { profile: name });
        return [];
      }
      return [
        { name, names, ...(servers ? { servers } : {}), policies: policies.map(({ policy }) => profileLayer(policy)) },
      ];
    },
  );
}

function profileLayer(policy: Readonly<Record<string, unknown>>): PolicyLayer {
  return { layer: 'profile', file: null, policy: parsePolicy(JSON.stringify({ allowlist: policy })) };
}
