import type { SubmissionType } from '../config.ts';
import type { Artefact, ArtefactHead, ArtefactType, Verdict } from '../lifecycle/artefact.ts';
import type { LifecycleChange, LifecycleEvent } from '../lifecycle/events.ts';
import type { SourceRecord } from '../lifecycle/source-health.ts';
import type { QueueItem, QueueState } from '../review/queue-item.ts';
import type { ReviewStore } from '../review/review-store.ts';
import type { AmendmentStore } from './amendment-store.ts';
import type { ConcernStore } from './concern-store.ts';
import type { CorpusChange } from './corpus-change.ts';
import type { Item } from './item-types.ts';
import type { SubmissionRecord } from './submission-record.ts';

export interface DayItem {
  readonly type: SubmissionType;
  readonly contentHash: string;
  readonly submissionId: string;
}

/** Hashes that an artefact keeps while its salt lives. */
export type MarkRole = 'submitter' | 'dismissed_flagger' | 'flagger';

export interface PublicConcern {
  readonly id: string;
  readonly item: Item & { readonly type: 'concern' };
  readonly state: string;
  readonly receivedAt: number;
  /** How many senders said the same. */
  readonly reports: number;
}

/** Where the write side keeps what it knows. Every method but `transact` is synchronous and belongs inside one. */
export interface CivicStore {
  readonly amendments: AmendmentStore;
  readonly review: ReviewStore;
  readonly concerns: ConcernStore;

  /** Runs the work in a transaction of its own or its neighbours', and resolves once the outcome is durable. */
  transact<T>(work: () => T): Promise<T>;

  submission(id: string): SubmissionRecord | undefined;
  insertSubmission(record: SubmissionRecord): void;
  updateSubmission(
    id: string,
    change: Partial<Pick<SubmissionRecord, 'status' | 'stagedUntil' | 'author' | 'cancelHash'>>,
  ): void;
  /** Takes everything that a person wrote out of a submission and of its queue items; what it was about stays. */
  eraseSubmission(id: string, left: Item): void;
  /** Whether another submission has this text. */
  isInOthers(id: string, text: string): boolean;
  /** Rewrites the texts of amendments that merged, were rejected or were cancelled. */
  rewriteEnded(isMeant: (record: SubmissionRecord) => boolean, rewrite: (text: string) => string): void;
  /** Submissions whose hold was rejected before an instant and whose text is still there. */
  rejectedHolds(before: number): readonly string[];
  /** Has the log beside the database hold no page of what was erased. */
  scour(): void;
  /** Rewrites the whole database, so that unused parts of its pages are empty. False: another process uses it now. */
  rebuild(): boolean;
  submissionsOfSession(sessionId: string): readonly SubmissionRecord[];
  /** Staged ones whose time is over, in the order of receipt. */
  stagedDue(now: number): readonly SubmissionRecord[];
  nextStagedAt(): number | undefined;
  /** A draft of this id that waits or is held. */
  hasPendingDraft(type: string, id: string): boolean;
  concernsOn(targetType: string, targetId: string): readonly PublicConcern[];

  /** What this daily hash submitted today; at most as many as the day allows. */
  dayItems(dailyHash: string): readonly DayItem[];
  dayItemCount(dailyHash: string): number;
  addDayItem(dailyHash: string, contentHash: string, submissionId: string, type: SubmissionType): void;
  dayFlags(dailyHash: string): number;
  addDayFlag(dailyHash: string): void;
  /** Everything under daily hashes. */
  forgetDay(): void;

  artefact(type: ArtefactType, id: string): Artefact | undefined;
  artefactHead(type: ArtefactType, id: string): ArtefactHead | undefined;
  saveArtefact(artefact: Artefact, dueAt: number | undefined): void;
  artefactKeys(): readonly { readonly type: ArtefactType; readonly id: string }[];
  artefactsDue(now: number): readonly { readonly type: ArtefactType; readonly id: string }[];
  nextArtefactAt(): number | undefined;

  /** The event of this voter's vote in this epoch. */
  voteOf(artefact: Artefact, voter: string): number | undefined;
  putVote(artefact: Artefact, vote: { voter: string | undefined; seq: number; verdict: Verdict; at: number }): void;
  marks(type: ArtefactType, id: string, role: MarkRole): readonly string[];
  addMark(type: ArtefactType, id: string, role: MarkRole, hash: string): void;
  /** Flaggers whose flag was dismissed may not flag again. */
  dismissFlaggers(type: ArtefactType, id: string): void;
  /** Every hash under the salt of this artefact: voters, marks, authors of what waits. */
  forgetHashes(type: ArtefactType, id: string): void;

  source(pathId: string, sourceId: string): SourceRecord | undefined;
  saveSource(pathId: string, sourceId: string, record: SourceRecord): void;
  /** Differs whenever a source's record differs; empty while there is none. */
  sourcesRevision(): string;
  sources(): readonly { readonly pathId: string; readonly sourceId: string; readonly record: SourceRecord }[];

  appendEvent(type: ArtefactType, id: string, at: number, change: LifecycleChange): LifecycleEvent;
  events(): Iterable<LifecycleEvent>;

  insertQueueItem(item: QueueItem): void;
  queueItem(queueId: string): QueueItem | undefined;
  queueItems(state: QueueState, queueClass: string | undefined): readonly QueueItem[];
  updateQueueItem(
    queueId: string,
    change: Partial<Pick<QueueItem, 'decision' | 'decidedAt' | 'note' | 'content'>>,
  ): void;

  /** A change of the folder that must happen, or be found to have happened, before anything else does [K8]. */
  addIntent(change: CorpusChange): void;
  /** How many intents this process has added; tells whether work added one. */
  intentsAdded(): number;
  intents(): readonly { readonly seq: number; readonly change: CorpusChange }[];
  removeIntent(seq: number): void;

  removedProviders(): ReadonlySet<string>;
  setProviderRemoved(id: string, cause: string | undefined): void;

  note(name: string): string | undefined;
  setNote(name: string, value: string): void;
}
