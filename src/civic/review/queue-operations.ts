import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { defineOperation, type Hints, type HttpParts } from '../../contract/operation.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { fromQuery } from '../reads/http-input.ts';
import { changeLine } from '../submissions/commit-message.ts';
import { filePathOf } from '../submissions/corpus-change.ts';
import { isEdited } from '../submissions/settle-corpus.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { DecisionWords } from './case-operations.ts';
import { BurstFrom, burstPage, fromBurstQuery } from './concern-burst.ts';
import { decideItem } from './decide-item.ts';
import { iso, QueueEntry, SettledWarning, toQueueEntry } from './queue-entry.ts';
import { QUEUE_CLASSES, QUEUE_STATES } from './queue-item.ts';

const READ: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const DECIDE: Hints = { readOnly: false, destructive: true, idempotent: false, openWorld: false };
const WAITING_SHOWN_MAX = 50;
const noStore = () => ({ headers: { 'cache-control': 'no-store' } });

/** A decided change that is not in the folder yet. */
const WaitingChange = z.object({ change: z.string(), file: z.string(), edited: z.boolean() });
type WaitingChange = z.output<typeof WaitingChange>;

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
  }),
  hints: READ,
  http: { method: 'GET', path: '/api/review', read: withoutEmpty, meta: noStore },
  mcp: false,
  cli: {
    command: 'civic queue',
    print: ({ items, total, waiting = [] }) =>
      `${items.map(printEntry).join('')}${total} in all\n${waiting.map(printWaiting).join('')}`,
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async (input, deps: WriteDeps) => {
    const items = deps.store.queueItems(input.state, input.class).map((item) => toQueueEntry(deps, item));
    const waiting = await waitingChanges(deps);
    return { items, total: items.length, ...(waiting.length === 0 ? {} : { waiting }) };
  },
});

export const readItem = defineOperation({
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

export const decide = defineOperation({
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

/** Decided changes that wait for the folder. */
async function waitingChanges(deps: WriteDeps): Promise<WaitingChange[]> {
  const waiting: WaitingChange[] = [];
  for (const { change } of deps.store.intents().slice(0, WAITING_SHOWN_MAX)) {
    const file = filePathOf(change.type, change.id);
    waiting.push({ change: changeLine(change), file, edited: await isEdited(deps, change) });
  }
  return waiting;
}

function printWaiting({ change, file, edited }: WaitingChange): string {
  const why = edited ? `: somebody edits ${file}; commit or discard what is not committed` : '';
  return `Not in the corpus folder yet: ${change}${why}\n`;
}

/** Two lines, because an id alone takes half of a terminal's width. */
function printEntry(item: QueueEntry): string {
  const about = item.target_id === undefined ? (item.submission_id ?? '') : `${item.target_type} ${item.target_id}`;
  const claimed = item.claimed_by === undefined ? '' : `  claimed by ${item.claimed_by}`;
  const decided = item.decision === undefined ? '' : `  ${item.decision}`;
  const why = item.reason ?? item.rules?.join(', ');
  const first = `${item.queue_id}  ${item.class}${why === undefined ? '' : ` · ${why}`}`;
  return `${first}\n  ${item.opened_at.slice(0, 16).replace('T', ' ')}  ${about}${claimed}${decided}\n`;
}
