import { z } from 'zod';
import { BinderyError, toBinderyError } from '../../contract/errors.ts';
import { type AnyOperation, defineOperation, type Hints } from '../../contract/operation.ts';
import { CIVIC_LIMITS, REVIEW_LIMITS } from '../config.ts';
import { civicFailures } from '../failures.ts';
import { text } from '../submissions/fields.ts';
import { requireMaintainer, type WriteDeps } from '../submissions/write-deps.ts';
import { Case } from './case-shape.ts';
import { BurstFrom, fromBurstQuery } from './concern-burst.ts';
import { type DecideOptions, decideItem } from './decide-item.ts';
import { printCase } from './print-case.ts';
import { claimedUntil, iso, requireUnclaimed, SettledWarning } from './queue-entry.ts';
import { readCase } from './read-case.ts';
import { undoDecision } from './undo-decision.ts';

const READ: Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const CHANGE: Hints = { readOnly: false, destructive: false, idempotent: true, openWorld: false };
const DECIDE: Hints = { readOnly: false, destructive: true, idempotent: false, openWorld: false };
const noStore = () => ({ headers: { 'cache-control': 'no-store' } });
const bodyBytesMax = CIVIC_LIMITS.body_bytes_max;

/** Members that deciding one item and many items have in common. */
export const DecisionWords = {
  note: text(CIVIC_LIMITS.text.description).optional().describe('Stays with the maintainers.'),
  reason: text(CIVIC_LIMITS.text.description)
    .optional()
    .describe('Goes back to the sender, who reads it by session id.'),
  redact: z.boolean().default(false).describe('Release a hold without the parts that the scrub found.'),
  by: text(REVIEW_LIMITS.claimNameMax, 1).optional().describe('Your name, if you claimed it.'),
  take: z.boolean().default(false).describe('Decide it although another maintainer claimed it.'),
};

const show = defineOperation({
  id: 'civic.show_case',
  summary: 'Show everything needed to decide: the change as a diff, evidence, votes, earlier decisions.',
  input: z.strictObject({
    id: z.string().describe('A queue item (que_…) or a submission (sub_…).'),
    from: BurstFrom,
  }),
  output: Case,
  hints: READ,
  http: { method: 'GET', path: '/api/review/{id}/case', read: fromBurstQuery, meta: noStore },
  mcp: false,
  cli: { command: 'civic show', positional: ['id'], print: (output) => printCase(output), manyLines: ['diff'] },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: ({ id, from }, deps: WriteDeps) => readCase(deps, id, from),
});

const claim = defineOperation({
  id: 'civic.claim_queue_item',
  summary: 'Claim a queue item for four hours, so that other maintainers leave it to you.',
  input: z.strictObject({
    queue_id: z.string(),
    by: text(REVIEW_LIMITS.claimNameMax, 1).describe('Your name, as the other maintainers know it.'),
    take: z.boolean().default(false).describe('Claim it although another maintainer has.'),
    release: z.boolean().default(false).describe('Give it back.'),
  }),
  output: z.object({ queue_id: z.string(), claimed_by: z.string().optional(), claimed_until: z.string().optional() }),
  hints: CHANGE,
  http: { method: 'POST', path: '/api/review/{queue_id}/claim', bodyBytesMax, meta: noStore },
  mcp: false,
  cli: {
    command: 'civic claim',
    positional: ['queue_id'],
    print: ({ queue_id, claimed_by, claimed_until }) =>
      claimed_by === undefined
        ? `${queue_id} is nobody's.\n`
        : `${queue_id} is ${claimed_by}'s until ${claimed_until}.\n`,
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: ({ queue_id, by, take, release }, deps: WriteDeps) =>
    deps.store.transact(() => {
      const { store, clock } = deps;
      const item = store.queueItem(queue_id);
      if (!item) throw new BinderyError('target_not_found');
      if (item.decidedAt !== undefined) throw new BinderyError('already_decided');
      requireUnclaimed(deps, queue_id, { by, take });
      const next = release ? undefined : { by, at: clock.now() };
      store.review.setClaim(queue_id, next);
      return { queue_id, ...(next ? { claimed_by: by, claimed_until: iso(claimedUntil(next)) } : {}) };
    }),
});

const BatchResult = z.object({
  queue_id: z.string(),
  decision: z.string().optional(),
  decided_at: z.string().optional(),
  code: z.string().optional(),
  detail: z.string().optional(),
});

const decideMany = defineOperation({
  id: 'civic.decide_queue_items',
  summary: 'Decide several queue items alike; each is decided or refused on its own.',
  input: z.strictObject({
    decision: z.string(),
    queue_ids: z.array(z.string()).min(1).max(REVIEW_LIMITS.batchMax),
    ...DecisionWords,
  }),
  output: z.object({
    results: z.array(BatchResult),
    decided: z.int(),
    refused: z.int(),
    warning: SettledWarning,
  }),
  hints: DECIDE,
  http: { method: 'POST', path: '/api/review/decide', bodyBytesMax, meta: noStore },
  mcp: false,
  cli: {
    command: 'civic decide',
    positional: ['decision', 'queue_ids'],
    print: ({ results, decided, refused, warning }) =>
      `${results.map((one) => `${one.queue_id}  ${one.decision ?? `refused: ${one.code} ${one.detail ?? ''}`.trim()}\n`).join('')}${decided} decided, ${refused} refused\n${warningLine(warning)}`,
    exit: ({ refused }) => (refused === 0 ? 0 : 1),
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ queue_ids, decision, ...words }, deps: WriteDeps) => {
    const results: z.output<typeof BatchResult>[] = [];
    for (const queue_id of new Set(queue_ids)) results.push(await decideOne(deps, queue_id, decision, words));
    // The log keeps the texts before the redaction until it is truncated.
    if (words.redact) deps.store.truncateWal();
    const settled = await deps.writer.settle();
    const decided = results.filter(({ code }) => code === undefined).length;
    return { results, decided, refused: results.length - decided, ...settled };
  },
});

async function decideOne(
  deps: WriteDeps,
  queue_id: string,
  decision: string,
  words: Omit<DecideOptions, 'note'> & { note?: string | undefined },
): Promise<z.output<typeof BatchResult>> {
  try {
    const item = await deps.store.transact(() => decideItem(deps, queue_id, decision, { note: undefined, ...words }));
    return { queue_id, decision, decided_at: iso(item.decidedAt as number) };
  } catch (thrown) {
    const error = toBinderyError(thrown);
    if (error !== thrown) deps.log.error('a queue item could not be decided', { queue_id, error: thrown });
    const { code, detail } = error;
    return { queue_id, code, ...(detail === undefined ? {} : { detail }) };
  }
}

const undo = defineOperation({
  id: 'civic.undo_decision',
  summary: 'Take a decision back: the item waits again, or the merge that it let through is reverted.',
  input: z.strictObject({ queue_id: z.string() }),
  output: z.object({ queue_id: z.string(), outcome: z.enum(['reopened', 'reverted']), warning: SettledWarning }),
  hints: DECIDE,
  http: { method: 'POST', path: '/api/review/{queue_id}/undo', bodyBytesMax, meta: noStore },
  mcp: false,
  cli: {
    command: 'civic undo',
    positional: ['queue_id'],
    print: ({ queue_id, outcome, warning }) =>
      `${outcome === 'reopened' ? `${queue_id} waits for a decision again.` : `The merge of ${queue_id} is reverted.`}\n${warningLine(warning)}`,
  },
  failures: civicFailures(),
  admit: requireMaintainer,
  run: async ({ queue_id }, deps: WriteDeps) => {
    const outcome = await deps.store.transact(() => undoDecision(deps, queue_id));
    return { queue_id, outcome, ...(await deps.writer.settle()) };
  },
});

function warningLine(warning: string | undefined): string {
  return warning === undefined ? '' : `warning: ${warning}\n`;
}

/** Operations to read, claim, decide and undo. */
export const caseOperations: readonly AnyOperation<WriteDeps>[] = [show, claim, decideMany, undo];
