import { z } from 'zod';
import type { CatalogDeps } from '../../gateway/catalog/catalog-operations.ts';
import { registryEntry } from '../../gateway/catalog/registry-entry.ts';
import { GLOBAL_ONLY, type Settings, shapeOf } from '../../host/config/settings/setting.ts';
import { wellKnownServers } from '../../runtime/well-known-servers.ts';
import { directories } from '../directories.ts';
import { readConfigSection } from './config-section.ts';
import { registryReader } from './registry-reader.ts';

export const CATALOG_SETTINGS = {
  registries: {
    schema: z.array(z.string().min(1)).optional(),
    summary: 'MCP registries that `bindery catalog` looks in: URLs, or files with the answer of one.',
    unset: 'none',
    project: GLOBAL_ONLY,
  },
  allow_private_endpoints: {
    schema: z.boolean().optional(),
    summary: 'Reads registries at private addresses, and over plain http.',
    default: false,
    project: GLOBAL_ONLY,
  },
} satisfies Settings;

/** The built-in list needs no network; registries are queried only if the person or the config names them. */
export const commandCatalog: CatalogDeps['catalog'] = async (named, query, signal) => {
  const { registries = [], allow_private_endpoints = false } = readConfigSection(
    directories(process.env).configFile,
    'catalog',
    z.object(shapeOf(CATALOG_SETTINGS)),
  );
  const entries = [...wellKnownServers()];
  const search = query === '' ? undefined : query;
  for (const source of new Set([...named, ...registries])) {
    for await (const document of registryReader(allow_private_endpoints)(source, search, signal)) {
      const entry = registryEntry(document, source);
      if (entry) entries.push(entry);
    }
  }
  return entries;
};
