import type { SubmissionType } from '../config.ts';
import type { Item } from './item-types.ts';

export type SubmissionStatus = 'received' | 'staged' | 'held_ner' | 'committed' | 'merged' | 'rejected' | 'cancelled';

export interface SubmissionRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly type: SubmissionType;
  readonly status: SubmissionStatus;
  readonly targetType: string | undefined;
  readonly targetId: string | undefined;
  readonly contentHash: string;
  readonly item: Item;
  readonly receivedAt: number;
  /** When staging ends; undefined: not staged. */
  readonly stagedUntil: number | undefined;
  /** SHA-256 of the cancel token. */
  readonly cancelHash: string | undefined;
  /** The submitter's hash under the target's salt, while the submission is pending. */
  readonly author: string | undefined;
  readonly isProbe: boolean;
  /** An injection flag within the sender's daily allowance. */
  readonly countsFlag: boolean;
}
