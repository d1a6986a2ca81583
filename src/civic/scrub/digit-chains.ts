import { SCRUB_LIMITS } from './limits.ts';

/** A range of a text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A run of digits, ignoring separators. */
export interface DigitChain {
  readonly digits: string;
  /** Offset of each digit in the text. */
  readonly offsets: readonly number[];
  /** Index of the first digit of each group. */
  readonly groups: readonly number[];
}

/** Separators between the digits of one number, as a character class. */
export const SEPARATOR = '[\\s./\\\\_\\-\\u2010-\\u2015\\u2212\\u00b7\\u2022\\u0000-\\u001f]';

/** Separators between two digits of one number, as a pattern. */
export const GAP = `${SEPARATOR}{0,${SCRUB_LIMITS.separatorsMax}}`;

/** A long run of digits, whatever it means. */
export const DIGIT_RUN = new RegExp(`\\d{${SCRUB_LIMITS.digitRunMin},}`, 'g');

const SEPARATORS = new RegExp(`^${SEPARATOR}$`);

/** A pattern of `count` digits with optional separators. */
export function digitsPattern(count: number | readonly [number, number]): string {
  const [from, to] = typeof count === 'number' ? [count, count] : count;
  const times = from === to ? `{${from - 1}}` : `{${from - 1},${to - 1}}`;
  return `(?<!\\d)\\d(?:${GAP}\\d)${times}(?!\\d)`;
}

export function countDigits(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 48 && unit <= 57) count++;
  }
  return count;
}

/** Whether a text has enough digits for a phone number. */
export function hasPhoneDigits(text: string): boolean {
  return countDigits(text) >= SCRUB_LIMITS.phoneDigitsMin;
}

/** All chains of the text, left to right. */
export function findDigitChains(text: string, separatorsMax: number = SCRUB_LIMITS.separatorsMax): DigitChain[] {
  const chains: DigitChain[] = [];
  let digits = '';
  let offsets: number[] = [];
  let groups: number[] = [];
  const close = (): void => {
    if (digits !== '') chains.push({ digits, offsets, groups });
    digits = '';
    offsets = [];
    groups = [];
  };
  let gap = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) {
      if (digits === '' || gap > 0) groups.push(digits.length);
      digits += text[i];
      offsets.push(i);
      gap = 0;
    } else if (digits !== '') {
      gap++;
      if (gap > separatorsMax || !isSeparator(text[i] as string, code)) {
        close();
        gap = 0;
      }
    }
  }
  close();
  return chains;
}

function isSeparator(char: string, code: number): boolean {
  if (code >= 97 && code <= 122) return false;
  return SEPARATORS.test(char);
}

/** A run of whole groups of a chain. */
export interface DigitWindow extends Span {
  readonly digits: string;
  /** Lengths of the groups. */
  readonly shape: readonly number[];
  /** Whether the window covers its whole chain. */
  readonly whole: boolean;
}

/**
 * All runs of whole groups with `min` to `max` digits, by start, longest first. A run has few groups, as numbers are written, or is the
 * whole chain. This bounds the number of windows per group.
 */
export function windowsOf(chain: DigitChain, min: number, max: number): DigitWindow[] {
  const { digits, groups } = chain;
  const windows: DigitWindow[] = [];
  for (let first = 0; first < groups.length; first++) {
    const from = groups[first] as number;
    const lastFew = Math.min(groups.length, first + SCRUB_LIMITS.numberGroupsMax) - 1;
    for (let last = first; last <= lastFew; last++) {
      const to = groups[last + 1] ?? digits.length;
      if (to - from > max) break;
      if (to - from >= min) windows.push(windowAt(chain, first, last));
    }
  }
  const whole = groups.length > SCRUB_LIMITS.numberGroupsMax && digits.length >= min && digits.length <= max;
  if (whole) windows.push(windowAt(chain, 0, groups.length - 1));
  return windows.sort((a, b) => a.start - b.start || b.end - a.end);
}

function windowAt({ digits, offsets, groups }: DigitChain, first: number, last: number): DigitWindow {
  const from = groups[first] as number;
  const to = groups[last + 1] ?? digits.length;
  return {
    digits: digits.slice(from, to),
    shape: groups.slice(first, last + 1).map((at, i, all) => (all[i + 1] ?? to) - at),
    whole: from === 0 && to === digits.length,
    start: offsets[from] as number,
    end: (offsets[to - 1] as number) + 1,
  };
}
