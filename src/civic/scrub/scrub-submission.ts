import { cleanText } from './clean-text.ts';
import { type FieldKind, type FieldKinds, kindsBy } from './field-kinds.ts';
import type { Hit } from './find-identifiers.ts';
import { findSplitIdentifiers, type SplitText } from './find-split-identifiers.ts';
import { SCRUB_LIMITS } from './limits.ts';
import { verdictOf } from './rules.ts';
import { scrubText } from './scrub-text.ts';

/** Where a rule matched, never what it matched [PV6]. */
export interface Finding {
  readonly rule: string;
  /** JSON pointer to the string; for a match in a key, to the object with that key. */
  readonly pointer: string;
  /** In UTF-16 units of the string as sent. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly in_key?: true;
}

/** Findings are sorted by pointer, then start, end and rule. */
export interface ScrubResult {
  /** Any of these means `scrub_rejected`. */
  readonly rejects: Finding[];
  /** Any of these, without a reject, means `held_ner`. */
  readonly holds: Finding[];
  readonly advisories: Finding[];
  /** The value to store: NFC, without zero-width and bidi control characters. */
  readonly cleaned: unknown;
}

export interface ScrubOptions {
  /** Allowed hosts of links; empty (the default) disables the check [PV14]. */
  readonly linkHosts?: readonly string[];
}

/** Finds personal data, secrets, active content and instructions in every string and key of a value. */
export function scrubSubmission(value: unknown, fields: FieldKinds, options: ScrubOptions = {}): ScrubResult {
  const result: ScrubResult = { rejects: [], holds: [], advisories: [], cleaned: cleanValue(value) };
  const lists = { reject: result.rejects, hold: result.holds, advise: result.advisories };
  const kindOf = kindsBy(fields);
  const linkHosts = options.linkHosts ?? [];

  const report = (hits: readonly Hit[], kind: FieldKind, pointer: string, inKey: boolean): void => {
    for (const { rule, start, end } of hits) {
      const finding = { rule, pointer, start, end, ...(inKey ? { in_key: true as const } : {}) };
      lists[verdictOf(rule, kind)].push(finding);
    }
  };
  const walk = (node: unknown, kind: FieldKind, segments: readonly string[], pointer: string): void => {
    if (typeof node === 'object' && node !== null) {
      const members: readonly (readonly [string, unknown])[] = Array.isArray(node)
        ? node.map((item, index) => [String(index), item] as const)
        : Object.entries(node);
      const texts: SplitText[] = [];
      for (const [key, member] of members) {
        const path = [...segments, key];
        const memberKind = kindOf(path);
        const keyKind = memberKind === 'path_entry' ? memberKind : 'free_text';
        const isPlain = Array.isArray(node) || PLAIN_KEY.test(key);
        const inKey = isPlain ? NO_HITS : scrubText(key, keyKind, linkHosts);
        report(inKey, keyKind, pointer, true);
        // No pointer contains a key with a match: findings below it name the object with that key.
        const memberPointer = inKey.length > 0 ? pointer : `${pointer}/${isPlain ? key : escapeSegment(key)}`;
        walk(member, memberKind, path, memberPointer);
        const text = memberKind === 'closed' ? undefined : textOf(member);
        texts.push({ key, pointer: memberPointer, text });
      }
      for (const { pointer: first, hit } of findSplitIdentifiers(texts)) report([hit], 'free_text', first, false);
      return;
    }
    const text = textOf(node);
    if (text === undefined) return;
    report(scrubText(text, kind, linkHosts), kind, pointer, false);
  };

  walk(value, kindOf([]), [], '');
  for (const list of Object.values(lists)) list.sort(byPlace);
  return result;
}

const NO_HITS: readonly Hit[] = [];

/** Ordinary member names need no scrub: words, and single digits, too few for a number. */
const PLAIN_KEY = /^[a-z]{1,20}(?:_(?:[a-z]{1,12}|\d)){0,4}$/;

/** The string, or the digits of a sufficiently long number. */
function textOf(node: unknown): string | undefined {
  if (typeof node === 'string') return node;
  return typeof node === 'number' && Math.abs(node) >= SCRUB_LIMITS.numberMin ? String(node) : undefined;
}

function cleanValue(node: unknown): unknown {
  if (typeof node === 'string') return cleanText(node);
  if (Array.isArray(node)) return node.map(cleanValue);
  if (typeof node !== 'object' || node === null) return node;
  const cleaned: [string, unknown][] = [];
  for (const [key, member] of Object.entries(node)) cleaned.push([cleanText(key), cleanValue(member)]);
  return Object.fromEntries(cleaned);
}

function byPlace(a: Finding, b: Finding): number {
  if (a.pointer !== b.pointer) return a.pointer < b.pointer ? -1 : 1;
  return a.start - b.start || a.end - b.end || (a.rule < b.rule ? -1 : 1);
}

function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
