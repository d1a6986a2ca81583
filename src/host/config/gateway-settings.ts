import { z } from 'zod';
import { allowedSurfaces, type Surface } from '../../contract/approval-surfaces.ts';
import { AuditSettings, readAuditSettings } from './audit-settings.ts';
import type { ConfigLayer, Scope } from './config-layer.ts';
import { isGlobalOnly, mergeSettings } from './merge-settings.ts';
import {
  APPROVAL_SETTINGS,
  APPROVAL_WEBHOOK_SETTINGS,
  AUTH_SETTINGS,
  GATEWAY_VALUES,
  PROFILE_APPROVAL_SETTINGS,
  PROFILE_SETTINGS,
  RATE_LIMIT_SETTINGS,
  SEARCH_SETTINGS,
} from './settings/gateway-section.ts';
import { shapeOf } from './settings/setting.ts';

export const ProfileSettings = z.strictObject({
  ...shapeOf(PROFILE_SETTINGS),
  approval: z.strictObject(shapeOf(PROFILE_APPROVAL_SETTINGS)).optional(),
});

/** The keys under `gateway`, each validated separately: an invalid one does not affect the others. */
export const GATEWAY_KEYS = {
  ...shapeOf(GATEWAY_VALUES),
  profiles: z.record(z.string(), z.unknown()),
  limits: z.strictObject(shapeOf(RATE_LIMIT_SETTINGS)),
  approval: z.strictObject(shapeOf(APPROVAL_SETTINGS)),
  approvals: z.strictObject(shapeOf(APPROVAL_WEBHOOK_SETTINGS)),
  audit: AuditSettings,
  auth: z.looseObject(shapeOf(AUTH_SETTINGS)),
  search: z.strictObject(shapeOf(SEARCH_SETTINGS)),
} as const;

const PROFILE_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

type Key = keyof typeof GATEWAY_KEYS;
type Section = { readonly [K in Exclude<Key, 'profiles'>]?: z.output<(typeof GATEWAY_KEYS)[K]> } & {
  readonly profiles?: Readonly<Record<string, WrittenProfile>>;
  /** The profiles of this file are unreadable: every profile denies. */
  readonly unknownPolicy?: ProfilePolicy;
  /** Why it is not known which credentials callers need: the gateway must not serve without them. */
  readonly authError?: string;
};
type WrittenProfile = Omit<z.output<typeof ProfileSettings>, 'policy' | 'approval'> & {
  readonly policy?: readonly ProfilePolicy[];
  readonly approval?: { readonly surfaces?: { readonly [S in Scope]?: readonly Surface[] } };
};

/** The position of a profile's policy. */
export interface ProfilePolicy {
  readonly file: string;
  readonly text: string;
  readonly path: readonly string[];
  /** Why the profile cannot be used; its policy then denies everything. */
  readonly error?: string;
}

/** Which definitions are quarantined until a person accepts them: none, those of self-registered servers, or all. */
export type Quarantine = z.output<(typeof GATEWAY_KEYS)['quarantine']>;

/** Replaces invalid values of security settings: a mistake must not weaken them. */
const STRICTEST: Readonly<Partial<Record<Key, unknown>>> = { pin_definitions: true, quarantine: 'on' };

export interface GatewaySettings extends Omit<Section, 'profiles' | 'unknownPolicy'> {
  readonly pin_definitions: boolean;
  readonly quarantine: Quarantine;
  readonly profiles: Readonly<Record<string, MergedProfile>>;
}

interface MergedProfile extends Omit<WrittenProfile, 'policy' | 'approval'> {
  /** The policies of both files: a call has to pass each. */
  readonly policies: readonly ProfilePolicy[];
  /** The user's servers, if a project takes some of them out. */
  readonly ownServers?: readonly string[] | 'every';
  /** The approval surfaces that the user allows, and those that a project leaves. */
  readonly surfaces?: readonly Surface[];
  readonly projectSurfaces?: readonly Surface[];
}

/** The gateway's settings: those of the user's own config, narrowed by a project. */
export function gatewaySettings(layers: readonly ConfigLayer[]): {
  readonly settings: GatewaySettings;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const global = sectionOf(layers, 'global', warnings);
  const project = sectionOf(layers, 'project', warnings);
  warnings.push(...unknownOfPerson(layers), ...ignoredOfProject(layers));
  const { unknownPolicy: _global, authError, ...ofPerson } = global;
  const { unknownPolicy: _project, ...ofProject } = project;
  const profiles = { ...ofPerson.profiles, ...narrowableProfiles(ofPerson, ofProject, warnings) };
  const said = { ...ofProject, profiles: withoutRepairs(ofPerson.profiles, ofProject.profiles) };
  const merged = mergeSettings<Section>('gateway', { ...ofPerson, profiles }, said);
  const settings: GatewaySettings = {
    ...merged,
    pin_definitions: merged.pin_definitions ?? GATEWAY_VALUES.pin_definitions.default,
    quarantine: merged.quarantine ?? GATEWAY_VALUES.quarantine.default,
    profiles: usedProfiles(merged.profiles ?? {}, [global, project]),
    ...(authError === undefined ? {} : { authError }),
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
    const checked = Object.hasOwn(GATEWAY_KEYS, key) ? GATEWAY_KEYS[key as Key].safeParse(value) : undefined;
    const name = `gateway.${key} of the ${scope} config`;
    if (!checked) warnings.push(`${name} is not known`);
    else if (scope === 'project' && isGlobalOnly(`gateway.${key}`))
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
    } else if (!checked.success && key === 'auth') {
      const [issue] = checked.error.issues;
      section.authError = `${['gateway.auth', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`;
      warnings.push(`${name} is not valid: ${section.authError}`);
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

/** Reads each profile separately: an invalid one denies everything, because its restrictions are unknown. */
function profilesOf(written: object, layer: ConfigLayer, warnings: string[]): Record<string, WrittenProfile> {
  const profiles: [string, WrittenProfile][] = [];
  for (const [name, value] of Object.entries(written)) {
    const path = ['gateway', 'profiles', name];
    const shown = `gateway.profiles.${name} of the ${layer.scope} config`;
    const { file, text } = layer;
    const checked = ProfileSettings.safeParse(withoutFreeKeys(value));
    if (!PROFILE_NAME.test(name)) warnings.push(`${shown} is ignored: no profile can have that name`);
    else if (!checked.success) {
      const [issue] = checked.error.issues;
      const error = `${[...path, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`;
      warnings.push(`${shown} denies every call: ${issue?.message}`);
      profiles.push([name, { policy: [{ file, text, path, error }] }]);
    } else {
      const { policy, approval, ...rest } = checked.data;
      profiles.push([
        name,
        {
          ...rest,
          ...(approval?.surfaces ? { approval: { surfaces: { [layer.scope]: approval.surfaces } } } : {}),
          ...(policy === undefined ? {} : { policy: [{ file, text, path: [...path, 'policy'] }] }),
        },
      ]);
    }
  }
  return Object.fromEntries(profiles);
}

/** Removes the keys that are reserved for notes. Any other unknown key may be a misspelt `policy`. */
function withoutFreeKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith('x-') && key !== '$comment'));
}

/**
 * The user's profiles that a project narrows, with the values that they inherit from the gateway, so that a project's value narrows
 * those instead of replacing them. `default` always exists.
 */
function narrowableProfiles(person: Section, project: Section, warnings: string[]): Record<string, WrittenProfile> {
  const inherited = {
    exposure: person.exposure ?? GATEWAY_VALUES.exposure.default,
    budget_tokens: person.budget_tokens ?? GATEWAY_VALUES.budget_tokens.default,
  };
  const known = Object.entries(project.profiles ?? {}).filter(([name, profile]) => {
    const isKnown = name === 'default' || Object.hasOwn(person.profiles ?? {}, name);
    const shown = `gateway.profiles.${name}`;
    const ignored = isKnown
      ? Object.keys(profile).filter((key) => isGlobalOnly(`gateway.profiles.*.${key}`))
      : [undefined];
    for (const key of ignored) {
      const what = key === undefined ? shown : `${shown}.${key}`;
      warnings.push(`${what} of the project config is ignored: only your own config may set it`);
    }
    return isKnown;
  });
  return Object.fromEntries(
    known.map(([name, profile]) => [
      name,
      {
        ...(profile.exposure === undefined ? {} : { exposure: inherited.exposure }),
        ...(profile.budget_tokens === undefined ? {} : { budget_tokens: inherited.budget_tokens }),
        ...person.profiles?.[name],
      },
    ]),
  );
}

/** A bare profile must have exactly one server, or it is not served. A project that narrows the list to one does not change that. */
function withoutRepairs(
  person: Section['profiles'] = {},
  project: Section['profiles'] = {},
): Record<string, WrittenProfile> {
  return Object.fromEntries(
    Object.entries(project).map(([name, profile]) => {
      const { names, servers } = person[name] ?? {};
      const { servers: _servers, ...rest } = profile;
      return [name, names === 'bare' && servers?.length !== 1 ? rest : profile];
    }),
  );
}

/** An unreadable file denies in every profile. */
function usedProfiles(
  profiles: Readonly<Record<string, WrittenProfile>>,
  sections: readonly Section[],
): GatewaySettings['profiles'] {
  const unknown = sections.flatMap(({ unknownPolicy: policy }) => policy ?? []);
  const written = unknown.length > 0 ? { default: {}, ...profiles } : profiles;
  return Object.fromEntries(
    Object.entries(written).map(([name, { policy = [], approval, ...profile }]: [string, WrittenProfile]) => {
      const ownServers = sections[0]?.profiles?.[name]?.servers ?? ('every' as const);
      const isNarrowed =
        profile.servers !== undefined && (ownServers === 'every' || profile.servers.length < ownServers.length);
      const { global: surfaces, project: projectSurfaces } = approval?.surfaces ?? {};
      return [
        name,
        {
          ...profile,
          ...(isNarrowed ? { ownServers } : {}),
          ...(surfaces ? { surfaces } : {}),
          ...(projectSurfaces ? { projectSurfaces } : {}),
          policies: [...policy, ...unknown],
        },
      ];
    }),
  );
}

/** The profiles of a config file, as config text; undefined if it has none. */
export function profilesText({ value }: ConfigLayer): string | undefined {
  const profiles = (value.gateway as { profiles?: unknown } | null | undefined)?.profiles;
  return profiles === undefined ? undefined : JSON.stringify({ gateway: { profiles } });
}

/**
 * The surfaces on which calls of a profile may be approved. A caller's key may have its own list. All lists of the user apply together;
 * a project's list can only narrow them.
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

/** Sections that a project may use. */
const PROJECT_SECTIONS = new Set(['$schema', 'version', 'mcp', 'mcpServers', 'gateway', 'permissions']);
const IGNORED_TOLD_MAX = 20;

/** Sections of the user's own config: those that a project may use, and those of the rooms. */
export const PERSON_SECTIONS: ReadonlySet<string> = new Set([
  ...PROJECT_SECTIONS,
  'context',
  'bind',
  'civic',
  'catalog',
]);

/** Sections of a project's config that have no effect, besides `gateway`. */
function ignoredOfProject(layers: readonly ConfigLayer[]): string[] {
  const used = { sections: PROJECT_SECTIONS, mcp: ['servers'], permissions: ['deny', 'ask'] };
  return unusedKeys(layers, 'project', used).map(
    (key) => `${key} of the project config is ignored: only your own config may set it`,
  );
}

/** Unknown sections of the user's own config, besides `gateway`: a misspelt section has no effect. */
function unknownOfPerson(layers: readonly ConfigLayer[]): string[] {
  const mcp = ['servers', 'token_store'];
  const permissions = ['deny', 'ask', 'allow', 'projects'];
  return unusedKeys(layers, 'global', { sections: PERSON_SECTIONS, mcp, permissions })
    .filter((key) => !/(?:^|\.)(?:x-|\$comment$)/.test(key))
    .map((key) => `${key} of the global config is not known, and has no effect`);
}

interface UsedKeys {
  readonly sections: ReadonlySet<string>;
  readonly mcp: readonly string[];
  readonly permissions: readonly string[];
}

function unusedKeys(layers: readonly ConfigLayer[], of: Scope, used: UsedKeys): string[] {
  const value = layers.find(({ scope }) => scope === of)?.value ?? {};
  const within = (path: 'mcp' | 'permissions') => {
    const section = value[path];
    if (typeof section !== 'object' || section === null) return [];
    return Object.keys(section).flatMap((key) => (used[path].includes(key) ? [] : [`${path}.${key}`]));
  };
  return [...Object.keys(value).filter((key) => !used.sections.has(key)), ...within('mcp'), ...within('permissions')]
    .slice(0, IGNORED_TOLD_MAX)
    .map((key) => key.slice(0, 100));
}
