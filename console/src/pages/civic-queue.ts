import { t } from '../texts.ts';

export interface QueueEntry {
  readonly queue_id: string;
  readonly class: keyof typeof t.civic.classes;
  readonly opened_at: string;
  readonly reason?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly submission_id?: string;
  readonly rules?: readonly string[];
  readonly claimed_by?: string;
  readonly claimed_until?: string;
  readonly decided_at?: string;
  readonly decision?: string;
}

export const DECISIONS: Readonly<Record<QueueEntry['class'], readonly string[]>> = {
  injection_quarantine: ['dismiss', 'uphold'],
  ner_hold: ['release', 'reject'],
  draft_review: ['accept', 'reject'],
  amendment_review: ['accept', 'reject'],
  feedback_triage: ['close'],
  provider_eligibility: ['approve', 'remove'],
  protocol_amendment: ['accept', 'reject'],
};

export function decisionLabel(decision: string): string {
  return t.civic.decisions[decision as keyof typeof t.civic.decisions] ?? decision;
}

/** The subject of an item, in one line. */
export function itemLabel(item: QueueEntry): string {
  const about = item.target_id ?? item.submission_id ?? item.queue_id;
  return `${t.civic.classes[item.class] ?? item.class}: ${about}`;
}
