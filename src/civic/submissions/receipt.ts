import type { ArtefactHead } from '../lifecycle/artefact.ts';
import type { ProtectedChange, strongestGate } from '../protection/protected-fields.ts';
import type { Finding, ScrubResult } from '../scrub/scrub-submission.ts';

/** What may be known about a sender. */
export interface Sender {
  readonly address: string;
  readonly dailyHash: string;
  readonly isDryRun: boolean;
  /** Findings of the scrub in the common members. */
  readonly commonFindings: Pick<ScrubResult, 'rejects' | 'holds' | 'advisories'>;
}

/** Findings of the scrub that do not refuse: in the common members, and in the item's own. */
export interface Advisories {
  readonly shared: readonly Finding[];
  readonly own: readonly Finding[];
}

export type Receipt =
  | { readonly status: 'duplicate'; readonly submissionId: string }
  | {
      readonly status: 'dry_run_ok';
      readonly wouldBe: 'accepted' | 'held_ner';
      readonly isBurst: boolean;
      readonly advisories: Advisories;
      readonly heldFor: Advisories;
      readonly protectedChanges: readonly ProtectedChange[];
      readonly ahead: number;
    }
  | {
      readonly status: 'accepted' | 'held_ner';
      readonly submissionId: string;
      readonly cancelToken: string | undefined;
      readonly cancelUntil: number | undefined;
      /** The listed concern with the same content. */
      readonly joinedTo: string | undefined;
      /** A concern that is listed only after review. */
      readonly isBurst: boolean;
      readonly advisories: Advisories;
      readonly heldFor: Advisories;
      readonly protectedChanges: readonly ProtectedChange[];
      /** Staged amendments of the same artefact that came earlier. */
      readonly ahead: number;
    };

/** Results of the checks of an item to be stored. */
export interface Judged {
  readonly artefact: ArtefactHead | undefined;
  readonly hash: string;
  /** A concern beyond the daily limit of its target. */
  readonly isBurst: boolean;
  readonly status: 'accepted' | 'held_ner';
  /** The strongest gate of its protected changes. */
  readonly gate: ReturnType<typeof strongestGate>;
  /** The first submission of this sender today. */
  readonly batch: string | undefined;
  readonly advisories: Advisories;
  readonly heldFor: Advisories;
  readonly protectedChanges: readonly ProtectedChange[];
  readonly ahead: number;
}
