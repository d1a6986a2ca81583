import { z } from 'zod';
import type { BinderyError } from '../../contract/errors.ts';
import { strongestGate } from '../protection/protected-fields.ts';
import type { Item } from './item-types.ts';
import type { Advisories, Receipt } from './receipt.ts';
import type { WriteDeps } from './write-deps.ts';

const Advisory = z.object({
  rule: z.string(),
  pointer: z.string(),
  start: z.int(),
  end: z.int(),
  in_key: z.literal(true).optional(),
});

/** A field whose change needs more than staging. */
const Protected = z.object({
  field: z.string(),
  gate: z.enum(['consensus', 'maintainer']),
  reason: z.string(),
});

/** `held_ner`: a maintainer decides first. `holds` or `protected` say why, or `warning` if a target has too many concerns today. */
const WouldBe = z.enum(['accepted', 'held_ner']);
const NEXT = 'What happens before it takes effect.';

/** The answer to a typed request [SU5]. */
export const TypedAnswer = z.object({
  submission_id: z.string().optional(),
  type: z.string(),
  status: z.enum(['accepted', 'held_ner', 'dry_run_ok', 'duplicate']),
  code: z.string().optional(),
  target_type: z.string().optional(),
  target_id: z.string().optional(),
  cancel_token: z.string().optional(),
  cancel_url: z.string().optional(),
  cancel_until: z.string().optional(),
  joined_to: z.string().optional().describe('The listed concern that says the same; this one is counted there.'),
  would_be: WouldBe.optional(),
  advisories: z.array(Advisory).optional(),
  holds: z.array(Advisory).optional().describe('Why a maintainer looks first: rules and places, never the text.'),
  protected: z.array(Protected).optional(),
  warning: z.string().optional(),
  next: z.string().optional().describe(NEXT),
});
export type TypedAnswer = z.output<typeof TypedAnswer>;

/** One item's part of the answer to an envelope [SU6]. */
export const ItemResult = z.object({
  index: z.int(),
  type: z.string().optional(),
  status: z.enum(['accepted', 'dry_run_ok', 'held_ner', 'rejected', 'duplicate', 'rate_limited']),
  submission_id: z.string().optional(),
  code: z.string().optional(),
  pointer: z.string().optional(),
  errors: z.array(z.looseObject({ pointer: z.string() })).optional(),
  required_capability: z.array(z.string()).optional(),
  current_version: z.string().optional(),
  retry_after_seconds: z.int().optional(),
  retry_policy: z.string().optional(),
  cancel_token: z.string().optional(),
  cancel_url: z.string().optional(),
  cancel_until: z.string().optional(),
  joined_to: z.string().optional().describe('The listed concern that says the same; this one is counted there.'),
  would_be: WouldBe.optional(),
  advisories: z.array(Advisory).optional(),
  holds: z.array(Advisory).optional().describe('Why a maintainer looks first: rules and places, never the text.'),
  protected: z.array(Protected).optional(),
  warning: z.string().optional(),
  next: z.string().optional().describe(NEXT),
});
export type ItemResult = z.output<typeof ItemResult>;

export const EnvelopeAnswer = z.object({
  results: z.array(ItemResult),
  accepted: z.int(),
  rejected: z.int(),
  warning: z.string().optional(),
});
export type EnvelopeAnswer = z.output<typeof EnvelopeAnswer>;

/** The order of members follows SU5 and SU6. */
export function typedAnswer(deps: WriteDeps, item: Item, receipt: Receipt): TypedAnswer {
  const { status, submission_id, code, ...others } = receiptMembers(deps, receipt);
  return {
    ...(submission_id === undefined ? {} : { submission_id }),
    type: item.type,
    status,
    ...(code === undefined ? {} : { code }),
    ...(status === 'accepted' || status === 'held_ner' ? targetMembers(item) : {}),
    ...others,
  };
}

export function itemResult(deps: WriteDeps, index: number, item: Item, receipt: Receipt): ItemResult {
  return { index, type: item.type, ...receiptMembers(deps, receipt, `/items/${index}`) };
}

/** The result of a refused item; its pointers start at the top of the envelope. */
export function refusedResult(index: number, type: unknown, error: BinderyError): ItemResult {
  const base = `/items/${index}`;
  const { errors, pointer: _, keyword: __, ...members } = error.members;
  const placed = Array.isArray(errors)
    ? (errors as { pointer: string }[]).map((one) => ({ ...one, pointer: base + one.pointer }))
    : undefined;
  return {
    index,
    ...(typeof type === 'string' ? { type } : {}),
    status: error.code === 'rate_limited' ? 'rate_limited' : 'rejected',
    code: error.code,
    pointer: placed?.[0]?.pointer ?? base,
    ...(placed ? { errors: placed } : {}),
    ...members,
  };
}

export function envelopeAnswer(results: ItemResult[]): EnvelopeAnswer {
  const refused = results.filter(({ status }) => status === 'rejected' || status === 'rate_limited').length;
  return { results, accepted: results.length - refused, rejected: refused };
}

export function typedStatus({ status }: TypedAnswer): number {
  return status === 'accepted' || status === 'held_ner' ? 202 : 200;
}

/** How long to wait if limits refused every item. */
export function envelopeRetrySeconds({ results }: EnvelopeAnswer): number {
  return Math.min(...results.map((result) => result.retry_after_seconds ?? Number.POSITIVE_INFINITY));
}

/** 202 if anything was accepted (200 for a dry run), 429 if only limits refused, else 422. */
export function envelopeStatus({ results, accepted }: EnvelopeAnswer, isDryRun: boolean): number {
  if (accepted > 0) return isDryRun ? 200 : 202;
  return results.every(({ status }) => status === 'rate_limited') ? 429 : 422;
}

type ReceiptMembers = Omit<TypedAnswer, 'type' | 'target_type' | 'target_id'>;

function receiptMembers(deps: WriteDeps, receipt: Receipt, base = ''): ReceiptMembers {
  const { status } = receipt;
  if (status === 'duplicate') return { status, submission_id: receipt.submissionId };
  const placed = ({ shared, own }: Advisories) => [
    ...shared,
    ...own.map((finding) => ({ ...finding, pointer: base + finding.pointer })),
  ];
  const [advisories, holds] = [placed(receipt.advisories), placed(receipt.heldFor)];
  const told = {
    ...(advisories.length > 0 ? { advisories } : {}),
    ...(holds.length > 0 ? { holds } : {}),
    ...(receipt.protectedChanges.length > 0 ? { protected: [...receipt.protectedChanges] } : {}),
    ...(receipt.ahead > 0 ? { warning: aheadWarning(receipt.ahead) } : {}),
    ...(receipt.isBurst ? { warning: BURST_WARNING } : {}),
    ...nextOf(receipt),
  };
  if (status === 'dry_run_ok') return { status, would_be: receipt.wouldBe, ...told };
  const { submissionId, cancelToken, cancelUntil, joinedTo } = receipt;
  return {
    status,
    submission_id: submissionId,
    ...(status === 'held_ner' ? { code: 'held_for_review' } : {}),
    ...(cancelToken === undefined
      ? {}
      : { cancel_token: cancelToken, cancel_url: `${deps.baseUrl()}/api/submissions/${submissionId}/cancel` }),
    ...(cancelUntil === undefined ? {} : { cancel_until: new Date(cancelUntil).toISOString() }),
    ...(joinedTo === undefined ? {} : { joined_to: joinedTo }),
    ...told,
  };
}

/** Tells a sender what happens to a submission that does not take the usual course. */
function nextOf({ heldFor, protectedChanges }: Exclude<Receipt, { status: 'duplicate' }>): { next?: string } {
  if (heldFor.own.length + heldFor.shared.length > 0) return { next: HELD_BY_SCRUB };
  const gate = strongestGate(protectedChanges);
  if (gate === 'maintainer') return { next: HELD_BY_FIELDS };
  return gate === 'consensus' ? { next: NEEDS_VOTES } : {};
}

const HELD_BY_SCRUB =
  'It is held and not published. A maintainer looks at what `holds` lists and releases or rejects it. GET /api/submissions shows the decision.';
const HELD_BY_FIELDS =
  'It is held and not published. After 24 hours a maintainer accepts or rejects it, because of the fields under `protected`. GET /api/submissions shows the decision.';
const NEEDS_VOTES =
  'It is staged for 24 hours. Then it needs three confirming validations by others on two UTC days, because of the fields under `protected`.';
const BURST_WARNING =
  'There are many concerns about this target today. Yours is listed when a maintainer has looked at them.';

function aheadWarning(ahead: number): string {
  const others = ahead === 1 ? 'Another amendment' : `${ahead} other amendments`;
  return `${others} of this artefact came first. If one merges, this one is rejected as target_version_stale: then read the new version and send the change again. GET /api/staged shows them.`;
}

function targetMembers(item: Item): { target_type?: string; target_id?: string } {
  if (item.type === 'feedback') return {};
  return { target_type: item.target_type, target_id: item.type === 'draft' ? item.proposed_id : item.target_id };
}
