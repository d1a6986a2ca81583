import { z } from 'zod';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import type { BindDeps } from '../deps.ts';
import { bindFailures } from '../failures.ts';
import { BIND_LIMITS } from '../limits.ts';

/** Every write since a known one. Each entry holds the hash of the one before it. */
export const logOperation = defineOperation({
  id: 'bind.log',
  summary: 'Read the log of zone changes, oldest first.',
  input: z.strictObject({
    since: z.int().min(0).default(0).describe('Number of the last entry that is known'),
    limit: z.int().min(1).max(BIND_LIMITS.pageMax).default(BIND_LIMITS.pageDefault).describe('Entries on a page'),
  }),
  output: z.object({
    entries: z.array(
      z.object({
        seq: z.int(),
        at: z.string(),
        identity: z.string(),
        by: z.string(),
        zone: z.string(),
        replaced: z.string().nullable(),
        previous: z.string().nullable(),
        hash: z.string(),
      }),
    ),
    next: z.int().optional(),
  }),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/codex/log', meta: () => ({ headers: { 'cache-control': 'no-cache' } }) },
  mcp: false,
  cli: false,
  failures: bindFailures,
  run: ({ since, limit }, { writer }: BindDeps) => {
    const entries = writer.entries(since, limit + 1);
    const page = entries.slice(0, limit);
    return { entries: page, ...(entries.length > limit ? { next: page.at(-1)?.seq } : {}) };
  },
});
