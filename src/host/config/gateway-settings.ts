import { z } from 'zod';
import { allowedSurfaces, SURFACES, type Surface } from '../../contract/approval-surfaces.ts';
import { AuditSettings, readAuditSettings } from './audit-settings.ts';
import type { ConfigLayer, Scope } from './config-layer.ts';

const PositiveInt = z.number().int().positive();
const Exposure = z.enum(['auto', 'search', 'all']);
const Surfaces = z.array(z.enum(SURFACES));

const Profile = z.strictObject({
  servers: z.array(z.string()).optional(),
  exposure: Exposure.optional(),
  budget_tokens: PositiveInt.optional(),
  pinned: z.array(z.string()).optional(),
  names: z.enum(['qualified', 'hashed', 'bare']).optional(),
  policy: z.unknown().optional(),
  promote_resources: z.boolean().optional(),
  approval: z.strictObject({ surfaces: Surfaces.optional() }).optional(),
});

/** The keys under `gateway`, each checked by itself: a bad one does not take the others with it. */
const KEYS = {
  exposure: Exposure,
  budget_tokens: PositiveInt,
  pin_definitions: z.boolean(),
  quarantine: z.enum(['off', 'registered', 'on']),
  profiles: z.record(z.string(), z.unknown()),
  limits: z.strictObject({ client_per_minute: PositiveInt.optional(), server_per_minute: PositiveInt.optional() }),
  output_bytes_max: PositiveInt,
  approval: z.strictObject({
    expires_ms: PositiveInt.optional(),
    wait_ms: PositiveInt.optional(),
    surfaces: Surfaces.optional(),
  }),
  audit: AuditSettings,
  auth: z.looseObject({ token: z.string().optional() }),
  search: z.strictObject({ semantic: z.boolean().optional(), learn: z.boolean().optional() }),
} as const;

const PROFILE_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

type Key = keyof typeof KEYS;
type Section = { readonly [K in Exclude<Key, 'profiles'>]?: z.output<(typeof KEYS)[K]> } & {
  readonly profiles?: Readonly<Record<string, WrittenProfile>>;
  /** What the profiles of this file say cannot be known: every profile denies. */
  readonly unknownPolicy?: ProfilePolicy;
};
type WrittenProfile = Omit<z.output<typeof Profile>, 'policy'> & { readonly policy?: ProfilePolicy };

/** What only the person may set: a project that could would watch over itself. */
const NOT_FOR_PROJECTS: readonly Key[] = ['audit', 'approval', 'auth', 'search'];

/** A policy of a profile: where it stands. */
export interface ProfilePolicy {
  readonly file: string;
  readonly text: string;
  readonly path: readonly string[];
  /** Why the profile cannot be used; its policy is then one that denies everything. */
  readonly error?: string;
}

/** Whose definitions are held until a person accepts them: nobody's, those of servers that registered themselves, everybody's. */
export type Quarantine = z.output<(typeof KEYS)['quarantine']>;

/** From the loosest to the strictest. */
const QUARANTINE: readonly Quarantine[] = ['off', 'registered', 'on'];

/** What a key that guards something means where its value makes no sense: a slip must not open anything. */
const STRICTEST: Readonly<Partial<Record<Key, unknown>>> = { pin_definitions: true, quarantine: 'on' };

export interface GatewaySettings extends Omit<Section, 'profiles' | 'unknownPolicy'> {
  readonly pin_definitions: boolean;
  readonly quarantine: Quarantine;
  readonly profiles: Readonly<Record<string, MergedProfile>>;
}

interface MergedProfile extends Omit<WrittenProfile, 'policy' | 'approval'> {
  /** Those of both files: each of them decides. */
  readonly policies: readonly ProfilePolicy[];
  /** Where its calls may be approved, as the person says, and what a project leaves of that. */
  readonly surfaces?: readonly Surface[];
  readonly projectSurfaces?: readonly Surface[];
}

/** The gateway's settings: the project over the person by key, except where a project may only tighten or say nothing. */
export function gatewaySettings(layers: readonly ConfigLayer[]): {
  readonly settings: GatewaySettings;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const global = sectionOf(layers, 'global', warnings);
  const project = sectionOf(layers, 'project', warnings);
  const limits = {
    ...lowest('client_per_minute', global.limits, project.limits),
    ...lowest('server_per_minute', global.limits, project.limits),
  };
  const { unknownPolicy: _global, ...ofPerson } = global;
  const { unknownPolicy: _project, ...ofProject } = project;
  const settings: GatewaySettings = {
    ...ofPerson,
    ...ofProject,
    pin_definitions: global.pin_definitions === true || project.pin_definitions === true,
    quarantine: strictest(global.quarantine ?? 'registered', project.quarantine ?? 'off'),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...lowest('output_bytes_max', global, project),
    profiles: mergeProfiles(global, project),
  };
  return { settings, warnings };
}

function sectionOf(layers: readonly ConfigLayer[], scope: Scope, warnings: string[]): Section {
  const layer = layers.find((one) => one.scope === scope);
  if (layer?.error !== undefined) return { unknownPolicy: unknownPolicy(layer, [], layer.error) };
  const written = layer?.value.gateway;
  if (layer === undefined || written === undefined) return {};
  if (typeof written !== 'object' || written === null) {
    const error = `gateway of the ${scope} config is not an object`;
    warnings.push(`${error}: every call is denied`);
    return { unknownPolicy: unknownPolicy(layer, ['gateway'], error) };
  }
  const section: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(written)) {
    const checked = Object.hasOwn(KEYS, key) ? KEYS[key as Key].safeParse(value) : undefined;
    const name = `gateway.${key} of the ${scope} config`;
    if (!checked) warnings.push(`${name} is not known`);
    else if (scope === 'project' && NOT_FOR_PROJECTS.includes(key as Key))
      warnings.push(`${name} is ignored: only your own config may set it`);
    else if (key === 'audit') {
      const { audit, error } = readAuditSettings(value, scope, warnings);
      section.audit = audit;
      if (error === undefined) continue;
      warnings.push(`${error}: every call is denied`);
      section.unknownPolicy = unknownPolicy(layer, ['gateway', key], error);
    } else if (!checked.success && key === 'profiles') {
      warnings.push(`${name} is not an object: every call is denied`);
      section.unknownPolicy = unknownPolicy(layer, ['gateway', key], `${name} is not an object`);
    } else if (!checked.success && Object.hasOwn(STRICTEST, key)) {
      section[key] = STRICTEST[key as Key];
      warnings.push(`${name} counts as ${JSON.stringify(section[key])}: ${checked.error.issues[0]?.message}`);
    } else if (!checked.success) warnings.push(`${name} is ignored: ${checked.error.issues[0]?.message}`);
    else section[key] = key === 'profiles' ? profilesOf(checked.data as object, layer, warnings) : checked.data;
  }
  return section;
}

function unknownPolicy({ file, text }: ConfigLayer, path: readonly string[], error: string): ProfilePolicy {
  return { file, text, path, error };
}

/** Each profile by itself: one that cannot be used denies everything, since what it was to hold back is not known. */
function profilesOf(written: object, layer: ConfigLayer, warnings: string[]): Record<string, WrittenProfile> {
  const profiles: [string, WrittenProfile][] = [];
  for (const [name, value] of Object.entries(written)) {
    const path = ['gateway', 'profiles', name];
    const shown = `gateway.profiles.${name} of the ${layer.scope} config`;
    const { file, text } = layer;
    const checked = Profile.safeParse(withoutFreeKeys(value));
    if (!PROFILE_NAME.test(name)) warnings.push(`${shown} is ignored: no profile can have that name`);
    else if (!checked.success) {
      const [issue] = checked.error.issues;
      const error = `${[...path, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`;
      warnings.push(`${shown} denies every call: ${issue?.message}`);
      profiles.push([name, { policy: { file, text, path, error } }]);
    } else {
      const { policy, ...rest } = checked.data;
      profiles.push([
        name,
        { ...rest, ...(policy === undefined ? {} : { policy: { file, text, path: [...path, 'policy'] } }) },
      ]);
    }
  }
  return Object.fromEntries(profiles);
}

/** Without the keys that are free for notes. Any other unknown key may be a misspelt `policy`. */
function withoutFreeKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-') && key !== '$comment'));
}

function strictest(a: Quarantine, b: Quarantine): Quarantine {
  return QUARANTINE[Math.max(QUARANTINE.indexOf(a), QUARANTINE.indexOf(b))] as Quarantine;
}

function lowest<K extends string>(
  key: K,
  a: { readonly [N in K]?: number | undefined } | undefined,
  b: { readonly [N in K]?: number | undefined } | undefined,
): { [N in K]?: number } {
  const values = [a?.[key], b?.[key]].filter((value) => value !== undefined);
  return (values.length === 0 ? {} : { [key]: Math.min(...values) }) as { [N in K]?: number };
}

function mergeProfiles(global: Section, project: Section): GatewaySettings['profiles'] {
  const unknown = [global, project].flatMap(({ unknownPolicy: policy }) => policy ?? []);
  const names = new Set([
    ...(unknown.length > 0 ? ['default'] : []),
    ...Object.keys(global.profiles ?? {}),
    ...Object.keys(project.profiles ?? {}),
  ]);
  return Object.fromEntries(
    [...names].map((name) => {
      const { policy: own, approval, ...fromGlobal } = global.profiles?.[name] ?? {};
      const { policy: theirs, approval: narrowed, ...fromProject } = project.profiles?.[name] ?? {};
      const policies: ProfilePolicy[] = [...(own ? [own] : []), ...(theirs ? [theirs] : []), ...unknown];
      const surfaces = {
        ...(approval?.surfaces ? { surfaces: approval.surfaces } : {}),
        ...(narrowed?.surfaces ? { projectSurfaces: narrowed.surfaces } : {}),
      };
      return [name, { ...fromGlobal, ...fromProject, ...surfaces, policies }];
    }),
  );
}

/** What a config file says of profiles, as the text of a config file; undefined where it says nothing. */
export function profilesText({ value }: ConfigLayer): string | undefined {
  const profiles = (value.gateway as { profiles?: unknown } | null | undefined)?.profiles;
  return profiles === undefined ? undefined : JSON.stringify({ gateway: { profiles } });
}

/**
 * Where calls of a profile may be approved, by a caller whose key may have a list of its own. The person's lists decide together;
 * what a project says takes away from that, and adds nothing.
 */
export function surfacesOf(
  { approval, profiles }: Pick<GatewaySettings, 'approval' | 'profiles'>,
  profile: string,
  ofKey?: readonly Surface[] | null,
): Surface[] {
  const { surfaces, projectSurfaces } = profiles[profile] ?? {};
  const allowed = allowedSurfaces(approval?.surfaces, surfaces, ofKey);
  return allowed.filter((surface) => projectSurfaces?.includes(surface) ?? true);
}
