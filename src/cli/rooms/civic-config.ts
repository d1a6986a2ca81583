import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';

/** `civic` in config.json. */
const CivicConfig = z.looseObject({
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
  let text: string;
  try {
    text = readFileSync(configFile, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return CivicConfig.parse({});
    throw configError('cannot be read', thrown);
  }
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch (thrown) {
    throw configError('is not JSON', thrown);
  }
  const parsed = CivicConfig.safeParse((whole as { civic?: unknown } | null)?.civic ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw configError(`civic.${issue?.path.join('.')}: ${issue?.message}`, parsed.error);
  }
  const relative = (path: string | undefined) => path && resolve(dirname(configFile), path);
  const { corpus, providers, pepper_file, ...rest } = parsed.data;
  return {
    ...rest,
    ...(corpus ? { corpus: relative(corpus) } : {}),
    ...(providers ? { providers: relative(providers) } : {}),
    ...(pepper_file ? { pepper_file: relative(pepper_file) } : {}),
  };
}

function configError(detail: string, cause: unknown): BinderyError {
  return new BinderyError('USAGE', { detail: `config.json ${detail}`, next: 'Correct config.json.', cause });
}
