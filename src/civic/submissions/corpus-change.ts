import type { Status } from '../config.ts';
import type { AmendmentContent } from './item-types.ts';

/** What has a file, or a row in one. */
export type FiledType = 'skill' | 'path' | 'volatile_value' | 'reference';

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
    }
  | { readonly kind: 'create'; readonly type: 'skill' | 'path'; readonly id: string; readonly text: string };

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

/** `<kind> <type> <id> <version|state>`: what changed, and nothing of who wanted it [K8]. */
export function commitMessage(change: CorpusChange): string {
  const what = change.kind === 'status' ? change.status : change.kind === 'create' ? '0.1.0' : change.version;
  return `${change.kind} ${change.type} ${change.id} ${what}`;
}
