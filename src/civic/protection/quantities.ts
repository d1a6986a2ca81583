import { foldDigits } from '../scrub/look-alikes.ts';
import { normaliseText } from '../scrub/normalise-text.ts';
import {
  BEFORE_EACH_WORDS,
  BETWEEN_WORDS,
  DUAL_WORDS,
  EACH_BEFORE_WORDS,
  EACH_PHRASES,
  EACH_TIME_WORDS,
  EACH_WORDS,
  ENGLISH_ARTICLES,
  ENGLISH_UNITS,
  NUMBER_WORDS,
  ONE_WORDS,
  type QuantityUnit,
  UNIT_WORDS,
  WAYS_WORDS,
} from './number-words.ts';
import { foldWords } from './topic-index.ts';
import { wordPattern } from './word-patterns.ts';

/** A number that a sentence says, with its unit. */
export interface Quantity {
  readonly unit: QuantityUnit;
  /** With a decimal point, and with a thousands separator: `25.000` can be both. */
  readonly readings: readonly [decimal: number, grouped: number];
  readonly written: string;
  /** What an amount of money or a percentage is asked for each time: `page` in `20 EUR per page`. */
  readonly per: readonly string[];
}

/** Tags, addresses and targets of links: other rules compare them. */
const NO_PROSE = /<\/?[A-Z][^<>]{0,500}>|[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>()"]{1,2000}|(?<=\])\([^()\n]{0,2000}\)/g;
/** The number of a list item. */
const ITEM_NUMBER = /^\s*(?:[>*+-]\s*)*\d{1,9}[.)](?=\s|$)/;
const MARKS = /[*~`\\]|(?<=\d)_+|_+(?=\d)/g;
const DATE = '\\d{4}-\\d{2}-\\d{2}';
const CLOCK = '(?:[01]?\\d|2[0-4])(?::|h)[0-5]\\d(?![\\d:])';
const NUMBER = "\\d{1,3}(?:[ .,'’\\u00a0\\u202f]\\d{3})+(?!\\d)(?:[.,]\\d{1,2}(?!\\d))?|\\d{1,40}(?:[.,]\\d{1,20})?";
const TOKEN = new RegExp(
  `(?<!\\d)(${DATE})(?!\\d)|(?<![\\d.,:])(${CLOCK})|(${NUMBER})|[\\p{L}\\p{M}’ʼ']{1,60}|[%٪€$£₴]`,
  'giu',
);

interface Token {
  readonly written: string;
  readonly word: string;
  readonly quantity?: Quantity | undefined;
  /** Whether a letter stands right before it. */
  readonly isAttached?: boolean;
}

/** The numbers of a sentence, in order: digits of any script, and the number words of the six languages. */
export function quantitiesOf(sentence: string): Quantity[] {
  const text = foldDigits(normaliseText(sentence.replace(NO_PROSE, ' ')).text)
    .replace(NO_PROSE, ' ')
    .replace(ITEM_NUMBER, ' ')
    .replace(MARKS, '');
  const tokens = [...text.matchAll(TOKEN)].map(tokenOf);
  return tokens.flatMap((token, at) => quantityAt(tokens, token, at) ?? []);
}

function tokenOf(match: RegExpExecArray): Token {
  const { 0: written, 1: date, 2: clock, 3: number, index, input } = match;
  if (date !== undefined) return moment(written, 'date', Date.parse(date) / 86_400_000);
  if (clock !== undefined) {
    return moment(
      written,
      'clock',
      clock.split(/[:h]/i).reduce((minutes, part) => minutes * 60 + Number(part), 0),
    );
  }
  if (number === undefined) return { written, word: plainWord(written) };
  const isAttached = /\p{L}/u.test(input[index - 1] ?? '');
  const quantity: Quantity = { unit: 'count', readings: readingsOf(written), written, per: [] };
  return { written, word: '', quantity, isAttached };
}

function moment(written: string, unit: QuantityUnit, value: number): Token {
  return { written, word: '', quantity: { unit, readings: [value, value], written, per: [] } };
}

function plainWord(written: string): string {
  return foldWords(written).replace(/[’ʼ']/g, '');
}

/** A number read with a decimal point, and with a thousands separator. */
export function readingsOf(written: string): [decimal: number, grouped: number] {
  const bare = written.replace(/[ '’\u00a0\u202f]/g, '');
  const decimal = bare.replace(/[.,](?=.*[.,])/g, '').replace(',', '.');
  const grouped = bare.replace(/[.,](?=\d{3}(?!\d))/g, '').replace(',', '.');
  return [Number(decimal), Number(grouped)];
}

function quantityAt(tokens: readonly Token[], token: Token, at: number): Quantity | undefined {
  const dual = DUALS.get(token.word);
  if (dual !== undefined) return { unit: dual, readings: [2, 2], written: token.written, per: [] };
  const value = token.quantity ? undefined : numberOf(token.word);
  if (token.quantity && token.quantity.unit !== 'count') return token.quantity;
  if (!token.quantity && value === undefined && !ONES.has(token.word) && !ARTICLES.has(token.word)) return undefined;
  const after = unitAfter(tokens, at);
  if (ARTICLES.has(token.word) && !AFTER_ARTICLES.has(after?.tokens.at(-1)?.word ?? '')) return undefined;
  const unit = after?.unit ?? unitBefore(tokens[at - 1]);
  if (!token.quantity && value === undefined && after === undefined) return undefined;
  // A part of a name, as in `form A2`.
  if (unit === undefined && token.isAttached) return undefined;
  const written = [token, ...(after?.tokens ?? [])].map((one) => one.written).join(' ');
  const number = value ?? 1;
  const readings = token.quantity?.readings ?? ([number, number] as const);
  const isAmount = unit !== undefined && (unit === 'percent' || MONEY.has(unit));
  const per = isAmount ? perOf(tokens, at, at + 1 + (after?.tokens.length ?? 0)) : [];
  const shown = [written, ...per.map((one) => one.written)].join(' ');
  return { unit: unit ?? 'count', readings, written: shown, per: per.map(({ word }) => word) };
}

/** How far before an amount the words stand that ask for it many times. */
const BEFORE_TOKENS = 8;

function perOf(tokens: readonly Token[], start: number, end: number): readonly Token[] {
  const after = perAfter(tokens, end);
  if (after.length > 0) return after;
  const before = tokens.slice(Math.max(0, start - BEFORE_TOKENS), start);
  const at = before.findLastIndex(
    ({ word }, place) => EACH_FIRST.has(word) && !WAYS.has(before[place + 1]?.word ?? ''),
  );
  return at < 0 ? [] : before.slice(at, at + 2);
}

/** The words after an amount that ask for it many times. */
function perAfter(tokens: readonly Token[], at: number): readonly Token[] {
  const next = tokens.slice(at, at + 3);
  const [first = '', second = '', third = ''] = next.map(({ word }) => word);
  if (EACH_TIME.test(first)) return next.slice(0, 1);
  if (EACH_PHRASE.has(`${first} ${second}`)) return next.slice(0, 2);
  if (EACH.has(first)) return WAYS.has(second) ? [] : next.slice(0, 2);
  return BEFORE_EACH.has(first) && EACH.has(second) && !WAYS.has(third) ? next.slice(1) : [];
}

function unitAfter(tokens: readonly Token[], at: number): { unit: QuantityUnit; tokens: Token[] } | undefined {
  const found: Token[] = [];
  for (const token of tokens.slice(at + 1, at + 4)) {
    found.push(token);
    const unit = unitOf(token.word);
    if (unit !== undefined) return { unit, tokens: found };
    if (!BETWEEN.has(token.word)) return undefined;
  }
  return undefined;
}

/** A currency may stand before its amount. */
function unitBefore(token: Token | undefined): QuantityUnit | undefined {
  const unit = token && unitOf(token.word);
  return unit && MONEY.has(unit) ? unit : undefined;
}

export const MONEY: ReadonlySet<QuantityUnit> = new Set<QuantityUnit>(['EUR', 'USD', 'GBP', 'CHF', 'UAH']);

const wordsIn = (line: string): string[] => line.split(' ').filter(Boolean).map(plainWord);
const EXACT_UNITS = new Map<string, QuantityUnit>();
const PARTIAL_UNITS: { readonly part: string; readonly isEnd: boolean; readonly unit: QuantityUnit }[] = [];
for (const [unit, line] of Object.entries(UNIT_WORDS) as [QuantityUnit, string][]) {
  for (const source of line.split(' ')) {
    const part = plainWord(source.replaceAll('*', ''));
    if (source.includes('*')) PARTIAL_UNITS.push({ part, isEnd: source.startsWith('*'), unit });
    else EXACT_UNITS.set(part, unit);
  }
}
const DUALS = new Map(
  (Object.entries(DUAL_WORDS) as [QuantityUnit, string][]).flatMap(([unit, line]) =>
    wordsIn(line).map((word) => [word, unit] as const),
  ),
);
const NUMBERS = new Map(NUMBER_WORDS.flatMap(([value, line]) => wordsIn(line).map((word) => [word, value] as const)));
const ONES = new Set(wordsIn(ONE_WORDS));
const ARTICLES = new Set(wordsIn(ENGLISH_ARTICLES));
const AFTER_ARTICLES = new Set(wordsIn(ENGLISH_UNITS));
const BETWEEN = new Set(wordsIn(BETWEEN_WORDS));
const EACH = new Set(wordsIn(EACH_WORDS));
const EACH_FIRST = new Set(wordsIn(EACH_BEFORE_WORDS));
const BEFORE_EACH = new Set(wordsIn(BEFORE_EACH_WORDS));
const WAYS = new Set(wordsIn(WAYS_WORDS));
const EACH_TIME = wordPattern([EACH_TIME_WORDS]);
const EACH_PHRASE = new Set(EACH_PHRASES.split(' ').map((phrase) => phrase.split('_').map(plainWord).join(' ')));
/** Particles that Arabic writes together with a word. */
const PARTICLES = /^[وف]?[بلك]?(?:ال)?(?=[\u0621-\u064a]{2})/u;

function unitOf(word: string): QuantityUnit | undefined {
  const exact = EXACT_UNITS.get(word) ?? EXACT_UNITS.get(word.replace(PARTICLES, ''));
  return exact ?? PARTIAL_UNITS.find(({ part, isEnd }) => (isEnd ? word.endsWith(part) : word.startsWith(part)))?.unit;
}

function numberOf(word: string): number | undefined {
  return NUMBERS.get(word) ?? NUMBERS.get(word.replace(PARTICLES, ''));
}
