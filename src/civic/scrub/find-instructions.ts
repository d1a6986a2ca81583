import type { Hit } from './find-identifiers.ts';
import { INJECTION_PATTERNS } from './injection-patterns.ts';
import { SCRUB_LIMITS } from './limits.ts';

/** Finds text that speaks to the model that reads it. */
export function findInstructions(text: string): Hit[] {
  const hits: Hit[] = [];
  const small = text.toLowerCase();
  for (const { hints, pattern } of INJECTION_PATTERNS) {
    if (!hints.some((hint) => small.includes(hint))) continue;
    for (const { index, 0: match } of text.matchAll(pattern)) {
      hits.push({ rule: 'injection_pattern', start: index, end: index + match.length });
    }
  }
  return hits;
}

/** Bidi overrides, the tag block, base64 of some length, and styles that make text invisible. */
export const HIDDEN_TEXT = new RegExp(
  [
    '[\\u202d\\u202e]',
    '[\\u{e0000}-\\u{e007f}]+',
    `(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{${SCRUB_LIMITS.keyCharsMax + 1},}={0,2}`,
    'style\\s{0,2}=\\s{0,2}["\'][^"\'\\n]{0,200}?(?:display\\s{0,2}:\\s{0,2}none|visibility\\s{0,2}:\\s{0,2}hidden|opacity\\s{0,2}:\\s{0,2}0(?![.\\d])|font-size\\s{0,2}:\\s{0,2}0|color\\s{0,2}:\\s{0,2}(?:white|transparent|#f{3,6}(?![0-9a-f])))',
  ].join('|'),
  'giu',
);

/** Finds text that a model reads and a person does not see; works on the text as sent. */
export function findHiddenText(source: string): Hit[] {
  return [...source.matchAll(HIDDEN_TEXT)].map(({ index, 0: match }) => ({
    rule: 'hidden_text',
    start: index,
    end: index + match.length,
  }));
}
