import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { GLOBAL_ONLY, type Settings, shapeOf } from '../../host/config/settings/setting.ts';
import type { UpSettings } from '../../runtime/up-settings.ts';
import { readConfigSection } from './config-section.ts';

export const CONTEXT_SETTINGS = {
  caches: {
    schema: z.string().min(1).optional(),
    summary: 'Folder of the context caches that are served.',
    unset: 'caches of the data directory',
    project: GLOBAL_ONLY,
    flag: 'caches',
  },
} satisfies Settings;

export const ContextConfig = z.object(shapeOf(CONTEXT_SETTINGS));

/** The folder of caches that `bindery up` serves: from the flag, the configuration (relative to its file), or the data directory. */
export function servedCaches({
  flags,
  cwd,
  dataDir,
  configFile,
}: Pick<UpSettings, 'flags' | 'cwd' | 'dataDir' | 'configFile'>): string {
  if (typeof flags.caches === 'string') return resolve(cwd, flags.caches);
  const { caches } = readConfigSection(configFile, 'context', ContextConfig);
  return caches === undefined ? join(dataDir, 'caches') : resolve(dirname(configFile), caches);
}
