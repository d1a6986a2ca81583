import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { ConfigStore } from '../../host/config/config-store.ts';
import { ProfileView } from '../../proxy/lists/profile-view.ts';
import type { PolicyVersions } from '../../store/policy/policy-versions.ts';
import { profileNamed, settingsInForce } from '../config/settings-in-force.ts';

export interface FileViewOptions {
  readonly config: ConfigStore;
  readonly versions: PolicyVersions;
  offers(): readonly ServerOffer[];
  policyLayers(): readonly PolicyLayer[];
}

/** A profile as a gateway with these files would show it. Throws `PROFILE_NOT_FOUND`. */
export async function fileView(name: string, options: FileViewOptions): Promise<ProfileView> {
  const { layers } = await options.config.load();
  const profile = profileNamed(settingsInForce(layers, options.versions).settings, name);
  const offers = options.offers();
  return new ProfileView(profile, {
    version: () => 1,
    offers: () => offers,
    policyLayers: () => [...options.policyLayers(), ...profile.policies],
  });
}
