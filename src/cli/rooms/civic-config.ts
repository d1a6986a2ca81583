import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readConfigSection } from './config-section.ts';

/** `civic` in config.json. */
export const CivicConfig = z.looseObject({
  corpus: z.string().min(1).optional(),
  providers: z.string().min(1).optional(),
  base_url: z
    .string()
    .regex(/^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/)
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  trusted_proxies: z.array(z.string()).default([]),
  client_address_header: z.string().min(1).optional(),
  probes: z.enum(['off', 'monthly']).default('off'),
  pepper_file: z.string().min(1).optional(),
  maintainer_token: z.string().min(1).optional(),
  probe_token: z.string().min(1).optional(),
});
export type CivicConfig = z.infer<typeof CivicConfig>;

/** Reads the room's part of config.json; paths in it are relative to that file. */
export function readCivicConfig(configFile: string): CivicConfig {
  const relative = (path: string | undefined) => path && resolve(dirname(configFile), path);
  const { corpus, providers, pepper_file, ...rest } = readConfigSection(configFile, 'civic', CivicConfig);
  return {
    ...rest,
    ...(corpus ? { corpus: relative(corpus) } : {}),
    ...(providers ? { providers: relative(providers) } : {}),
    ...(pepper_file ? { pepper_file: relative(pepper_file) } : {}),
  };
}
