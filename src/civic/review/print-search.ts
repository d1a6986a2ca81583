import type { PiecePrint, TextPrinter } from './text-prints.ts';

/** Kinds of places that may still contain a text, with the remedy. */
export const LEFT_KINDS = {
  merge: 'The change is merged. Revert it with `bindery civic revert`, then erase it again.',
  submission:
    'The same words stand in another submission. After a revert erase again. Words that several senders use can stay; erase that one, too, only if it is about the same person.',
  staged: 'A staged amendment or draft has the same text. Reject or erase that one, too.',
  hold: 'A submission that is held has the same text. Reject or erase that one, too.',
  audit: 'The audit log has it. Report this as a fault of the program.',
  question: 'A question in the queue quotes it. Decide it, then erase again.',
  row: 'A table of the database has it. Report this as a fault of the program.',
  unused_pages:
    'Unused parts of the database have it, and another process uses the file. Stop `bindery up` and erase again.',
  corpus_file: 'The corpus has it. Revert the change with `bindery civic revert`, or edit the file.',
  commit:
    'The history has it. Revert the change, rewrite the history with a tool such as git filter-repo, run `git reflog expire --expire=now --all` and `git gc --prune=now`, and push by force. Then write the static copies of the site again.',
  public_page:
    'Anybody can read it there, in every language. If the change is merged, revert it and erase it again; otherwise edit the file or rewrite the history. Then write the static copies of the site again.',
  git_object: 'It is in no branch. Run `git gc --prune=now` in the corpus folder.',
  git_file: 'A file of git has it. Run `git reflog expire --expire=now --all`, or remove the file.',
  branch: 'A branch could not be removed now. `bindery up` tries it again every minute; erase again later.',
  forge: 'The forge keeps closed requests. Delete this one there.',
  backup: 'A copy of the database has it. Remove the copy, or make a new one.',
  file: 'Bindery did not write it there, or a backup has it. Remove the file, or the text in it.',
  other_key:
    'The pepper was replaced after the text was erased, so that Bindery cannot look for it. Restore the file of the pepper.',
} as const;

export type LeftKind = keyof typeof LEFT_KINDS;

/** A place that contains a text, and the numbers of the pieces found. */
export interface Left {
  readonly place: string;
  readonly kind: LeftKind;
  readonly pieces: readonly number[];
}

/** A piece with its number in the report. */
export interface NumberedPiece extends PiecePrint {
  readonly piece: number;
}

/** The text of a page of the site. */
export interface PublicText {
  readonly place: string;
  readonly text: string;
}

export interface PrintSearch {
  readonly printer: TextPrinter;
  readonly pieces: readonly NumberedPiece[];
  /** The erased submissions. */
  readonly erased: ReadonlySet<string>;
  /** Corpus files that the erased submissions were about. */
  readonly files: ReadonlySet<string>;
  readonly pages: readonly PublicText[];
}

export interface FoundPrints {
  readonly left: readonly Left[];
  /** Where the sender of another submission wrote the same words. */
  readonly alike: readonly Left[];
  /** Other corpus files with some of the same words; these words are not searched elsewhere. */
  readonly shared: readonly string[];
}
