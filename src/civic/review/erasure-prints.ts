import { ID_PATTERN } from '../config.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import type { MergeRecord } from '../submissions/amendment-store.ts';
import { type FiledType, filePathOf } from '../submissions/corpus-change.ts';
import type { Desk } from '../submissions/desk.ts';
import type { SubmissionRecord } from '../submissions/submission-record.ts';
import { type MemberText, printsOf, TextPrinter, withoutPrints } from './text-prints.ts';
import { linesMerged, REDACTED, writtenTexts } from './written-texts.ts';

/** The printer for the erased texts of this store. */
export function erasurePrinter({ salts }: Desk): TextPrinter {
  return new TextPrinter(salts.keyFor('erasure'));
}

/** The text before the submission: its words are not the sender's. */
export function textBefore(desk: Desk, record: SubmissionRecord, merge: MergeRecord | undefined): string {
  if (merge) return merge.before;
  const path = fileOf(record);
  return path === undefined || record.status === 'merged' ? '' : (desk.files.read(path) ?? '');
}

/** The corpus file of a submission's target. */
export function fileOf({ targetType, targetId }: SubmissionRecord): string | undefined {
  if (targetType === undefined || targetId === undefined) return undefined;
  const [type, id] = artefactOf(targetType, targetId);
  const isFiled = type === 'skill' || type === 'path' || type === 'volatile_value' || type === 'reference';
  return isFiled && isTargetId(type, id) ? filePathOf(type, id) : undefined;
}

function isTargetId(type: FiledType, id: string): boolean {
  return type === 'volatile_value' || type === 'reference' || ID_PATTERN.test(id);
}

export function textsOf({ store }: Desk, { id, item }: SubmissionRecord, merge: MergeRecord | undefined): MemberText[] {
  const written = writtenTexts(item, (url) => store.isInOthers(id, url));
  return [...written, ...(merge ? linesMerged(merge.before, merge.after) : [])];
}

/** Stores prints of a submission's texts, to search for copies later. */
export function keepPrints(desk: Desk, record: SubmissionRecord): void {
  const merge = desk.store.amendments.merge(record.id);
  const printer = erasurePrinter(desk);
  const known = desk.store.review.erasure(record.id);
  const fresh = printer.print(textsOf(desk, record, merge), textBefore(desk, record, merge));
  const all = known?.check === printer.check ? [...known.pieces, ...fresh] : fresh;
  // Every erased submission contains the redaction marker, so it is no evidence.
  const pieces = withoutPrints(all, printer.findIn(Buffer.from(REDACTED), printsOf(all)));
  const unique = [...new Map(pieces.map((piece) => [piece.prints.map(({ digest }) => digest).join(), piece])).values()];
  // Keep prints of another key: the report says that they cannot be searched.
  if (known === undefined || known.check === printer.check || unique.length > 0) {
    desk.store.review.putErasure(record.id, { check: printer.check, pieces: unique });
  }
}
