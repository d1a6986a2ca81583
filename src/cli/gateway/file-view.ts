import { BinderyError } from '../../contract/errors.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { gatewaySettings } from '../../host/config/gateway-settings.ts';
import { ProfileView } from '../../proxy/profile-view.ts';
import { configuredProfiles } from './configured-profiles.ts';

export interface FileViewOptions {
  readonly config: ConfigStore;
  offers(): readonly ServerOffer[];
  policyLayers(): readonly PolicyLayer[];
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A profile as a gateway with these files would show it. Throws `PROFILE_NOT_FOUND`. */
export async function fileView(name: string, options: FileViewOptions): Promise<ProfileView> {
  const { layers } = await options.config.load();
  const profiles = configuredProfiles(gatewaySettings(layers).settings, undefined, SILENT);
  const profile = profiles.find((one) => one.name === name);
  if (!profile) throw new BinderyError('PROFILE_NOT_FOUND', { detail: name });
  const offers = options.offers();
  return new ProfileView(profile, {
    version: () => 1,
    offers: () => offers,
    policyLayers: () => [...options.policyLayers(), ...profile.policies],
  });
}
