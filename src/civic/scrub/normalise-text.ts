import { decodeNamedCharacterReference } from 'decode-named-character-reference';

/** A normalised text for detection, with a mapping back to the text as sent. */
export interface NormalisedText {
  readonly text: string;
  /** Offset in the source where the character of unit `index` begins. */
  startOf(index: number): number;
  /** Offset in the source after the character of unit `index`. */
  endOf(index: number): number;
}

/** A range of the normalised text and its source range: mapped unit by unit, or as a whole. */
interface Piece {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly plain: boolean;
}

const ASCII = /^[\x00-\x7f]*$/;
const IGNORABLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const MARK = /\p{M}/u;
const DECIMAL = /\p{Nd}/u;

/** The text as a reader sees it: decodes Markdown spellings, then normalises every character. */
export function normaliseText(source: string): NormalisedText {
  const shown = decodeSpellings(source);
  if (shown === undefined) return normaliseCharacters(source);
  const normal = normaliseCharacters(shown.text);
  return {
    text: normal.text,
    startOf: (index) => shown.startOf(normal.startOf(index)),
    endOf: (index) => shown.endOf(normal.endOf(index) - 1),
  };
}

/** Character references, escaped punctuation, and emphasis or code marks inside a word. */
const SPELLED =
  /&(?:#(?:x([0-9a-f]{1,6})|(\d{1,7}));?|([a-z][a-z0-9]{1,31});)|\\([!-/:-@[-`{-~])|(?<=[\p{L}\p{N}@.;])(?:\*{1,3}|~~|`{1,2})(?=[\p{L}\p{N}@.&\\])/giu;

/** Decodes the spellings in a text as a page shows them; undefined if there are none. */
function decodeSpellings(source: string): NormalisedText | undefined {
  const pieces: Piece[] = [];
  let text = '';
  let done = 0;
  const emit = (piece: string, start: number, end: number, plain: boolean): void => {
    if (piece !== '') pieces.push({ at: text.length, start, end, plain });
    text += piece;
  };
  for (const match of source.matchAll(SPELLED)) {
    const [spelling] = match;
    const { index } = match;
    const decoded = decodeSpelling(match);
    if (decoded === undefined) continue;
    emit(source.slice(done, index), done, index, true);
    emit(decoded, index, index + spelling.length, false);
    done = index + spelling.length;
  }
  if (done === 0) return undefined;
  emit(source.slice(done), done, source.length, true);
  return withPlaces(text, pieces);
}

/** The decoded text of a spelling (empty for a mark); undefined if a page shows it literally. */
function decodeSpelling([, hex, decimal, name, escaped]: RegExpExecArray): string | undefined {
  if (escaped !== undefined) return escaped;
  if (name !== undefined) return decodeNamedCharacterReference(name) || undefined;
  if (hex === undefined && decimal === undefined) return '';
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code);
}

/**
 * NFKC without format and default-ignorable characters, every decimal digit as ASCII [PV15]. Processes one base character with its marks at
 * a time, so that each unit maps back to its source.
 */
export function normaliseCharacters(source: string): NormalisedText {
  if (ASCII.test(source)) return { text: source, startOf: (index) => index, endOf: (index) => index + 1 };
  const pieces: Piece[] = [];
  let text = '';
  const emit = (piece: string, start: number, end: number, plain: boolean): void => {
    if (piece !== '') pieces.push({ at: text.length, start, end, plain });
    text += piece;
  };
  let cluster = '';
  let clusterStart = 0;
  let clusterEnd = 0;
  for (let i = 0; i < source.length; ) {
    if (isPlain(source.charCodeAt(i))) {
      emit(normaliseCluster(cluster), clusterStart, clusterEnd, false);
      const runStart = i;
      while (i < source.length && isPlain(source.charCodeAt(i))) i++;
      // The last character of a run may be the base of a following mark.
      emit(source.slice(runStart, i - 1), runStart, i - 1, true);
      cluster = source.charAt(i - 1);
      clusterStart = i - 1;
      clusterEnd = i;
      continue;
    }
    const width = (source.codePointAt(i) as number) > 0xffff ? 2 : 1;
    const char = source.slice(i, i + width);
    if (!IGNORABLE.test(char)) {
      if (cluster === '' || !MARK.test(char)) {
        emit(normaliseCluster(cluster), clusterStart, clusterEnd, false);
        cluster = '';
        clusterStart = i;
      }
      cluster += char;
      clusterEnd = i + width;
    }
    i += width;
  }
  emit(normaliseCluster(cluster), clusterStart, clusterEnd, false);
  return withPlaces(text, pieces);
}

function withPlaces(text: string, pieces: readonly Piece[]): NormalisedText {
  const pieceOf = (index: number): Piece | undefined => pieces[lastAtOrBefore(pieces, index)];
  return {
    text,
    startOf: (index) => {
      const piece = pieceOf(index);
      return piece ? piece.start + (piece.plain ? index - piece.at : 0) : 0;
    },
    endOf: (index) => {
      const piece = pieceOf(index);
      return piece ? (piece.plain ? piece.start + index - piece.at + 1 : piece.end) : 0;
    },
  };
}

function lastAtOrBefore(pieces: readonly Piece[], index: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle] as Piece).at <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Cache by code unit: 1 stays unchanged and may begin a cluster, 2 needs a closer look. */
const KNOWN = new Uint8Array(0x10000);

function isPlain(unit: number): boolean {
  if (unit < 0x80) return true;
  if (KNOWN[unit] === 0) KNOWN[unit] = staysAsItIs(String.fromCharCode(unit)) ? 1 : 2;
  return KNOWN[unit] === 1;
}

function staysAsItIs(char: string): boolean {
  if (/[\ud800-\udfff]/.test(char)) return false;
  return char.normalize('NFKC') === char && ![IGNORABLE, MARK, DECIMAL].some((pattern) => pattern.test(char));
}

function normaliseCluster(cluster: string): string {
  if (cluster.length <= 1 && isPlain(cluster.charCodeAt(0) || 0)) return cluster;
  let text = '';
  let afterDigit = false;
  for (const char of cluster.normalize('NFKC')) {
    if (DECIMAL.test(char)) {
      text += digitValue(char.codePointAt(0) as number);
      afterDigit = true;
    } else if (!(afterDigit && MARK.test(char)) && !IGNORABLE.test(char)) {
      // A mark on a digit (a keycap) would only split a number.
      text += char;
      afterDigit = false;
    }
  }
  return text;
}

/** Decimal digits come in runs of ten, starting with zero. */
function digitValue(code: number): string {
  let zero = code;
  while (DECIMAL.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}
