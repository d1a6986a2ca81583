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

/** A layer of a profile, with the profile's name. */
type ProfileLayerStatus = LayerStatus & { readonly profile: string };

export interface PolicyStatus {
  /** No rule restricts a client of the default profile. */
  readonly open: boolean;
  readonly layers: readonly (LayerStatus | ProfileLayerStatus)[];
  readonly approval: readonly ApprovalPlace[];
}

export interface PolicySources {
  readonly policyFiles: Pick<PolicyFiles, 'status' | 'layers'>;
  /** The config; its profiles have policies, too. */
  readonly config: Pick<EffectiveConfig, 'settings' | 'lost' | 'loadedAt'>;
  /** The known tools: a rule that matches none of them gets a warning. */
  readonly known?: () => KnownTools;
}

/** The layers in force: files first, then profiles. */
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

/** The surfaces on which calls of each profile may be approved, `default` first. */
export function approvalPlaces(settings: GatewaySettings): ApprovalPlace[] {
  const profiles = new Set(['default', ...Object.keys(settings.profiles)]);
  return [...profiles].map((profile) => ({ profile, surfaces: surfacesOf(settings, profile) }));
}

/** Marks a decision that relies on a last good version, or denies because there is none. */
export function degradedMember(
  layers: PolicyStatus['layers'],
  profile: string,
): { degraded?: readonly PolicyStatus['layers'][number][] } {
  const degraded = layers.filter(
    (layer) => layer.status !== 'ok' && (!('profile' in layer) || layer.profile === profile),
  );
  return degraded.length === 0 ? {} : { degraded };
}

/** Digest of the profile only, because the rest of the file may change independently. */
function digestOf({ text, path }: ProfilePolicy): string {
  let value: unknown = parse(text.replace(/^\uFEFF/, ''));
  for (const name of path) value = (value as Record<string, unknown> | undefined)?.[name];
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex');
}
