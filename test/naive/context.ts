import { createHash } from 'node:crypto';

/*
 * A second implementation of documents, caches and selection that shares no code with the first: one obvious loop per
 * rule, exact fractions for the score, no index.
 */

const WHITE_SPACE = new Set(
  [
    0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
    0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
  ].map((codePoint) => String.fromCodePoint(codePoint)),
);

export interface NaiveDocument {
  readonly id: string;
  readonly content: string;
}

export function naiveWords(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of text.toLowerCase()) {
    if (!WHITE_SPACE.has(character)) word += character;
    else if (word !== '') {
      words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}

export function naiveCompare(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

export function naiveTokens(content: string): number {
  const bytes = Buffer.from(content).length;
  return bytes % 4 === 0 ? bytes / 4 : (bytes - (bytes % 4)) / 4 + 1;
}

export function naiveVersion(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** The exact text that resolve prints for these documents. */
export function naiveResolve(documents: readonly NaiveDocument[], query: string, budget: number): string {
  const terms = naiveWords(query);
  const scored = documents.map(({ id, content }) => {
    const words = naiveWords(content);
    const matches = words.filter((word) => terms.includes(word)).length;
    const score = words.length === 0 ? 0 : Math.fround(Math.fround(matches) / Math.fround(words.length));
    return { id, content, words: words.length, matches, score, tokens: naiveTokens(content) };
  });
  scored.sort((left, right) => right.score - left.score || naiveCompare(left.id, right.id));
  const chosen: string[] = [];
  let used = 0;
  for (const { id, content, words, matches, score, tokens } of budget === 0 ? [] : scored) {
    if (used + tokens > budget) continue;
    used += tokens;
    chosen.push(
      `{"id":${JSON.stringify(id)},"version":"${naiveVersion(content)}","content":${JSON.stringify(content)},"score":${naiveScoreText(score)},"tokens":${tokens},"why":{"query_terms":${JSON.stringify(terms)},"term_matches":${matches},"total_words":${words}}}`,
    );
  }
  return `{"documents":[${chosen.join(',')}],"selection":{"query":${JSON.stringify(query)},"budget":${budget},"tokens_used":${used},"documents_considered":${documents.length},"documents_selected":${chosen.length},"documents_excluded_by_budget":${documents.length - chosen.length}}}\n`;
}

/** cache_version of these documents. */
export function naiveCacheVersion(documents: readonly NaiveDocument[]): string {
  const sorted = [...documents].sort((left, right) => naiveCompare(left.id, right.id));
  const listed = sorted.map(({ id, content }) => `${id}:${naiveVersion(content)}`);
  return naiveVersion(`{"version":"1","hash_algorithm":"sha256"}${listed.join('')}`);
}

/** File of each document, by id. */
export function naiveFiles(documents: readonly NaiveDocument[]): Map<string, string> {
  const files = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, content } of [...documents].sort((left, right) => naiveCompare(left.id, right.id))) {
    const digits = naiveVersion(content).slice('sha256:'.length, 'sha256:'.length + 12);
    files.set(id, `documents/${digits}${taken.has(digits) ? `-${naiveVersion(id).slice(7, 15)}` : ''}.json`);
    taken.add(digits);
  }
  return files;
}

/** Text of a 32-bit float from 0 to 1, by exact fractions: the shortest decimal between the halfway points to its neighbours. */
export function naiveScoreText(score: number): string {
  if (score === 0) return '0.0';
  const bits = new Uint32Array(Float32Array.of(score).buffer)[0] as number;
  const at = (pattern: number) => fraction(new Float32Array(Uint32Array.of(pattern).buffer)[0] as number);
  const exact = at(bits);
  const low = halfway(at(bits - 1), exact);
  const high = halfway(exact, at(bits + 1));
  const isClosed = bits % 2 === 0;
  for (let digits = 1; digits <= 9; digits++) {
    for (let exponent = 0; ; exponent++) {
      // value ≈ integer / 10^exponent, with at most this many digits
      const scale = 10n ** BigInt(exponent);
      const integer = roundHalfEven(exact.top * scale, exact.bottom);
      if (integer.toString().length > digits) break;
      const candidate = { top: integer, bottom: scale };
      const below = compare(candidate, low);
      const above = compare(candidate, high);
      if (isClosed ? below >= 0 && above <= 0 : below > 0 && above < 0) return decimalText(integer, exponent);
    }
  }
  throw new Error('no text');
}

interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

function fraction(value: number): Fraction {
  let bottom = 1n;
  let rest = value;
  while (!Number.isInteger(rest)) {
    rest *= 2;
    bottom *= 2n;
  }
  return { top: BigInt(rest), bottom };
}

function halfway(left: Fraction, right: Fraction): Fraction {
  return { top: left.top * right.bottom + right.top * left.bottom, bottom: 2n * left.bottom * right.bottom };
}

function compare(left: Fraction, right: Fraction): number {
  const difference = left.top * right.bottom - right.top * left.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function roundHalfEven(top: bigint, bottom: bigint): bigint {
  const floor = top / bottom;
  const twice = (top % bottom) * 2n;
  if (twice > bottom || (twice === bottom && floor % 2n === 1n)) return floor + 1n;
  return floor;
}

function decimalText(integer: bigint, exponent: number): string {
  const digits = integer.toString().replace(/0+$/, '');
  const power = integer.toString().length - 1 - exponent;
  if (power < -6) return `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}e${power}`;
  const padded = integer.toString().padStart(exponent + 1, '0');
  const whole = padded.slice(0, padded.length - exponent);
  const rest = padded.slice(padded.length - exponent).replace(/0+$/, '');
  return `${whole}.${rest === '' ? '0' : rest}`;
}
