import { z } from 'zod';
import { STATUSES } from '../config.ts';
import { QueueEntry } from './queue-entry.ts';

const Condition = z.object({
  name: z.string(),
  have: z.number(),
  need: z.number(),
  met: z.boolean(),
  below: z.literal(true).optional(),
});

/** Counted votes against thresholds; never the voters. */
export const Votes = z.object({
  confirms: z.int(),
  rejects: z.int(),
  utc_days: z.int(),
  toward: z.array(z.object({ to: z.string(), conditions: z.array(Condition).readonly() })).readonly(),
});

export const ProtectedField = z.object({ field: z.string(), gate: z.string(), reason: z.string() });

/** Everything that a maintainer needs to decide. */
export const Case = z.object({
  queue: QueueEntry.extend({ note: z.string().optional() }).optional(),
  decisions: z.array(z.string()).readonly(),
  submission: z
    .object({
      submission_id: z.string(),
      type: z.string(),
      status: z.string(),
      received_at: z.string(),
      staged_until: z.string().optional(),
      message: z
        .string()
        .optional()
        .describe("What the sender says of it: an amendment's rationale, a draft's message."),
      verdict: z.object({ decision: z.string(), reason: z.string().optional() }).optional(),
    })
    .optional(),
  target: z
    .object({ type: z.string(), id: z.string(), version: z.string(), status: z.enum(STATUSES), votes: Votes })
    .optional(),
  change: z
    .object({
      path: z.string(),
      diff: z.string().describe('Unified, against the file as it is now.'),
      applies: z.boolean(),
      problem: z.string().optional(),
    })
    .optional(),
  protected: z.array(ProtectedField),
  amendment_votes: Votes.optional().describe('Votes on the amendment itself, where its fields need agreement.'),
  evidence: z.array(
    z.object({
      url: z.string(),
      of: z.enum(['submission', 'target']),
      archived_url: z.string().optional(),
      state: z.enum(['reached', 'dead', 'unchecked']),
      host: z.enum(['listed', 'foreign', 'no_list']),
    }),
  ),
  links_checked_in: z.string().optional(),
  findings: z.array(z.object({ rule: z.string(), pointer: z.string(), text: z.string() })),
  earlier: z.array(
    z.object({
      queue_id: z.string(),
      decision: z.string(),
      decided_at: z.string(),
      alike: z.array(z.string()),
      target_type: z.string().optional(),
      target_id: z.string().optional(),
      note: z.string().optional(),
    }),
  ),
  burst: z
    .object({ concerns: z.int(), from: z.int(), through: z.int() })
    .optional()
    .describe('Of a burst: how many concerns wait, and which of them `content` has.'),
  content: z.unknown(),
});
export type Case = z.output<typeof Case>;
