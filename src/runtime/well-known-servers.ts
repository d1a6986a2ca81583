import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CatalogEntry } from '../gateway/catalog/catalog-entry.ts';
import { PACKAGE_DIR } from './version.ts';

const WellKnown = z.object({ version: z.literal(1), servers: z.array(CatalogEntry) });

/** Popular MCP servers, from a data file of the package. */
export function wellKnownServers(): readonly CatalogEntry[] {
  const text = readFileSync(join(PACKAGE_DIR, 'catalog', 'well-known.json'), 'utf8');
  return WellKnown.parse(JSON.parse(text)).servers;
}
