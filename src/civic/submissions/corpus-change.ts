import type { Status } from '../config.ts';
import type { AmendmentContent } from './item-types.ts';

/** The version of a draft that becomes an artefact [SU24]. */
export const FIRST_VERSION = '0.1.0';

/** What has a file, or a row in one. */
export type FiledType = 'skill' | 'path' | 'volatile_value' | 'reference';

/** Why a change was made, as far as everyone may know: words of its sender, never who that was. */
export interface ChangeReason {
  readonly submissionId: string;
  /** The rationale of an amendment, the message of a draft. */
  readonly words: string;
  readonly evidence: readonly string[];
  readonly reviewed: 'automatic' | 'maintainer';
}

/** A change of one artefact in the folder; applying it twice is applying it once. */
export type CorpusChange =
  | { readonly kind: 'status'; readonly type: FiledType; readonly id: string; readonly status: Status }
  | {
      readonly kind: 'merge';
      readonly type: FiledType;
      readonly id: string;
      /** The source of a path that the amendment is about. */
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
      /** The file before and after the merge that is undone. */
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

/** Where in the folder an artefact stands. */
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
