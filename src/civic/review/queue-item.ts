/** Why an item waits for a maintainer, and the possible decisions [MQ1]. */
export const QUEUE_DECISIONS = {
  injection_quarantine: ['dismiss', 'uphold'],
  ner_hold: ['release', 'reject'],
  draft_review: ['accept', 'reject'],
  amendment_review: ['accept', 'reject'],
  feedback_triage: ['close'],
  provider_eligibility: ['approve', 'remove'],
  protocol_amendment: ['accept', 'reject'],
} as const;

export type QueueClass = keyof typeof QUEUE_DECISIONS;
export const QUEUE_CLASSES = Object.keys(QUEUE_DECISIONS) as [QueueClass, ...QueueClass[]];

export const QUEUE_STATES = ['open', 'decided'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

export interface QueueItem {
  readonly queueId: string;
  readonly queueClass: QueueClass;
  readonly openedAt: number;
  readonly reason: string | undefined;
  readonly targetType: string | undefined;
  readonly targetId: string | undefined;
  readonly submissionId: string | undefined;
  /** Names of the scrub rules that held it. */
  readonly rules: readonly string[] | undefined;
  /** What the maintainer reads to decide. */
  readonly content: unknown;
  readonly decidedAt: number | undefined;
  readonly decision: string | undefined;
  readonly note: string | undefined;
}
