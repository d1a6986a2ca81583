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
import { decideItem } from './decide-item.ts';
import { erasureOperations } from './erasure-operations.ts';
import { mergeOperations } from './merge-operations.ts';
import { QUEUE_CLASSES, QUEUE_STATES, type QueueItem } from './queue-item.ts';

const READ: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const DECIDE: Hints = { readOnly: false, destructive: true, idempotent: false, openWorld: false };
const noStore = () => ({ headers: { 'cache-control': 'no-store' } });
const note = text(CIVIC_LIMITS.text.description).optional();

/** `?class=&state=open` asks for every class. */
function withoutEmpty(parts: HttpParts): unknown {
  const given = fromQuery('class', 'state')(parts) as Record<string, string>;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
}

const QueueEntry = z.object({
  queue_id: z.string(),
  class: z.enum(QUEUE_CLASSES),
  opened_at: z.string(),
  reason: z.string().optional(),
  target_type: z.string().optional(),
  target_id: z.string().optional(),
  submission_id: z.string().optional(),
  rules: z.array(z.string()).optional(),
  decided_at: z.string().optional(),
  decision: z.string().optional(),
});
type QueueEntry = z.output<typeof QueueEntry>;

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
    print: ({ items, total }) =>
      `${items.map((item) => `${item.queue_id}  ${item.class}  ${item.opened_at}  ${item.target_id ?? item.submission_id ?? ''}\n`).join('')}${total} in all\n`,
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: (input, deps: WriteDeps) => {
    const items = deps.store.queueItems(input.state, input.class).map(toEntry);
    return { items, total: items.length };
  },
});

const readItem = defineOperation({
  id: 'civic.read_queue_item',
  summary: 'Read one queue item with its content.',
  input: z.strictObject({ queue_id: z.string() }),
  output: QueueEntry.extend({ content: z.unknown(), note: z.string().optional() }),
  hints: READ,
  http: { method: 'GET', path: '/api/review/{queue_id}', read: fromQuery(), meta: noStore },
  mcp: false,
  cli: false,
  failures: civicFailures(),
  admit: requireMaintainer,
  run: (input, deps: WriteDeps) => {
    const item = deps.store.queueItem(input.queue_id);
    if (!item) throw new BinderyError('target_not_found');
    return {
      ...toEntry(item),
      content: item.content ?? null,
      ...(item.note === undefined ? {} : { note: item.note }),
    };
  },
});

const decide = defineOperation({
  id: 'civic.decide_queue_item',
  summary: 'Decide a queue item; its effects are visible when this returns.',
  input: z.strictObject({
    queue_id: z.string(),
    decision: z.string(),
    note,
    redact: z.boolean().default(false).describe('Release a hold without what the scrub found in its text.'),
  }),
  output: QueueEntry.pick({ queue_id: true, class: true }).extend({ decision: z.string(), decided_at: z.string() }),
  hints: DECIDE,
  http: { method: 'POST', path: '/api/review/{queue_id}', bodyBytesMax: CIVIC_LIMITS.body_bytes_max, meta: noStore },
  mcp: false,
  cli: { command: 'civic review', positional: ['queue_id', 'decision'] },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async (input, deps: WriteDeps) => {
    const item = await deps.store.transact(() =>
      decideItem(deps, input.queue_id, input.decision, { note: input.note, redact: input.redact }),
    );
    await deps.writer.settle();
    return {
      queue_id: item.queueId,
      class: item.queueClass,
      decision: input.decision,
      decided_at: iso(item.decidedAt as number),
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
  readItem,
  decideProvider,
  decide,
  replay,
  moveClock,
];

function toEntry(item: QueueItem): QueueEntry {
  return {
    queue_id: item.queueId,
    class: item.queueClass,
    opened_at: iso(item.openedAt),
    ...(item.reason === undefined ? {} : { reason: item.reason }),
    ...(item.targetType === undefined ? {} : { target_type: item.targetType }),
    ...(item.targetId === undefined ? {} : { target_id: item.targetId }),
    ...(item.submissionId === undefined ? {} : { submission_id: item.submissionId }),
    ...(item.rules === undefined ? {} : { rules: [...item.rules] }),
    ...(item.decidedAt === undefined ? {} : { decided_at: iso(item.decidedAt) }),
    ...(item.decision === undefined ? {} : { decision: item.decision }),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
