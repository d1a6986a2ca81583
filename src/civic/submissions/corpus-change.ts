import type { Status } from '../config.ts';
import type { AmendmentContent } from './item-types.ts';

/** The version of a draft when it becomes an artefact [SU24]. */
export const FIRST_VERSION = '0.1.0';

/** Types that have a file, or a row in one. */
export type FiledType = 'skill' | 'path' | 'volatile_value' | 'reference';

/** The public reason of a change: the sender's words, never the sender. */
export interface ChangeReason {
  readonly submissionId: string;
  /** The rationale of an amendment, the message of a draft. */
  readonly words: string;
  readonly evidence: readonly string[];
  readonly reviewed: 'automatic' | 'maintainer' | 'pending';
}

/** An idempotent change of one artefact in the folder. */
export type CorpusChange =
  | { readonly kind: 'status'; readonly type: FiledType; readonly id: string; readonly status: Status }
  | {
      readonly kind: 'merge';
      readonly type: FiledType;
      readonly id: string;
      /** The path's source that the amendment changes. */
      readonly sourceId?: string;
      readonly baseVersion: string;
      readonly version: string;
      readonly status: Status;
      readonly content: AmendmentContent;
      readonly why?: ChangeReason;
    }
  | {
      readonly kind: 'revert';
      readonly type: FiledType;
      readonly id: string;
      readonly baseVersion: string;
      readonly version: string;
      readonly status: Status;
      /** The file before and after the merge to undo. */
      readonly before: string;
      readonly after: string;
      readonly why?: ChangeReason;
    }
  | {
      readonly kind: 'create';
      readonly type: 'skill' | 'path';
      readonly id: string;
      readonly text: string;
      readonly why?: ChangeReason;
    };

/** The file of an artefact. */
export function filePathOf(type: FiledType, id: string): string {
  switch (type) {
    case 'skill':
      return `skills/${id}/canonical.md`;
    case 'path':
      return `paths/${id}.yaml`;
    case 'volatile_value':
      return 'catalogue/values.yaml';
    case 'reference':
      return 'catalogue/references.yaml';
  }
}
