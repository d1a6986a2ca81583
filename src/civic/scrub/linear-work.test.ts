import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldKind } from './field-kinds.ts';
import { scrubText } from './scrub-text.ts';
import { adversarialTexts } from './testing/adversarial-texts.ts';
import { recordPatterns } from './testing/recorded-patterns.ts';
import { countSteps } from './testing/regex-steps.ts';

const KINDS: readonly FieldKind[] = ['free_text', 'markdown', 'diff', 'path_entry', 'url'];

/**
 * Five times the text costs five times the work, and up to 13 times while the widest window (300 characters) is not yet
 * full; a quadratic pattern costs 25 times.
 */
const GROWTH_MAX = 16;

// Shorter texts are windows of fixed width: what runs over them costs no more in a longer text.
const patterns = recordPatterns(100, () => {
  for (const text of adversarialTexts(200)) for (const kind of KINDS) scrubText(text, kind, ['example.org']);
});

describe('the work of the scrub', () => {
  it('uses only patterns that the step counter understands as the engine does', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...'aA0 .-@:/+<>(){}[]`"=?&#%éÀ\n'), maxLength: 60 }),
      fc.constantFrom(...adversarialTexts(60)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...patterns), text, (pattern, sample) => {
        const global = new RegExp(pattern.source, [...new Set(`${pattern.flags}g`)].join(''));
        const native = [...sample.matchAll(global)].map((match) => [match.index, match.index + match[0].length]);
        expect(countSteps(global, sample).matches).toEqual(native);
      }),
      { numRuns: Number(process.env.SCRUB_RUNS ?? 2000) },
    );
  });

  it('[civic:PV15] grows with the length of a text and not faster, for every pattern and every adversarial text', () => {
    const short = adversarialTexts(200);
    const long = adversarialTexts(1000);
    const superlinear: string[] = [];
    for (const pattern of patterns) {
      for (const [index, text] of short.entries()) {
        const small = countSteps(pattern, text).steps;
        const large = countSteps(pattern, long[index] as string).steps;
        if (large > GROWTH_MAX * small)
          superlinear.push(`${text.slice(0, 12)}: ${large / small} ${pattern.source.slice(0, 80)}`);
      }
    }
    expect(superlinear).toEqual([]);
  });

  it('would notice a quadratic pattern', () => {
    const [small, large] = [200, 1000].map((length) => countSteps(/a+b/g, 'a'.repeat(length)).steps) as [
      number,
      number,
    ];
    expect(large).toBeGreaterThan(GROWTH_MAX * small);
  });

  it('comes to an end on 100 kB of every adversarial text', () => {
    for (const text of adversarialTexts(100_000)) expect(scrubText(text, 'markdown', [])).toBeInstanceOf(Array);
  });
});
