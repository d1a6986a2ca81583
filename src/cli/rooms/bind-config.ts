import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { BIND_LIMITS, PROTECTED_NAMES } from '../../bind/limits.ts';
import { publicKeyBytes } from '../../bind/public-key.ts';
import { isLoopbackHost } from '../../contract/public-address.ts';
import type { UpSettings } from '../../runtime/up-settings.ts';
import { readConfigSection } from './config-section.ts';

const ResolverUrl = z.url().refine(
  (text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
  },
  { error: 'is not an https URL' },
);

/** Another resolver: where it is, whose signatures count, and how long its zones may outlive an outage. */
const ResolverConfig = z.strictObject({
  url: ResolverUrl.optional(),
  keys: z
    .array(z.string().refine((text) => publicKeyBytes(text) !== undefined, { error: 'is not an ed25519 key' }))
    .min(1)
    .optional(),
  stale_if_error_seconds: z.int().min(0).max(BIND_LIMITS.staleIfErrorMaxSeconds).optional(),
});

export type ResolverConfig = z.output<typeof ResolverConfig>;

export const BindConfig = z.object({
  zones: z.string().optional(),
  allow_private_endpoints: z.boolean().default(false),
  registrar_keys: z.array(z.string().min(1)).default([]),
  signing_key_file: z.string().optional(),
  /** By the authority behind the @ of a name; `*` stands for every other one. */
  resolvers: z.record(z.string(), ResolverConfig).default({}),
  /** The part before the slash in the registry name of a zone that was not imported from a registry. */
  registry_namespace: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+$/)
    .default('local.bindery'),
  protected_names: z.array(z.string()).default([...PROTECTED_NAMES]),
});

export type BindConfig = z.output<typeof BindConfig>;

type Flags = UpSettings['flags'];

/** Where the zones are that `bindery up` serves; undefined: there are none. */
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
