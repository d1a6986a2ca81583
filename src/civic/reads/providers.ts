import { z } from 'zod';
import { defineOperation } from '../../contract/operation.ts';
import { CIVIC_LIMITS, ID_PATTERN } from '../config.ts';
import { civicFailures, targetNotFound } from '../failures.ts';
import { listCategories, listProviders } from '../providers/directory.ts';
import { publicJson, taggedByContent } from './answer.ts';
import { CORPUS_READ } from './graph.ts';
import { fromQuery } from './http-input.ts';
import type { ReadDeps } from './ports.ts';

export const getProviders = defineOperation({
  id: 'civic.get_providers',
  summary: 'List categories of service providers, or the eligible providers of one.',
  description:
    'Without a category: all categories. With one: its eligible providers with the address of their API specification, in an order that changes daily and that nobody can buy. None is recommended: choose by the situation of the person. A category with fewer than two eligible providers is empty.',
  input: z.strictObject({
    category: z.string().max(CIVIC_LIMITS.text.id).regex(ID_PATTERN).optional().describe('Id of a category.'),
  }),
  output: z.looseObject({}) as z.ZodType<object>,
  hints: CORPUS_READ,
  http: { ...publicJson.http, method: 'GET', path: '/api/providers', read: fromQuery('category') },
  mcp: { ...publicJson.mcp, tool: 'get_providers' },
  cli: false,
  failures: civicFailures(),
  encode: publicJson.encode,
  run: async ({ category }, deps: ReadDeps): Promise<object> => {
    const now = deps.clock.now();
    if (category === undefined) return taggedByContent({ categories: listCategories(deps.providers, now) });
    const providers = await listProviders(deps.providers, category, now);
    if (!providers) throw targetNotFound();
    return taggedByContent({ category, providers, total: providers.length });
  },
});
