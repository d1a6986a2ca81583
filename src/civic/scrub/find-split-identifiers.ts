import { findIdentifiers, type Hit } from './find-identifiers.ts';
import { findPhones } from './find-phones.ts';
import { SCRUB_LIMITS } from './limits.ts';
import { normaliseText } from './normalise-text.ts';

/** A member of an array or object; `text` is absent if it is no string to scrub. */
export interface SplitText {
  readonly key: string;
  readonly pointer: string;
  readonly text: string | undefined;
}

export interface SplitHit {
  /** Pointer to the string in which the identifier begins. */
  readonly pointer: string;
  /** The part of the identifier inside that string. */
  readonly hit: Hit;
}

/** Finds identifiers split across neighbouring strings: in order, and `report` with `notes` [PV12]. */
export function findSplitIdentifiers(texts: readonly SplitText[]): SplitHit[] {
  const hits: SplitHit[] = [];
  let run: SplitText[] = [];
  for (const next of texts) {
    if (run.length > 0 && !meet(run.at(-1) as SplitText, next)) {
      hits.push(...findAcross(run));
      run = [];
    }
    run.push(next);
  }
  hits.push(...findAcross(run));
  const report = texts.find(({ key }) => key === 'report');
  const notes = texts.find(({ key }) => key === 'notes');
  if (report && notes && meet(report, notes)) {
    if (texts.indexOf(notes) !== texts.indexOf(report) + 1) hits.push(...findAcross([report, notes]));
    hits.push(...findPhoneAcross(report, notes));
  }
  return hits;
}

/** A phone number split across the end of one text and the start of another. */
export function findPhoneAcross(
  { pointer, text: report = '' }: SplitText,
  { text: notes = '' }: SplitText,
): SplitHit[] {
  const [head, tail] = [normaliseText(report), normaliseText(notes).text];
  if (!/\d[\s./-]{0,3}$/.test(head.text) || !/^[\s./-]{0,3}\d/.test(tail)) return [];
  const seam = head.text.length;
  return findPhones(`${head.text} ${tail}`, false)
    .hits.filter(({ start, end }) => start < seam && end > seam + 1)
    .map(({ rule, start }) => ({ pointer, hit: { rule, start: head.startOf(start), end: report.length } }));
}

/** Only strings with a digit on both sides of the seam can share a number. */
function meet({ text: left }: SplitText, { text: right }: SplitText): boolean {
  if (left === undefined || right === undefined) return false;
  return DIGIT.test(left.slice(-SCRUB_LIMITS.seamCharsMax)) && DIGIT.test(right.slice(0, SCRUB_LIMITS.seamCharsMax));
}

const DIGIT = /\p{N}/u;

function findAcross(run: readonly SplitText[]): SplitHit[] {
  if (run.length < 2) return [];
  const parts = run.map(({ pointer, text = '' }) => ({ pointer, text, normal: normaliseText(text) }));
  const starts: number[] = [];
  let joined = '';
  for (const { normal } of parts) {
    starts.push(joined.length);
    joined += `${normal.text} `;
  }
  return findIdentifiers(joined).hits.flatMap(({ rule, start, end }) => {
    const index = starts.findLastIndex((at) => at <= start);
    const part = parts[index] as (typeof parts)[number];
    const from = start - (starts[index] as number);
    if (rule === 'belgian_bce' || from + (end - start) <= part.normal.text.length) return [];
    return [{ pointer: part.pointer, hit: { rule, start: part.normal.startOf(from), end: part.text.length } }];
  });
}
