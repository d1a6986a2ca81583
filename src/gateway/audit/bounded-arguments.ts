import { isObject } from '../../contract/json.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { AuditEntry } from './audit-record.ts';

/** The entry with bounded arguments, answers and members of `_meta`; the same object if they fit. */
export function boundedEntry(entry: AuditEntry): AuditEntry {
  const [args, answers] = [boundedArguments(entry.arguments), boundedArguments(entry.answers)];
  const meta = boundedArguments(entry.meta);
  const isSame = args === entry.arguments && answers === entry.answers && meta === entry.meta;
  return isSame ? entry : { ...entry, arguments: args, answers, meta };
}

/**
 * The arguments of a record, with at most about `recordedArgumentsCharsMax` characters. The longest texts are cut first; if very many
 * short ones are too much, the last items and members are left out. Returns the same value if it fits.
 */
export function boundedArguments(args: unknown): unknown {
  const max = GATEWAY_LIMITS.recordedArgumentsCharsMax;
  if (charsLeft(args, max) >= 0) return args;
  const texts: number[] = [];
  const others = measure(args, texts);
  return new Cut(textLimit(texts, max - others), max).value(args);
}

/** What is left of `left` characters after this value; stops counting below zero. Runs for every call, so it builds no lists. */
function charsLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  let rest = left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && rest >= 0; index += 1) rest = charsLeft(value[index], rest);
    return rest;
  }
  if (!isObject(value)) return left - OTHER_CHARS;
  for (const name in value) {
    if (rest < 0) break;
    rest = charsLeft(value[name], rest - name.length);
  }
  return rest;
}

/** Collects the lengths of all texts and names. Returns the characters of everything else. */
function measure(value: unknown, texts: number[]): number {
  if (typeof value === 'string') {
    texts.push(value.length);
    return 0;
  }
  if (Array.isArray(value)) return sum(value.map((item) => measure(item, texts)));
  if (!isObject(value)) return OTHER_CHARS;
  return sum(
    Object.entries(value).map(([name, member]) => {
      texts.push(name.length);
      return measure(member, texts);
    }),
  );
}

/** The largest limit per text with which all texts fit, but not so small that the marks of the cuts take more room than the texts. */
function textLimit(lengths: readonly number[], room: number): number {
  let [low, high] = [TEXT_CHARS_MIN, GATEWAY_LIMITS.recordedArgumentsCharsMax];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sum(lengths.map((length) => Math.min(length, middle))) <= room) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Copies a value until the characters are used up. */
class Cut {
  readonly #textCharsMax: number;
  #left: number;

  constructor(textCharsMax: number, left: number) {
    this.#textCharsMax = textCharsMax;
    this.#left = left;
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return this.#items(value);
    if (isObject(value)) return this.#members(value);
    this.#left -= OTHER_CHARS;
    return value;
  }

  #text(text: string): string {
    const max = this.#textCharsMax;
    this.#left -= Math.min(text.length, max);
    if (text.length <= max) return text;
    // A very long text was cut before: the mark counts what is missing in all.
    const [mark = '', before = '0'] = CUT_MARK.exec(text) ?? [];
    const more = text.length - mark.length - max + Number(before);
    return more > 0 ? `${text.slice(0, max).toWellFormed()}… (${more} more characters)` : text;
  }

  #items(items: readonly unknown[]): unknown[] {
    const kept: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) return [...kept, `… (${items.length - kept.length} more items)`];
      kept.push(this.value(item));
    }
    return kept;
  }

  #members(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const kept = new Map<string, unknown>();
    const all = Object.entries(members);
    for (const [index, [name, member]] of all.entries()) {
      if (this.#left <= 0) {
        kept.set('…', `${all.length - index} more members`);
        break;
      }
      const shown = this.#text(name);
      // Two long names may be equal up to the cut.
      kept.set(kept.has(shown) ? `${shown} #${index}` : shown, this.value(member));
    }
    return Object.fromEntries(kept);
  }
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Counted for a number, a boolean and null. */
const OTHER_CHARS = 8;
const TEXT_CHARS_MIN = 64;
const CUT_MARK = /… \((\d{1,10}) more characters\)$/;
