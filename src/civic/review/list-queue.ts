import { z } from 'zod';
import { defineOperation, type HttpParts } from '../../contract/operation.ts';
import { civicFailures } from '../failures.ts';
import { fromQuery } from '../reads/http-input.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { QueueEntry, toQueueEntry } from './queue-entry.ts';
import { QUEUE_CLASSES, QUEUE_STATES } from './queue-item.ts';
import { InTheWay, printInTheWay, printWaiting, WaitingChange, waitingChanges } from './waiting-changes.ts';

/** An empty parameter means "any": `?class=&state=open` asks for every class. */
function withoutEmpty(parts: HttpParts): unknown {
  const given = fromQuery('class', 'state')(parts) as Record<string, string>;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

export const listQueue = defineOperation({
  id: 'civic.list_queue',
  summary: 'List what waits for a maintainer, oldest first.',
  input: z.strictObject({ class: z.enum(QUEUE_CLASSES).optional(), state: z.enum(QUEUE_STATES).default('open') }),
  output: z.object({
    items: z.array(QueueEntry),
    total: z.int(),
    waiting: z
      .array(WaitingChange)
      .optional()
      .describe('Decided changes that are not in the corpus yet; `edited`: because the file has uncommitted changes.'),
    remote: InTheWay.optional().describe(
      'What keeps the changes of the remote from being taken over; absent: nothing.',
    ),
  }),
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  http: {
    method: 'GET',
    path: '/api/review',
    read: withoutEmpty,
    meta: () => ({ headers: { 'cache-control': 'no-store' } }),
  },
  mcp: false,
  cli: {
    command: 'civic queue',
    print: ({ items, total, waiting = [], remote }) =>
      `${items.map(printEntry).join('')}${total} in all\n${waiting.map(printWaiting).join('')}${remote ? printInTheWay(remote) : ''}`,
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async (input, deps: WriteDeps) => {
    const items = deps.store.queueItems(input.state, input.class).map((item) => toQueueEntry(deps, item));
    const waiting = await waitingChanges(deps);
    const remote = await deps.inTheWay();
    return {
      items,
      total: items.length,
      ...(waiting.length === 0 ? {} : { waiting }),
      ...(remote ? { remote } : {}),
    };
  },
});

/** Two lines, because an id alone takes half of a terminal's width. */
function printEntry(item: QueueEntry): string {
  const about = item.target_id === undefined ? (item.submission_id ?? '') : `${item.target_type} ${item.target_id}`;
  const claimed = item.claimed_by === undefined ? '' : `  claimed by ${item.claimed_by}`;
  const decided = item.decision === undefined ? '' : `  ${item.decision}`;
  const why = item.reason ?? item.rules?.join(', ');
  const first = `${item.queue_id}  ${item.class}${why === undefined ? '' : ` · ${why}`}`;
  return `${first}\n  ${item.opened_at.slice(0, 16).replace('T', ' ')}  ${about}${claimed}${decided}\n`;
}
