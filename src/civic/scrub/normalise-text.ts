/** A text made comparable for detection, with the way back to the text as sent. */
export interface NormalisedText {
  readonly text: string;
  /** Offset in the source where the character behind unit `index` begins. */
  startOf(index: number): number;
  /** Offset in the source just after the character behind unit `index`. */
  endOf(index: number): number;
}

const ASCII = /^[\x00-\x7f]*$/;
const IGNORABLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const MARK = /\p{M}/u;
const DECIMAL = /\p{Nd}/u;

/**
 * NFKC without format and default-ignorable characters, every decimal digit as ASCII [PV15].
 * Works on one base character and its marks at a time, so that each unit knows where it came from.
 */
export function normaliseText(source: string): NormalisedText {
  if (ASCII.test(source)) return { text: source, startOf: (index) => index, endOf: (index) => index + 1 };
  const starts: number[] = [];
  const ends: number[] = [];
  let text = '';
  const emit = (piece: string, start: number, end: number): void => {
    text += piece;
    for (let i = 0; i < piece.length; i++) {
      starts.push(start);
      ends.push(end);
    }
  };
  let cluster = '';
  let clusterStart = 0;
  let clusterEnd = 0;
  const flush = (): void => {
    if (cluster !== '') emit(normaliseCluster(cluster), clusterStart, clusterEnd);
    cluster = '';
  };
  for (let i = 0; i < source.length; ) {
    const code = source.codePointAt(i) as number;
    const width = code > 0xffff ? 2 : 1;
    if (isPlain(code)) {
      flush();
      cluster = source[i] as string;
      clusterStart = i;
      clusterEnd = i + 1;
    } else {
      const char = source.slice(i, i + width);
      if (!IGNORABLE.test(char)) {
        if (cluster === '' || !MARK.test(char)) {
          flush();
          clusterStart = i;
        }
        cluster += char;
        clusterEnd = i + width;
      }
    }
    i += width;
  }
  flush();
  return { text, startOf: (index) => starts[index] ?? source.length, endOf: (index) => ends[index] ?? source.length };
}

/** ASCII and the Latin letters that NFKC leaves alone. */
function isPlain(code: number): boolean {
  return code < 0x80 || (code >= 0xc0 && code <= 0x131);
}

function normaliseCluster(cluster: string): string {
  if (cluster.length === 1 && isPlain(cluster.charCodeAt(0))) return cluster;
  let text = '';
  let afterDigit = false;
  for (const char of cluster.normalize('NFKC')) {
    if (DECIMAL.test(char)) {
      text += digitValue(char.codePointAt(0) as number);
      afterDigit = true;
    } else if (!(afterDigit && MARK.test(char)) && !IGNORABLE.test(char)) {
      // A mark on a digit (a keycap) would only break up a number.
      text += char;
      afterDigit = false;
    }
  }
  return text;
}

/** Decimal digits come in runs of ten, zero first. */
function digitValue(code: number): string {
  let zero = code;
  while (DECIMAL.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}
