import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { BIND_LIMITS, PROTECTED_NAMES } from '../../bind/limits.ts';
import { publicKeyBytes } from '../../bind/public-key.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import { GLOBAL_ONLY, type Settings, shapeOf } from '../../host/config/settings/setting.ts';
import type { UpSettings } from '../../runtime/up-settings.ts';
import { readConfigSection } from './config-section.ts';

const ResolverUrl = z.url().refine(
  (text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
  },
  { error: 'is not an https URL' },
);

/** Another resolver, by the authority after the @ of a name; `*` matches all others. */
export const RESOLVER_SETTINGS = {
  url: {
    schema: ResolverUrl.optional(),
    summary: 'Address of the resolver; https, or this machine.',
    unset: 'https:// and the authority',
    project: GLOBAL_ONLY,
  },
  keys: {
    schema: z
      .array(z.string().refine((text) => publicKeyBytes(text) !== undefined, { error: 'is not an ed25519 key' }))
      .min(1)
      .optional(),
    summary: 'Public keys whose signatures on its zones count.',
    unset: 'none: Bindery relies on https',
    project: GLOBAL_ONLY,
  },
  stale_if_error_seconds: {
    schema: z.int().min(0).max(BIND_LIMITS.staleIfErrorMaxSeconds).optional(),
    summary: 'How long its zones are used after their ttl while it cannot be reached.',
    default: BIND_LIMITS.staleIfErrorSeconds,
    project: GLOBAL_ONLY,
  },
} satisfies Settings;

const ResolverConfig = z.strictObject(shapeOf(RESOLVER_SETTINGS));
export type ResolverConfig = z.output<typeof ResolverConfig>;

export const BIND_SETTINGS = {
  zones: {
    schema: z.string().optional(),
    summary: 'Folder or SQLite file of the zones that are served.',
    unset: 'zones of the data directory, if it exists',
    project: GLOBAL_ONLY,
    flag: 'zones',
  },
  allow_private_endpoints: {
    schema: z.boolean().default(false),
    summary: 'Lets names resolve to private addresses.',
    project: GLOBAL_ONLY,
    flag: 'allow-private-endpoints',
  },
  registrar_keys: {
    schema: z.array(z.string().min(1)).default([]),
    summary: 'Keys that may write zones, as bearer tokens.',
    project: GLOBAL_ONLY,
    isSecret: true,
  },
  signing_key_file: {
    schema: z.string().optional(),
    summary: 'File of the key that answers are signed with.',
    unset: 'answers are not signed',
    project: GLOBAL_ONLY,
  },
  registry_namespace: {
    schema: z
      .string()
      .regex(/^[a-zA-Z0-9.-]+$/)
      .default('local.bindery'),
    summary: 'Part before the slash in the registry name of a zone that was not imported from a registry.',
    project: GLOBAL_ONLY,
  },
  protected_names: {
    schema: z.array(z.string()).default([...PROTECTED_NAMES]),
    summary: 'Names that only the admin may write.',
    project: GLOBAL_ONLY,
  },
} satisfies Settings;

export const BindConfig = z.object({
  ...shapeOf(BIND_SETTINGS),
  resolvers: z.record(z.string(), ResolverConfig).default({}),
});

export type BindConfig = z.output<typeof BindConfig>;

type Flags = UpSettings['flags'];

/** The location of the zones that `bindery up` serves; undefined: there are none. */
export function servedZones(
  { flags, cwd, dataDir }: Pick<UpSettings, 'flags' | 'cwd' | 'dataDir'>,
  config: BindConfig,
): string | undefined {
  const own = join(dataDir, 'zones');
  return zonesPath(flags, config, cwd) ?? (existsSync(own) ? own : undefined);
}

/** The zones that the flags or the configuration name. */
export function zonesPath(flags: Flags, config: BindConfig, cwd: string): string | undefined {
  return typeof flags.zones === 'string' ? resolve(cwd, flags.zones) : config.zones;
}

/** The section `bind` of the configuration; its paths are relative to the file. */
export function readBindConfig(file: string): BindConfig {
  const { zones, signing_key_file, ...rest } = readConfigSection(file, 'bind', BindConfig);
  return {
    ...rest,
    zones: zones && resolve(dirname(file), zones),
    signing_key_file: signing_key_file && resolve(dirname(file), signing_key_file),
  };
}
