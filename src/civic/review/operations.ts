import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { type AnyOperation, defineOperation, type Hints, type HttpParts } from '../../contract/operation.ts';
import { CIVIC_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { replayStore } from '../lifecycle/replay-store.ts';
import { nextJobAt } from '../lifecycle/run-jobs.ts';
import { fromQuery } from '../reads/http-input.ts';
import { text } from '../submissions/fields.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { caseOperations, DecisionWords } from './case-operations.ts';
import { BurstFrom, burstPage, fromBurstQuery } from './concern-burst.ts';
import { decideItem } from './decide-item.ts';
import { erasureOperations } from './erasure-operations.ts';
import { mergeOperations } from './merge-operations.ts';
import { iso, QueueEntry, SettledWarning, toQueueEntry } from './queue-entry.ts';
import { QUEUE_CLASSES, QUEUE_STATES } from './queue-item.ts';

const READ: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const DECIDE: Hints = { readOnly: false, destructive: true, idempotent: false, openWorld: false };
const noStore = () => ({ headers: { 'cache-control': 'no-store' } });

/** `?class=&state=open` asks for every class. */
function withoutEmpty(parts: HttpParts): unknown {
  const given = fromQuery('class', 'state')(parts) as Record<string, string>;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

const listQueue = defineOperation({
  id: 'civic.list_queue',
  summary: 'List what waits for a maintainer, oldest first.',
  input: z.strictObject({ class: z.enum(QUEUE_CLASSES).optional(), state: z.enum(QUEUE_STATES).default('open') }),
  output: z.object({ items: z.array(QueueEntry), total: z.int() }),
  hints: READ,
  http: { method: 'GET', path: '/api/review', read: withoutEmpty, meta: noStore },
  mcp: false,
  cli: {
    command: 'civic queue',
    print: ({ items, total }) => `${items.map(printEntry).join('')}${total} in all\n`,
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: (input, deps: WriteDeps) => {
    const items = deps.store.queueItems(input.state, input.class).map((item) => toQueueEntry(deps, item));
    return { items, total: items.length };
  },
});

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
      .describe('To release a burst: how many of its concerns you have read. Those after it go on waiting.'),
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

const decideProvider = defineOperation({
  id: 'civic.decide_provider',
  summary: 'Remove a provider for cause, or let it in again; it takes effect at once.',
  input: z.strictObject({
    provider_id: z.string(),
    decision: z.enum(['remove', 'approve']),
    cause: text(CIVIC_LIMITS.text.description, 1).optional(),
  }),
  output: z.object({ provider_id: z.string(), decision: z.string(), decided_at: z.string() }),
  hints: DECIDE,
  http: {
    method: 'POST',
    path: '/api/review/providers/{provider_id}',
    bodyBytesMax: CIVIC_LIMITS.body_bytes_max,
    meta: noStore,
  },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ provider_id, decision, cause }, deps: WriteDeps) => {
    if (!deps.hasProvider(provider_id)) throw new BinderyError('target_not_found');
    if (decision === 'remove' && cause === undefined) {
      throw civicFailures().invalidInput([
        { pointer: '/cause', keyword: 'required', message: 'is required to remove' },
      ]);
    }
    await deps.store.transact(() =>
      deps.store.setProviderRemoved(provider_id, decision === 'remove' ? cause : undefined),
    );
    return { provider_id, decision, decided_at: iso(deps.clock.now()) };
  },
});

const replay = defineOperation({
  id: 'civic.replay',
  summary: 'Walk the event log from nothing and compare every state with the one that is kept.',
  input: z.strictObject({}),
  output: z.object({ equal: z.boolean(), events: z.int(), artefacts: z.int() }),
  hints: READ,
  http: false,
  mcp: false,
  cli: {
    command: 'civic replay',
    print: ({ equal, events, artefacts }) =>
      `${equal ? 'equal' : 'DIFFERENT'}: ${events} events, ${artefacts} artefacts\n`,
    exit: ({ equal }) => (equal ? 0 : 1),
  },
  failures: civicFailures(),
  run: (_input, deps: WriteDeps) => replayStore(deps.store),
});

const moveClock = defineOperation({
  id: 'civic.move_test_clock',
  summary: 'Move the clock of a server that was started with a test clock, and run what became due.',
  input: z.strictObject({ now: z.iso.datetime({ offset: true, error: 'is not an RFC 3339 time' }) }),
  output: z.object({ now: z.string() }),
  hints: { ...DECIDE, idempotent: true },
  http: { method: 'PUT', path: '/v1/test/clock', meta: noStore, access: 'open' },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: (deps: WriteDeps) => {
    if (!deps.testClock) throw new BinderyError('route_not_found');
  },
  run: async ({ now }, deps: WriteDeps) => {
    const clock = deps.testClock as NonNullable<WriteDeps['testClock']>;
    const target = Date.parse(now);
    if (target < clock.now()) throw new BinderyError('clock_backward');
    // Job by job, at the instant at which each is due: a long jump must end where a long wait would.
    for (let next = nextJobAt(deps); next < target; next = nextJobAt(deps)) {
      clock.moveTo(Math.max(next, clock.now()));
      await deps.runJobs();
    }
    clock.moveTo(target);
    await deps.runJobs();
    return { now: iso(target) };
  },
});

/** The maintainer's operations; none of them is a tool [C7]. */
export const reviewOperations: readonly AnyOperation<WriteDeps>[] = [
  listQueue,
  // Before the routes with an id in the same place.
  ...mergeOperations,
  ...erasureOperations,
  ...caseOperations,
  readItem,
  decideProvider,
  decide,
  replay,
  moveClock,
];

/** Two lines: an id alone takes half of a terminal. */
function printEntry(item: QueueEntry): string {
  const about = item.target_id === undefined ? (item.submission_id ?? '') : `${item.target_type} ${item.target_id}`;
  const claimed = item.claimed_by === undefined ? '' : `  claimed by ${item.claimed_by}`;
  const decided = item.decision === undefined ? '' : `  ${item.decision}`;
  const why = item.reason ?? item.rules?.join(', ');
  const first = `${item.queue_id}  ${item.class}${why === undefined ? '' : ` · ${why}`}`;
  return `${first}\n  ${item.opened_at.slice(0, 16).replace('T', ' ')}  ${about}${claimed}${decided}\n`;
}
