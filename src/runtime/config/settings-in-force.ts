import { BinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';
import type { ConfigLayer } from '../../host/config/config-layer.ts';
import { type GatewaySettings, gatewaySettings } from '../../host/config/gateway-settings.ts';
import type { PolicyVersions } from '../../store/policy/policy-versions.ts';
import { type ConfiguredProfile, configuredProfiles } from './configured-profiles.ts';
import { type LostConfigs, lastGoodProfiles } from './last-good-config.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** The settings of a gateway with these files, for a command beside it. */
export function settingsInForce(
  layers: readonly ConfigLayer[],
  versions: PolicyVersions,
): { readonly settings: GatewaySettings; readonly lost: LostConfigs } {
  const good = lastGoodProfiles(layers, versions, false);
  return { settings: gatewaySettings(good.layers).settings, lost: good.lost };
}

/** Throws `PROFILE_NOT_FOUND`. */
export function profileNamed(settings: GatewaySettings, name: string): ConfiguredProfile {
  const profile = configuredProfiles(settings, undefined, SILENT).find((one) => one.name === name);
  if (!profile) throw new BinderyError('PROFILE_NOT_FOUND', { detail: name });
  return profile;
}
