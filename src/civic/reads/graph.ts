import { z } from 'zod';
import { defineOperation, type Hints } from '../../contract/operation.ts';
import { READ_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { publicJson, tagged } from './answer.ts';
import { fromQuery } from './http-input.ts';
import type { ReadDeps } from './ports.ts';
import { currentModel, keptByModel, searchForm } from './read-model.ts';
import { GraphShape } from './shapes.ts';

/** Reads of a corpus that others edit: read-only, but tomorrow's answer may differ. */
export const CORPUS_READ: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: true };

export const getGraph = defineOperation({
  id: 'civic.get_graph',
  summary: 'Get the graph of all skills that may be used.',
  description:
    'The graph of all skills: id, title, summary, status, category, to whom it applies, which skills it requires and is required by, which paths it needs. Fetch it once per session, find the skill that fits by title, summary and applies_to, then call read_skill. `version` is a hash of the content: an equal one means that nothing changed. Filters are reserved and have no effect yet.',
  input: z.strictObject({
    category: z.string().max(200).optional().describe('Reserved.'),
    applies_to: z
      .union([z.string().max(2000), z.record(z.string(), z.unknown())])
      .optional()
      .describe('Reserved.'),
  }),
  output: GraphShape,
  hints: CORPUS_READ,
  http: {
    ...publicJson.http,
    method: 'GET',
    path: '/agents/skills-graph.json',
    keep: keptByModel,
    read: fromQuery('category', 'applies_to'),
  },
  mcp: { ...publicJson.mcp, tool: 'get_graph' },
  cli: false,
  failures: civicFailures(),
  encode: publicJson.encode,
  run: (_input, deps: ReadDeps) => currentModel(deps).graph,
});

export const findSkill = defineOperation({
  id: 'civic.find_skill',
  summary: 'Find skills by words in their title or summary (deprecated: use get_graph).',
  description:
    'Deprecated: call get_graph and search in it. Looks for the whole query as one piece of text in titles and summaries, whatever the case, and lists at most ten skills.',
  input: z.strictObject({
    query: z
      .string()
      .trim()
      .min(1)
      .max(READ_LIMITS.queryLengthMax)
      .describe('Words to look for, as one piece of text.'),
  }),
  output: z.object({
    query: z.string(),
    results: z.array(
      z.object({
        skill_id: z.string(),
        title: z.string(),
        summary: z.string(),
        score: z.number().int(),
        canonical_url: z.string(),
      }),
    ),
    total: z.number().int(),
    deprecated: z.literal(true),
    replacement: z.literal('get_graph'),
  }),
  hints: CORPUS_READ,
  http: {
    method: 'GET',
    path: '/api/find-skill',
    read: fromQuery('query'),
    ...publicJson.http,
  },
  mcp: { ...publicJson.mcp, tool: 'find_skill' },
  cli: false,
  failures: civicFailures(),
  run: ({ query }, deps: ReadDeps) => {
    deps.countDeprecated('find_skill');
    // The query is not logged: it may contain personal data.
    deps.log.warn('a deprecated tool was called', { tool: 'find_skill', replacement: 'get_graph' });
    const model = currentModel(deps);
    const needle = searchForm(query);
    const hits = model.searchTexts
      .map(({ skill, title, summary }) => ({
        skill,
        score: (title.includes(needle) ? 2 : 0) + (summary.includes(needle) ? 1 : 0),
      }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score || (a.skill.id < b.skill.id ? -1 : 1))
      .slice(0, READ_LIMITS.findResultsMax);
    const results = hits.map(({ skill, score }) => ({
      skill_id: skill.id,
      title: skill.title,
      summary: skill.summary,
      score,
      canonical_url: model.canonicalUrl(skill.id),
    }));
    return tagged(
      { query, results, total: results.length, deprecated: true, replacement: 'get_graph' } as const,
      model.snapshot.version,
    );
  },
});
