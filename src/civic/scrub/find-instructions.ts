import type { Hit } from './find-identifiers.ts';
import { HintIndex } from './hint-index.ts';
import { INJECTION_PATTERNS, type InjectionPattern } from './injection-patterns.ts';
import { SCRUB_LIMITS } from './limits.ts';
import { UPLOAD_PATTERNS } from './upload-patterns.ts';

const PATTERNS: readonly (InjectionPattern & { readonly rule: string })[] = [
  ...INJECTION_PATTERNS.map((one) => ({ ...one, rule: 'injection_pattern' })),
  ...UPLOAD_PATTERNS.map((one) => ({ ...one, rule: 'upload_request' })),
];
const HINTS = new HintIndex(PATTERNS.map(({ hints }) => hints));

/** Finds text that addresses the reading model, or asks for a person's documents. */
export function findInstructions(text: string): Hit[] {
  const hits: Hit[] = [];
  for (const found of HINTS.find(text.toLowerCase())) {
    const { pattern, rule } = PATTERNS[found] as (typeof PATTERNS)[number];
    for (const { index, 0: match } of text.matchAll(pattern))
      hits.push({ rule, start: index, end: index + match.length });
  }
  // Report each instruction once, under the most specific rule.
  const orders = hits.filter(({ rule }) => rule === 'injection_pattern');
  return hits.filter((hit) => hit.rule === 'injection_pattern' || !orders.some((order) => overlaps(hit, order)));
}

function overlaps(a: Hit, b: Hit): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Bidi overrides, the tag block, long base64, and styles that hide text. */
export const HIDDEN_TEXT = new RegExp(
  [
    '[\\u202d\\u202e]',
    '[\\u{e0000}-\\u{e007f}]+',
    `(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{${SCRUB_LIMITS.keyCharsMax + 1},}={0,2}`,
    'style\\s{0,2}=\\s{0,2}["\'][^"\'\\n]{0,200}?(?:display\\s{0,2}:\\s{0,2}none|visibility\\s{0,2}:\\s{0,2}hidden|opacity\\s{0,2}:\\s{0,2}0(?![.\\d])|font-size\\s{0,2}:\\s{0,2}0|color\\s{0,2}:\\s{0,2}(?:white|transparent|#f{3,6}(?![0-9a-f])))',
  ].join('|'),
  'giu',
);

const ASCII = /^[\x00-\x7f]*$/;
const STYLE = /style/i;
const LONG_WORD = new RegExp(`[A-Za-z0-9+/_-]{${SCRUB_LIMITS.keyCharsMax + 1}}`);

/** Finds text that models read but people do not see; works on the text as sent. */
export function findHiddenText(source: string): Hit[] {
  if (ASCII.test(source) && !STYLE.test(source) && !hasLongWord(source)) return [];
  return [...source.matchAll(HIDDEN_TEXT)].map(({ index, 0: match }) => ({
    rule: 'hidden_text',
    start: index,
    end: index + match.length,
  }));
}

function hasLongWord(source: string): boolean {
  return source.length > SCRUB_LIMITS.keyCharsMax && LONG_WORD.test(source);
}
