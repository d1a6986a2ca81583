import { z } from 'zod';
import { defineOperation, type HttpParts } from '../../contract/operation.ts';
import { isRendered, PURPOSES, READ_LIMITS, STATUSES } from '../config.ts';
import type { SnapshotPath } from '../corpus/snapshot.ts';
import { civicFailures, targetNotFound } from '../failures.ts';
import { publicJson, tagged } from './answer.ts';
import { CORPUS_READ } from './graph.ts';
import { fromQuery, queryOf } from './http-input.ts';
import type { ReadDeps } from './ports.ts';
import { currentModel } from './read-model.ts';
import { PathId, PathShape } from './shapes.ts';

const Filters = z.strictObject({
  themes: z
    .array(z.string().trim().min(1).max(100))
    .max(READ_LIMITS.filterThemesMax)
    .optional()
    .describe('Paths with at least one of these.'),
  purpose: z.enum(PURPOSES).optional(),
  applies_to: z
    .record(z.string().max(100), z.union([z.string().max(200), z.number(), z.boolean()]))
    .refine((value) => Object.keys(value).length <= READ_LIMITS.filterKeysMax)
    .optional()
    .describe('For each key: paths without the key, or with this value.'),
  status: z.enum(STATUSES).optional().describe('Default: alpha, beta and stable.'),
});
type Filters = z.infer<typeof Filters>;

export const getPathDirectory = defineOperation({
  id: 'civic.get_path_directory',
  summary: 'List the ways by which something is handed in, checked or prepared.',
  description:
    'All paths (portals, offices, tools) with their sources in the order in which to try them, and their health. Filters narrow the list; all of them must fit. Quarantined, retracted and superseded paths and drafts are listed only with an explicit status.',
  input: z.strictObject({ filters: Filters.optional() }),
  output: z.object({
    generated_at: z.string(),
    filters_applied: z.looseObject({}),
    paths: z.array(PathShape),
    total: z.number().int(),
  }) as z.ZodType<object>,
  hints: CORPUS_READ,
  http: { ...publicJson.http, method: 'GET', path: '/api/paths', read: filtersOfQuery },
  mcp: { ...publicJson.mcp, tool: 'get_path_directory' },
  cli: false,
  failures: civicFailures(),
  encode: publicJson.encode,
  run: ({ filters }, deps: ReadDeps): object => {
    const model = currentModel(deps);
    const applied = normalise(filters ?? {});
    const found = model.snapshot.paths.filter((path) => fits(path, applied));
    return tagged(
      {
        generated_at: model.snapshot.generated_at,
        filters_applied: applied,
        paths: found.map((path) => model.path(path.id)),
        total: found.length,
      },
      model.pathsTag(found),
    );
  },
});

export const getPath = defineOperation({
  id: 'civic.get_path',
  summary: 'Get one path, whatever its status.',
  description:
    'One path by its id, in the same shape as in get_path_directory, whatever its status: an audit can tell a quarantined path from one that does not exist.',
  input: z.strictObject({ path_id: PathId }),
  output: PathShape,
  hints: CORPUS_READ,
  http: { ...publicJson.http, method: 'GET', path: '/api/paths/{path_id}', read: fromQuery() },
  mcp: { ...publicJson.mcp, tool: 'get_path' },
  cli: false,
  failures: civicFailures(),
  encode: publicJson.encode,
  run: ({ path_id }, deps: ReadDeps): object => {
    const path = currentModel(deps).path(path_id);
    if (!path) throw targetNotFound();
    return path;
  },
});

/** `themes=a,b&themes=c&purpose=…&status=…&applies_to.region=…` → filters. */
function filtersOfQuery({ query }: HttpParts): unknown {
  const others = new URLSearchParams([...query].filter(([name]) => name !== 'themes'));
  const values = queryOf(others, (name) => name === 'purpose' || name === 'status' || /^applies_to\../.test(name));
  const filters: Record<string, unknown> = {};
  const appliesTo: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith('applies_to.')) appliesTo[name.slice('applies_to.'.length)] = value;
    else filters[name] = value;
  }
  if (query.has('themes')) {
    filters.themes = query
      .getAll('themes')
      .flatMap((value) => value.split(','))
      .filter((theme) => theme.trim() !== '');
  }
  if (Object.keys(appliesTo).length > 0) filters.applies_to = appliesTo;
  return Object.keys(filters).length > 0 ? { filters } : {};
}

/** Non-empty filters, without repetitions. */
function normalise({ themes, purpose, applies_to, status }: Filters): Filters {
  return {
    ...(themes && themes.length > 0 ? { themes: [...new Set(themes)] } : {}),
    ...(purpose === undefined ? {} : { purpose }),
    ...(applies_to && Object.keys(applies_to).length > 0 ? { applies_to: asTexts(applies_to) } : {}),
    ...(status === undefined ? {} : { status }),
  };
}

/** A query contains only texts, so the answer does too. */
function asTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
}

function fits({ entry, status }: SnapshotPath, filters: Filters): boolean {
  if (filters.status === undefined ? !isRendered(status) : status !== filters.status) return false;
  if (filters.purpose !== undefined && entry.purpose !== filters.purpose) return false;
  if (filters.themes && !filters.themes.some((theme) => entry.themes?.includes(theme))) return false;
  return Object.entries(filters.applies_to ?? {}).every(([key, asked]) => {
    const own = entry.applies_to && Object.hasOwn(entry.applies_to, key) ? entry.applies_to[key] : undefined;
    return own === undefined || [own].flat().some((value) => String(value) === asked);
  });
}
