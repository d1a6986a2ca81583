import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from './clean-text.ts';
import type { FieldKinds } from './field-kinds.ts';
import { normaliseText } from './normalise-text.ts';
import { type Finding, scrubSubmission } from './scrub-submission.ts';
import { NUMBER_KINDS, randomIban, seededRandom } from './testing/number-samples.ts';

const RUNS = { numRuns: Number(process.env.SCRUB_RUNS ?? 500) };
const KINDS: FieldKinds = [
  ['/url', 'url'],
  ['/body', 'markdown'],
  ['/diff', 'diff'],
  ['/entry/**', 'path_entry'],
];

const INVISIBLE = ['', '\u200b', '\u200d', '\u00ad', '\u2060', '\ufeff', '\ufe0f', '\u202e', '\u{e0041}'];
/** What people and programs write between digits: one, two or three of them. */
const SEPARATORS = [...' .-/\\_\t\u00a0\u2010\u2011\u2012–—\u2015\u2212·•'];
const GAPS = ['', '', ...SEPARATORS, ' - ', ' / ', '\u2212\u2212', '. -', '_·\u2212', '•\t\\'];
const ZEROS = [0x30, 0xff10, 0x660, 0x6f0, 0x966, 0x1d7ce];

/** A true number, disguised: other digits, characters that nobody sees, separators anywhere. */
const disguised = fc
  .record({
    kind: fc.constantFrom(...NUMBER_KINDS),
    seed: fc.integer({ min: 0 }),
    choices: fc.infiniteStream(fc.nat(1000)),
  })
  .map(({ kind, seed, choices }) => {
    const digits = kind.generate(seededRandom(seed));
    const next = <T>(items: readonly T[]): T => items[(choices.next().value as number) % items.length] as T;
    const number = [...digits]
      .map((digit, at) => {
        const gap = at === digits.length - 1 ? '' : next(GAPS);
        return String.fromCodePoint(next(ZEROS) + Number(digit)) + next(INVISIBLE) + gap + next(INVISIBLE);
      })
      .join('');
    return { kind, digits, text: `Mon numéro ${kind.cue}${number} fin` };
  });

const allFindings = (value: unknown): Finding[] => {
  const { rejects, holds, advisories } = scrubSubmission(value, KINDS);
  return [...rejects, ...holds, ...advisories];
};

/** Strings with the characters that matter here, and with any others. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom(
      ...'aZ09 .-/@:+<{}%&=?#"\'é١３\u0301\u200b\u202e\u00ad',
      'Mme ',
      'Jean ',
      '850730',
      'http://',
      '\ud800',
    ),
    maxLength: 60,
  }),
);
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.double(),
    fc.constant(null),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(text, tie('node'), { maxKeys: 4 }),
  ),
})).node;

describe('properties of the scrub', () => {
  it('[civic:PV15] no disguise hides a number with a checksum', () => {
    fc.assert(
      fc.property(disguised, ({ kind, text: sent }) => {
        const expected =
          kind.rule === 'structured_communication' ? ['structured_communication', 'be_id_card_number'] : [kind.rule];
        const found = scrubSubmission({ report: sent }, KINDS).rejects.map(({ rule }) => rule);
        expect(found.filter((rule) => expected.includes(rule))).toHaveLength(1);
      }),
      RUNS,
    );
  });

  it('[civic:PV6] offsets cut out what normalises to the detected number', () => {
    fc.assert(
      fc.property(disguised, ({ digits, text: sent }) => {
        const [finding] = scrubSubmission({ report: sent }, KINDS).rejects as [Finding];
        expect(normaliseText(sent.slice(finding.start, finding.end)).text.replace(/\D/g, '')).toBe(digits);
      }),
      RUNS,
    );
  });

  it('[civic:PV6] an IBAN is found however its characters are parted, and cut out exactly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0 }),
        fc.array(fc.constantFrom(...INVISIBLE, ...GAPS), { minLength: 34, maxLength: 34 }),
        (seed, gaps) => {
          const iban = randomIban(seededRandom(seed));
          const sent = `compte ${[...iban].map((char, i) => char + (i < iban.length - 1 ? gaps[i] : '')).join('')}, merci`;
          const [finding] = scrubSubmission({ report: sent }, KINDS).rejects as [Finding];
          expect(normaliseText(sent.slice(finding.start, finding.end)).text.replace(/[^A-Z0-9]/g, '')).toBe(iban);
        },
      ),
      RUNS,
    );
  });

  it('[civic:PV6] findings say nothing of what was found, wherever it stands', () => {
    fc.assert(
      fc.property(
        disguised,
        fc.constantFrom('value', 'key', 'below', 'array'),
        ({ digits, kind, text: sent }, place) => {
          const plain = `${kind.cue}${digits}`;
          const sentValue = {
            value: { a: plain, b: sent },
            key: { [plain]: 1 },
            below: { [plain]: { [sent]: plain } },
            array: [[plain], sent],
          }[place];
          const findings = allFindings(sentValue);
          expect(findings.length).toBeGreaterThan(0);
          for (const finding of findings) {
            expect(
              Object.keys(finding).filter((key) => !['rule', 'pointer', 'start', 'end', 'in_key'].includes(key)),
            ).toEqual([]);
            expect(finding.pointer).not.toMatch(/\d{3}/);
          }
        },
      ),
      RUNS,
    );
  });

  it('random values never throw; findings lie inside their strings and are sorted', () => {
    fc.assert(
      fc.property(value, (sent) => {
        const result = scrubSubmission(sent, KINDS);
        for (const list of [result.rejects, result.holds, result.advisories]) {
          for (const { start, end } of list) expect(start >= 0 && end > start).toBe(true);
          const pointers = list.map(({ pointer }) => pointer);
          expect(pointers).toEqual([...pointers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
        }
      }),
      RUNS,
    );
  });

  it('[civic:PV15] cleaning twice is cleaning once, and leaves nothing unseen', () => {
    fc.assert(
      fc.property(value, (sent) => {
        const { cleaned } = scrubSubmission(sent, KINDS);
        expect(scrubSubmission(cleaned, KINDS).cleaned).toEqual(cleaned);
      }),
      RUNS,
    );
    fc.assert(
      fc.property(text, (sent) => {
        const cleaned = cleanText(sent);
        expect([cleaned.normalize('NFC'), /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/.test(cleaned)]).toEqual([
          cleaned,
          false,
        ]);
      }),
      RUNS,
    );
  });
});

describe('normaliseText', () => {
  const unit = fc.constantFrom(
    ...'aZé09 .',
    'e\u0301',
    'n\u0303',
    'ﬁ',
    '²',
    '①',
    'Ａ',
    '３',
    '٣',
    '९',
    '\u200b',
    '\u00ad',
    '\u2060',
    '\ufe0f',
    '\u{e0041}',
    '𝟗',
    'Ω',
    '\u00a0',
    'ـ',
    '1\ufe0f\u20e3',
    '😀',
    '\u0301',
  );

  it('[civic:PV15] agrees with NFKC of the whole text without ignorable characters and with digits mapped', () => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (sent) => {
        expect(normaliseText(sent).text).toBe(naiveNormalisation(sent));
      }),
      RUNS,
    );
  });

  it('[civic:PV15] maps every unit to a part of the source, in order, that normalises to it', () => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (sent) => {
        const normal = normaliseText(sent);
        let before = 0;
        for (let i = 0; i < normal.text.length; i++) {
          const [start, end] = [normal.startOf(i), normal.endOf(i)];
          expect(start >= before && end > start && end <= sent.length).toBe(true);
          expect(naiveNormalisation(sent.slice(start, end))).toContain(normal.text[i]);
          before = start;
        }
      }),
      RUNS,
    );
  });

  function naiveNormalisation(sent: string): string {
    const seen = sent.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').normalize('NFKC');
    const mapped = seen.replace(/\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) as number;
      const zero = [0x30, 0x660, 0x966].find((first) => code >= first && code < first + 10) as number;
      return String(code - zero);
    });
    return mapped.replace(/(?<=\d\p{M}*)\p{M}/gu, '');
  }
});
