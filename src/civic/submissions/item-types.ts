import { z } from 'zod';
import { CIVIC_LIMITS } from '../config.ts';
import { anyJson, bytes, day, httpsUrl, instant, kebabId, markdown, semver, text } from './fields.ts';

const { text: LENGTH } = CIVIC_LIMITS;

/**
 * Targets of each type [W4]. `observation` is the older name of a concern and stored as `concern` [SU9]; a concern on a provider is a
 * complaint [V6]; a validation of an amendment votes on a protected change.
 */
export const TARGET_TYPES = {
  concern: ['skill', 'volatile_value', 'reference', 'path', 'path_source', 'skill_graph', 'provider'],
  amendment: ['skill', 'path', 'path_source', 'volatile_value', 'reference'],
  validation: ['skill', 'volatile_value', 'reference', 'path', 'path_source', 'observation', 'concern', 'amendment'],
  draft: ['skill', 'path'],
  rating: ['skill', 'agent_protocol', 'session'],
} as const;

export const CONCERN_KINDS = [
  'citation_misreference',
  'citation_404',
  'statutory_change',
  'factual_error',
  'missing_origin_coverage',
] as const;
export const CONCERN_SCOPES = ['general', 'commune-specific', 'regional-specific', 'role-specific'] as const;

const targetId = text(LENGTH.name, 1);

export const Concern = z.strictObject({
  target_type: z.enum(TARGET_TYPES.concern),
  target_id: targetId,
  kind: z.enum(CONCERN_KINDS),
  report: text(LENGTH.report, 1),
  scope: z.enum(CONCERN_SCOPES).default('general'),
  specifier: text(LENGTH.specifier, 1).optional(),
  observed_value: text(LENGTH.name, 1).optional(),
  evidence_source: z.enum(['customer-report', 'citation', 'corroboration']).optional(),
  evidence_url: httpsUrl.optional(),
  evidence_date: day.optional(),
  notes: text(LENGTH.notes).optional(),
});
export type Concern = z.output<typeof Concern>;

/** Exactly one member, named after the subtype [SU14]. */
export const AmendmentContent = z.discriminatedUnion('amendment_subtype', [
  z.strictObject({
    amendment_subtype: z.literal('body_diff'),
    body_diff: z.strictObject({ diff: markdown(CIVIC_LIMITS.diff_bytes_max, CIVIC_LIMITS.diff_lines_max, true) }),
  }),
  z.strictObject({
    amendment_subtype: z.literal('frontmatter_change'),
    frontmatter_change: z.strictObject({ field_path: text(LENGTH.name, 1), proposed_value: anyJson }),
  }),
  z.strictObject({
    amendment_subtype: z.literal('source_add'),
    source_add: z.strictObject({ source: z.record(z.string(), z.unknown()) }),
  }),
  z.strictObject({
    amendment_subtype: z.literal('value_change'),
    value_change: z.strictObject({
      proposed_value: z.union([text(LENGTH.name, 1), z.number()]),
      unit: text(LENGTH.name, 1).optional(),
    }),
  }),
  z.strictObject({
    amendment_subtype: z.literal('reference_change'),
    reference_change: z.strictObject({ url: httpsUrl, archived_url: httpsUrl.optional() }),
  }),
]);
export type AmendmentContent = z.output<typeof AmendmentContent>;

/** Amendment subtypes by target type [SU14]. */
export const AMENDMENT_SUBTYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['skill', ['body_diff', 'frontmatter_change']],
  ['path', ['frontmatter_change', 'source_add']],
  ['path_source', ['frontmatter_change']],
  ['volatile_value', ['value_change']],
  ['reference', ['reference_change']],
]);

export const Amendment = z.strictObject({
  target_type: z.enum(TARGET_TYPES.amendment),
  target_id: targetId,
  base_version: semver,
  content: AmendmentContent,
  rationale: text(LENGTH.rationale_amendment, 1),
  evidence_url: httpsUrl,
});
export type Amendment = z.output<typeof Amendment>;

export const TraversalMetadata = z.strictObject({
  attempted_at: instant,
  outcome: z.enum(['success', 'failure', 'inconclusive']),
  signals_matched: z.array(text(LENGTH.name)).max(50, 'has too many elements'),
  http_status: z.int().min(100, 'is no HTTP status').max(599, 'is no HTTP status').optional(),
  duration_bucket: z.enum(['<1m', '1-5m', '5-30m', '>30m']),
});

export const Validation = z.strictObject({
  target_type: z.enum(TARGET_TYPES.validation),
  target_id: targetId,
  target_version: semver,
  verdict: z.enum(['confirm', 'reject']),
  rationale: text(LENGTH.rationale_validation, 1).optional(),
  injection_flag: z.boolean().default(false),
  injection_excerpt_pointer: text(LENGTH.injection_excerpt_pointer).optional(),
  traversal_metadata: TraversalMetadata.optional(),
});
export type Validation = z.output<typeof Validation>;

const draftShape = {
  proposed_id: kebabId,
  commit_message: text(LENGTH.commit_message, 1),
  provenance: z
    .strictObject({ research_notes_markdown: bytes(CIVIC_LIMITS.research_notes_bytes_max).optional() })
    .optional(),
};

export const Draft = z.discriminatedUnion('target_type', [
  z.strictObject({
    target_type: z.literal('skill'),
    ...draftShape,
    content: z.strictObject({
      frontmatter: z.record(z.string(), z.unknown()),
      body: markdown(CIVIC_LIMITS.body_bytes_max, CIVIC_LIMITS.draft_lines_max),
    }),
  }),
  z.strictObject({
    target_type: z.literal('path'),
    ...draftShape,
    content: z.strictObject({ entry: z.record(z.string(), z.unknown()) }),
  }),
]);
export type Draft = z.output<typeof Draft>;

export const FeedbackNote = z.strictObject({
  body: text(LENGTH.feedback_body, 1),
  topic: z.enum(['bug', 'suggestion', 'praise', 'confusion', 'accessibility', 'other']).optional(),
  pointer: text(LENGTH.name).optional(),
});
export type FeedbackNote = z.output<typeof FeedbackNote>;

export const Rating = z.strictObject({
  target_type: z.enum(TARGET_TYPES.rating),
  target_id: targetId,
  axis: z.enum(['accuracy', 'clarity', 'completeness', 'usefulness', 'overall']),
  score: z.int().min(1, 'is less than 1').max(5, 'is more than 5'),
  would_be_5_stars: text(LENGTH.would_be_5_stars).optional(),
});
export type Rating = z.output<typeof Rating>;

/** The schema of each type's own members. */
export const ITEM_SCHEMAS = {
  concern: Concern,
  amendment: Amendment,
  validation: Validation,
  draft: Draft,
  feedback: FeedbackNote,
  rating: Rating,
} as const;

export type Item =
  | ({ readonly type: 'concern' } & Concern)
  | ({ readonly type: 'amendment' } & Amendment)
  | ({ readonly type: 'validation' } & Validation)
  | ({ readonly type: 'draft' } & Draft)
  | ({ readonly type: 'feedback' } & FeedbackNote)
  | ({ readonly type: 'rating' } & Rating);
