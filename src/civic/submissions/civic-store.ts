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

/** Roles of the hashes stored with an artefact; they are deleted with its salt. */
export type MarkRole = 'submitter' | 'dismissed_flagger' | 'flagger';

export interface PublicConcern {
  readonly id: string;
  readonly item: Item & { readonly type: 'concern' };
  readonly state: string;
  readonly receivedAt: number;
  /** How many senders reported the same. */
  readonly reports: number;
}

/** The storage of the write side. Every method except `transact` is synchronous and must be called inside a transaction. */
export interface CivicStore {
  readonly amendments: AmendmentStore;
  readonly review: ReviewStore;
  readonly concerns: ConcernStore;

  /** Runs work in a transaction, possibly batched with others, and resolves once the result is durable. */
  transact<T>(work: () => T): Promise<T>;

  submission(id: string): SubmissionRecord | undefined;
  insertSubmission(record: SubmissionRecord): void;
  updateSubmission(
    id: string,
    change: Partial<Pick<SubmissionRecord, 'status' | 'stagedUntil' | 'author' | 'cancelHash'>>,
  ): void;
  /** Erases everything that a person wrote from a submission and its queue items; its target stays. */
  eraseSubmission(id: string, left: Item): void;
  /** Whether another submission contains this text. */
  isInOthers(id: string, text: string): boolean;
  /** Rewrites the texts of merged, rejected or cancelled amendments. */
  rewriteEnded(isMeant: (record: SubmissionRecord) => boolean, rewrite: (text: string) => string): void;
  /** Submissions whose hold was rejected before an instant and whose text is still stored. */
  rejectedHolds(before: number): readonly string[];
  /** Truncates the WAL, so that it holds no erased page. */
  truncateWal(): void;
  /** Vacuums the database, so that unused page space is overwritten. False: another process is using it. */
  vacuum(): boolean;
  submissionsOfSession(sessionId: string): readonly SubmissionRecord[];
  /** Staged submissions whose time is up, in order of receipt. */
  stagedDue(now: number): readonly SubmissionRecord[];
  nextStagedAt(): number | undefined;
  /** Whether a draft of this id is staged or held. */
  hasPendingDraft(type: string, id: string): boolean;
  concernsOn(targetType: string, targetId: string): readonly PublicConcern[];

  /** Items of this daily hash today; at most as many as the daily limit. */
  dayItems(dailyHash: string): readonly DayItem[];
  dayItemCount(dailyHash: string): number;
  addDayItem(dailyHash: string, contentHash: string, submissionId: string, type: SubmissionType): void;
  dayFlags(dailyHash: string): number;
  addDayFlag(dailyHash: string): void;
  /** Deletes everything stored under daily hashes. */
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
  /** Bars the flaggers of a dismissed flag from flagging again. */
  dismissFlaggers(type: ArtefactType, id: string): void;
  /** Deletes every hash under this artefact's salt: voters, marks, authors of pending submissions. */
  forgetHashes(type: ArtefactType, id: string): void;

  source(pathId: string, sourceId: string): SourceRecord | undefined;
  saveSource(pathId: string, sourceId: string, record: SourceRecord): void;
  /** Changes whenever a source's record changes; empty if there is none. */
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

  /** A change of the folder that must be applied, or found applied, before anything else [K8]. */
  addIntent(change: CorpusChange): void;
  /** How many intents this process has added; shows whether some work added one. */
  intentsAdded(): number;
  intents(): readonly { readonly seq: number; readonly change: CorpusChange }[];
  removeIntent(seq: number): void;

  removedProviders(): ReadonlySet<string>;
  setProviderRemoved(id: string, cause: string | undefined): void;

  note(name: string): string | undefined;
  setNote(name: string, value: string): void;
}
