import { PROTECTED_FIELDS_SHOWN } from './protection/protected-fields.ts';

/**
 * Every number and every closed list of the room. A change here is a protocol amendment (tier B): `GET /agents/manifest.json` shows the
 * part that clients must know.
 */

/** Supported revisions of the submission contract: the major number, as text. */
export const CONTRACT_VERSIONS = ['1'] as const;

/** When an artefact changes its state. Shares are between 0 and 1. */
export const THRESHOLDS = {
  alpha_to_beta: { confirms: 3, confirms_row: 2, approval_min: 0.75, hours_in_state: 24, utc_days: 2 },
  beta_to_stable: { confirms: 8, confirms_row: 5, wilson_min: 0.6, approval_min_row: 0.75, hours_in_state: 14 * 24 },
  beta_to_alpha: { rejects: 3, window_hours: 30 * 24, approval_below: 0.5 },
  stable_to_beta: { rejects: 3, window_hours: 30 * 24, reject_share_min: 0.4 },
  alpha_to_draft: { rejects: 3, approval_below: 0.25 },
  quarantine: { flags: 1, flags_counted_per_day: 3 },
  source_rot: { degraded_after_hours: 24, deprecated_after_hours: 7 * 24 },
  /**
   * Votes on an amendment that needs consensus. Confirms accept it and rejects end it only if no vote contradicts; otherwise, or without
   * enough votes in time, a maintainer decides.
   */
  amendment: { confirms: 3, rejects: 3, utc_days: 2, wait_hours: 7 * 24 },
  wilson_z: 1.959964,
  review_salt_days: 30,
  /** Advisory option: require confirms from two regions or languages before stable. */
  diversity: false,
} as const;

/** Changes per UTC day without review; further ones wait for a maintainer. */
export const HARM_LIMITS = {
  merges_per_artefact_day: 3,
  merges_per_corpus_day: 50,
  /** Beyond this, flags quarantine only recently merged changes, and only with two addresses. */
  quarantines_per_corpus_day: 10,
  /** Concerns about one target that are listed at once, from all senders; the day's further ones wait in one queue item. */
  concerns_per_target_day: 60,
  /** How long after an unreviewed merge a reader's rejection sends it to review, and values are compared with the text before it. */
  watched_days: 30,
  /** How long submissions of one sender and day can be linked to each other. */
  batch_days: 30,
} as const;

export const SUBMISSION_TYPES = ['concern', 'amendment', 'validation', 'draft', 'feedback', 'rating'] as const;
export type SubmissionType = (typeof SUBMISSION_TYPES)[number];

/** Requests, items and sizes. */
export const CIVIC_LIMITS = {
  burst: { requests: 10, window_seconds: 60 },
  day: {
    items: 60,
    draft: 3,
    amendment: 20,
    validation: 60,
    concern: 30,
    feedback: 10,
    rating: 20,
    /** Held items per sender: more would take too much of the maintainer's time. */
    held: 10,
  },
  reads: { requests: 600, window_seconds: 60 },
  body_bytes_max: 256 * 1024,
  nesting_max: 32,
  envelope_items_max: 20,
  amendments_listed_max: 100,
  duplicate_window_hours: 24,
  /** Texts, in code points after NFC. */
  text: {
    report: 2000,
    feedback_body: 2000,
    rationale_amendment: 1000,
    rationale_validation: 500,
    notes: 200,
    specifier: 200,
    name: 200,
    description: 500,
    summary: 200,
    submitting_agent: 200,
    commit_message: 200,
    would_be_5_stars: 300,
    injection_excerpt_pointer: 200,
    id: 64,
  },
  diff_bytes_max: 64 * 1024,
  // The Markdown parser takes quadratic time for many lines of one paragraph, and for many definitions.
  diff_lines_max: 600,
  draft_lines_max: 2000,
  link_definitions_max: 100,
  // Its steps for the marks of one paragraph and for levels of lists; a page has some thousands, the maximum takes about 60 ms.
  markdown_steps_max: 2_000_000,
  research_notes_bytes_max: 64 * 1024,
} as const;

/** Limits for reading a corpus file. */
export const CORPUS_LIMITS = {
  fileBytesMax: 256 * 1024,
  yamlAliasesMax: 50,
  yamlDepthMax: 10,
  /** Polling interval of the folder. */
  watchMs: 1000,
  /** Entries of `build.errors` in the manifest. */
  errorsShownMax: 100,
  /** Issues that one check lists. */
  issuesMax: 1000,
  valueLengthMax: 200,
  providersCharsMax: 4 * 1024 * 1024,
} as const;

export const READ_LIMITS = {
  findResultsMax: 10,
  queryLengthMax: 200,
  filterThemesMax: 50,
  filterKeysMax: 20,
  formFieldsMax: 200,
  formTextMax: 2000,
} as const;

export const REVIEW_LIMITS = {
  /** Complaints about one provider that its queue item quotes; all of them are counted. */
  complaintsShownMax: 100,
  /** Concerns of a burst on one page of its queue item. */
  burstPageMax: 50,
  mergesShownMax: 1000,
  /** Items that one request decides. */
  batchMax: 100,
  /** How long a maintainer's claim blocks others from an item. */
  claimHours: 4,
  claimNameMax: 64,
  /** Earlier decisions that an item shows, and how many are searched for them. */
  likeCasesMax: 5,
  likeCasesSearched: 500,
  /** Unchanged lines around a change. */
  diffContextLines: 3,
} as const;

export const SITE_LIMITS = {
  /** Changes of the corpus in its history. */
  historyMax: 1000,
  /** How many of them the list and the feed show. */
  changesShown: 100,
  diffLinesMax: 400,
  /** Maximum output of `git log`. */
  historyBytesMax: 64 * 1024 * 1024,
  pageFilesMax: 50,
} as const;

export const STAGING_HOURS = 24;

/** How long a rejected hold is kept, so that its sender can appeal. */
export const APPEAL_DAYS = 14;

/** Missing capabilities are listed in this order. */
export const CAPABILITIES = [
  'file_read',
  'structured_output',
  'multi_turn',
  'tool_execution',
  'pdf_generation',
  'web_fetch',
  'vision',
  'local_filesystem',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Capabilities that a type must declare; a validation of a concern needs as few as a concern. */
export const REQUIRED_CAPABILITIES = {
  concern: ['structured_output', 'multi_turn'],
  validation_of_concern: ['structured_output', 'multi_turn'],
  amendment: ['structured_output', 'multi_turn', 'tool_execution', 'web_fetch'],
  validation: ['structured_output', 'multi_turn', 'tool_execution', 'web_fetch'],
  draft: ['file_read', 'structured_output', 'multi_turn', 'tool_execution', 'web_fetch'],
  feedback: [],
  rating: [],
} as const satisfies Record<string, readonly Capability[]>;

export const STATUSES = ['draft', 'alpha', 'beta', 'stable', 'quarantined', 'retracted', 'superseded'] as const;
export type Status = (typeof STATUSES)[number];

/** States of publicly visible artefacts. */
export const RENDERED_STATUSES: readonly Status[] = ['alpha', 'beta', 'stable'];

export function isRendered(status: Status): boolean {
  return RENDERED_STATUSES.includes(status);
}

export const PURPOSES = ['submission', 'preparation', 'check-only', 'handoff', 'informational', 'tool'] as const;
export const REFERENCE_USAGES = ['citation', 'corroboration', 'customer-report'] as const;

export const SOURCE_HEALTHS = ['ok', 'suspect', 'degraded', 'deprecated'] as const;
export type SourceHealth = (typeof SOURCE_HEALTHS)[number];

export const LOCALES = ['en', 'fr', 'nl', 'de', 'ar', 'uk'] as const;
export type Locale = (typeof LOCALES)[number];

export const APPS = ['cowork', 'chatgpt-app', 'generic'] as const;
export type App = (typeof APPS)[number];

export const MODES = ['first-contact', 'returning', 'multi-active', 'section-1-only'] as const;
export type Mode = (typeof MODES)[number];

/** Kebab-case ids of skills and paths. */
export const ID_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Three numbers only. */
export const VERSION_CORE_PATTERN = /^(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})\.(?:0|[1-9]\d{0,8})$/;
/** Semantic Versioning 2.0.0, including pre-releases and build metadata. */
export const SEMVER_PATTERN =
  /^(?=.{5,100}$)(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** A category is shown from so many providers on. */
export const PROVIDERS_PER_CATEGORY_MIN = 2;

/** The part of this file that clients see, as `config` in the manifest. */
export const MANIFEST_CONFIG = {
  thresholds: THRESHOLDS,
  limits: { ...CIVIC_LIMITS, harm: HARM_LIMITS, protected_fields: PROTECTED_FIELDS_SHOWN },
  capabilities: { known: CAPABILITIES, required: REQUIRED_CAPABILITIES },
  staging_hours: STAGING_HOURS,
  locales: LOCALES,
  apps: APPS,
  modes: MODES,
} as const;
