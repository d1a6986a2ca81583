import { createHash } from 'node:crypto';
import { parse } from 'jsonc-parser';
import type { ApprovalPlace } from '../../gateway/operations/deps.ts';
import { lintPolicy } from '../../gateway/policy/lint-policy.ts';
import type { KnownTools } from '../../gateway/policy/name-doubts.ts';
import type { Finding, ParsedPolicy } from '../../gateway/policy/policy-document.ts';
import { type GatewaySettings, type ProfilePolicy, surfacesOf } from '../../host/config/gateway-settings.ts';
import type { LayerStatus, PolicyFiles } from '../../store/policy/policy-files.ts';
import { profileLayer } from '../config/configured-profiles.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';

/** A layer of a profile, with whose it is. */
type ProfileLayerStatus = LayerStatus & { readonly profile: string };

export interface PolicyStatus {
  /** Nothing holds back a client of the default profile. */
  readonly open: boolean;
  readonly layers: readonly (LayerStatus | ProfileLayerStatus)[];
  readonly approval: readonly ApprovalPlace[];
}

export interface PolicySources {
  readonly policyFiles: Pick<PolicyFiles, 'status' | 'layers'>;
  /** The profiles of the config hold policies too. */
  readonly config: Pick<EffectiveConfig, 'settings' | 'lost' | 'loadedAt'>;
  /** The tools that are known now: a rule that names none of them is worth a warning. */
  readonly known?: () => KnownTools;
}

/** The layers that are in force: those of the files, then those of profiles. */
export function policyStatus({ policyFiles, config, known }: PolicySources): PolicyStatus {
  const tools = known?.();
  const inForce = policyFiles.layers();
  const files = policyFiles.status().map((layer, index) => {
    const used = inForce[index]?.policy;
    return layer.status === 'ok' && used ? { ...layer, warnings: warningsOf(used, tools) } : layer;
  });
  const profiles = Object.entries(config.settings.profiles).flatMap(([profile, { policies }]) =>
    policies.map((written): ProfileLayerStatus => {
      const { layer, policy } = profileLayer(written);
      return {
        layer,
        file: written.file,
        profile,
        status: policy.document ? (config.lost.get(written.file) ?? 'ok') : 'bad',
        sha256: digestOf(written),
        loaded_at: config.loadedAt,
        errors: policy.findings.filter(({ level }) => level === 'error'),
        warnings: warningsOf(policy, tools),
      };
    }),
  );
  const open = files.length === 0 && profiles.every(({ profile }) => profile !== 'default');
  return { open, layers: [...files, ...profiles], approval: approvalPlaces(config.settings) };
}

function warningsOf(policy: ParsedPolicy, known: KnownTools | undefined): Finding[] {
  return lintPolicy(policy, known).findings.filter(({ level }) => level === 'warning');
}

/** Where calls of each profile may be approved, `default` first. */
export function approvalPlaces(settings: GatewaySettings): ApprovalPlace[] {
  const profiles = new Set(['default', ...Object.keys(settings.profiles)]);
  return [...profiles].map((profile) => ({ profile, surfaces: surfacesOf(settings, profile) }));
}

/** What a decision has to say of layers that decide by a last good version, or deny because there is none. */
export function degradedMember(
  layers: PolicyStatus['layers'],
  profile: string,
): { degraded?: readonly PolicyStatus['layers'][number][] } {
  const degraded = layers.filter(
    (layer) => layer.status !== 'ok' && (!('profile' in layer) || layer.profile === profile),
  );
  return degraded.length === 0 ? {} : { degraded };
}

/** Of what the profile says alone: the rest of the file may change without it. */
function digestOf({ text, path }: ProfilePolicy): string {
  let value: unknown = parse(text.replace(/^\uFEFF/, ''));
  for (const name of path) value = (value as Record<string, unknown> | undefined)?.[name];
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex');
}
