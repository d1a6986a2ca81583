import { type ConfigLayer, parseLayer } from '../../host/config/config-layer.ts';
import { profilesText } from '../../host/config/gateway-settings.ts';
import { type PolicyVersions, policyVersion } from '../../store/policy/policy-versions.ts';

/** Config files that cannot be used now and whose profiles, with their policies, stay in force. */
export type LostConfigs = ReadonlyMap<string, 'bad' | 'vanished'>;

/** The layers, with what a file last said of profiles in the place of a file that cannot be used. */
export function lastGoodProfiles(
  layers: readonly ConfigLayer[],
  versions: PolicyVersions,
  isAbsenceAccepted: boolean,
): { readonly layers: readonly ConfigLayer[]; readonly lost: LostConfigs } {
  const lost = new Map<string, 'bad' | 'vanished'>();
  const used = layers.map((layer) => {
    const { scope, file, error } = layer;
    if (error === undefined && (isAbsenceAccepted || !isGone(layer))) return layer;
    const stored = versions.find(keyOf(file));
    if (stored) lost.set(file, error === undefined ? 'vanished' : 'bad');
    return stored ? parseLayer(scope, file, stored.text) : layer;
  });
  return { layers: used, lost };
}

/** Keeps what files that can be used say of profiles, for the case that one of them turns bad or vanishes. */
export function keepProfiles(layers: readonly ConfigLayer[], versions: PolicyVersions, now: number): void {
  for (const layer of layers) {
    if (layer.error !== undefined) continue;
    const text = profilesText(layer);
    if (text === undefined) versions.forget(keyOf(layer.file));
    else versions.keep(keyOf(layer.file), policyVersion(text, now));
  }
}

/** An empty file is one that somebody is about to write. */
export function isGone({ error, text }: ConfigLayer): boolean {
  return error === undefined && text === '';
}

function keyOf(file: string): string {
  return `profiles of ${file}`;
}
