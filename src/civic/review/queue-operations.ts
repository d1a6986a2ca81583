import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation, type Hints } from '../../contract/operation.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { DecisionWords } from './case-operations.ts';
import { BurstFrom, burstPage, fromBurstQuery } from './concern-burst.ts';
import { decideItem } from './decide-item.ts';
import { listQueue } from './list-queue.ts';
import { iso, QueueEntry, SettledWarning, toQueueEntry } from './queue-entry.ts';

const READ: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const DECIDE: Hints = { readOnly: false, destructive: true, idempotent: false, openWorld: false };
const noStore = () => ({ headers: { 'cache-control': 'no-store' } });

const readItem = defineOperation({
  id: 'civic.read_queue_item',
  summary: 'Read one queue item with its content.',
  input: z.strictObject({ queue_id: z.string(), from: BurstFrom }),
  output: QueueEntry.extend({ content: z.unknown(), note: z.string().optional() }),
  hints: READ,
  http: { method: 'GET', path: '/api/review/{queue_id}', read: fromBurstQuery, meta: noStore },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: requireMaintainer,
  run: (input, deps: WriteDeps) => {
    const item = deps.store.queueItem(input.queue_id);
    if (!item) throw new BinderyError('target_not_found');
    return {
      ...toQueueEntry(deps, item),
      content: burstPage(deps, item, input.from) ?? item.content ?? null,
      ...(item.note === undefined ? {} : { note: item.note }),
    };
  },
});

const decide = defineOperation({
  id: 'civic.decide_queue_item',
  summary: 'Decide a queue item; its effects are in the corpus folder when this returns.',
  description:
    'The server that is asked over HTTP serves the effects when it answers. A command works beside a running gateway, which takes the folder over within a few seconds.',
  input: z.strictObject({
    queue_id: z.string(),
    decision: z.string(),
    ...DecisionWords,
    through: z
      .int()
      .min(1)
      .optional()
      .describe('To release a burst: how many of its concerns you have read. The others keep waiting.'),
  }),
  output: QueueEntry.pick({ queue_id: true, class: true }).extend({
    decision: z.string(),
    decided_at: z.string(),
    warning: SettledWarning,
  }),
  hints: DECIDE,
  http: { method: 'POST', path: '/api/review/{queue_id}', bodyBytesMax: CIVIC_LIMITS.body_bytes_max, meta: noStore },
  mcp: false,
  cli: { command: 'civic review', positional: ['queue_id', 'decision'] },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ queue_id, decision, ...words }, deps: WriteDeps) => {
    const item = await deps.store.transact(() => decideItem(deps, queue_id, decision, { note: undefined, ...words }));
    // The log keeps the text before the redaction until it is truncated.
    if (words.redact) deps.store.truncateWal();
    const settled = await deps.writer.settle();
    return {
      queue_id: item.queueId,
      class: item.queueClass,
      decision,
      decided_at: iso(item.decidedAt as number),
      ...settled,
    };
  },
});

/** Operations on queue items. They are not a list, because other routes must come between them. */
export const queueOperations = { listQueue, readItem, decide };
