import type { ArtefactHead } from '../lifecycle/artefact.ts';
import type { ProtectedChange, strongestGate } from '../protection/protected-fields.ts';
import type { Finding, ScrubResult } from '../scrub/scrub-submission.ts';

/** Who sends, as far as the room may know. */
export interface Sender {
  readonly address: string;
  readonly dailyHash: string;
  readonly isDryRun: boolean;
  /** What the scrub found in the members that every item shares. */
  readonly commonFindings: Pick<ScrubResult, 'rejects' | 'holds' | 'advisories'>;
}

/** What the scrub found without refusing: in the members that every item shares, and in the item's own. */
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
      /** The listed concern that says the same. */
      readonly joinedTo: string | undefined;
      /** A concern that is listed when a maintainer has looked at it. */
      readonly isBurst: boolean;
      readonly advisories: Advisories;
      readonly heldFor: Advisories;
      readonly protectedChanges: readonly ProtectedChange[];
      /** Amendments of the same artefact that are staged before this one. */
      readonly ahead: number;
    };

/** What the checks found of an item that is to be stored. */
export interface Judged {
  readonly artefact: ArtefactHead | undefined;
  readonly hash: string;
  /** A concern that is one too many for its target today. */
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
