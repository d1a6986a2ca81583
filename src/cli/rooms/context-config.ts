import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import type { UpSettings } from '../wiring.ts';

const ContextConfig = z.object({ caches: z.string().min(1).optional() });

type ContextConfig = z.output<typeof ContextConfig>;

/** The folder of the caches that `bindery up` serves: that of the flag, that of the configuration, or the data directory's. */
export function servedCaches({
  flags,
  cwd,
  dataDir,
  configFile,
}: Pick<UpSettings, 'flags' | 'cwd' | 'dataDir' | 'configFile'>): string {
  if (typeof flags.caches === 'string') return resolve(cwd, flags.caches);
  return readContextConfig(configFile).caches ?? join(dataDir, 'caches');
}

/** The section `context` of the configuration; its paths are relative to the file. */
function readContextConfig(file: string): ContextConfig {
  const refuse = (detail: string, cause: unknown) =>
    new BinderyError('USAGE', { detail, next: 'Correct the section "context" of config.json.', cause });
  let section: unknown;
  try {
    section = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { context?: unknown }).context : undefined;
  } catch (cause) {
    throw refuse('config.json is not JSON', cause);
  }
  const parsed = ContextConfig.safeParse(section ?? {});
  if (!parsed.success) throw refuse(z.prettifyError(parsed.error).replaceAll(/\s+/g, ' '), parsed.error);
  const { caches } = parsed.data;
  return { caches: caches && resolve(dirname(file), caches) };
}
