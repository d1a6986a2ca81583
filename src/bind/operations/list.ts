import { z } from 'zod';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import type { BindDeps } from '../deps.ts';
import { bindFailures } from '../failures.ts';
import { toUri } from '../identity.ts';
import { BIND_LIMITS } from '../limits.ts';
import { IdentityName } from '../request.ts';

/** The names that have a zone, a page at a time. */
export const listOperation = defineOperation({
  id: 'bind.list',
  summary: 'List the names that can be resolved.',
  input: z.strictObject({
    prefix: z.string().optional().describe('Only names that begin with this'),
    after: IdentityName.optional().describe('Name behind which the page begins'),
    limit: z.int().min(1).max(BIND_LIMITS.pageMax).default(BIND_LIMITS.pageDefault).describe('Names on a page'),
  }),
  output: z.object({ identities: z.array(z.string()), total: z.int(), next: z.string().optional() }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/codex/zones' },
  mcp: { tool: 'list_identities' },
  cli: false,
  failures: bindFailures,
  run: ({ prefix = '', after, limit }, { zones, policy }: BindDeps) => {
    const matching = zones.names().filter((name) => name.startsWith(prefix) && !policy.protectedNames.has(name));
    const rest = after === undefined ? matching : matching.filter((name) => name > after);
    const page = rest.slice(0, limit);
    return {
      identities: page.map(toUri),
      total: matching.length,
      ...(rest.length > page.length ? { next: toUri(page.at(-1) as string) } : {}),
    };
  },
});
