import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import {
  hasHiddenCharacters,
  jsonOfVisible,
  stillVisible,
  visible,
  visibleJson,
  visibleLine,
  visibleLines,
  visibleText,
  visibleValue,
} from './visible-text.ts';

test('plain text comes back as it is', () => {
  const text = 'Größe: 5 €\n\tzweite Zeile, 日本語, 🙂 ⚠️ 👩‍🔬 🏴󠁧󠁢󠁥󠁮󠁧󠁿';
  expect([visibleText(text), hasHiddenCharacters(text)]).toEqual([text, false]);
});

test.each([
  ['an escape sequence', '\u001b[2Jx', '\\u{1B}[2Jx'],
  ['a right-to-left override', 'a\u202eb', 'a\\u{202E}b'],
  ['zero-width characters', 'a\u200b\u2060\ufeffb', 'a\\u{200B}\\u{2060}\\u{FEFF}b'],
  ['tag characters', 'a\u{e0041}b', 'a\\u{E0041}b'],
  ['a variation selector', 'a\ufe0fb', 'a\\u{FE0F}b'],
  ['a blank letter', 'a\u3164b', 'a\\u{3164}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['a carriage return that overwrites a line', 'bad\rgood', 'bad\\u{D}good'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{D800}b'],
])('%s is shown', (_name, text, shown) => {
  expect([visibleText(text), hasHiddenCharacters(text)]).toEqual([shown, true]);
});

test('all emoji that people know stay as they are', () => {
  const emoji = ['❤️', '👩🏽‍❤️‍💋‍👨🏽', '👨‍👩‍👧‍👦', '🏴‍☠️', '🏳️‍🌈', '1️⃣', '#️⃣', '🇧🇪', '👍🏿', '🧑🏻‍🚀', '☎️', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'];
  const text = emoji.join('');
  expect([visibleText(text), emoji.map(visibleLine)]).toEqual([text, emoji]);
});

test('joiners, selectors and tags that make no emoji are shown, however they are put together', () => {
  expect(
    [
      '😀\u200d😁',
      '1\ufe0f',
      '👩\u200d',
      '\u200d👩',
      '👩\u200d🔬\u200d😀',
      '🏴\u{e0061}\u{e007f}',
      '❤\ufe0f\ufe0f',
    ].map(visibleLine),
  ).toEqual([
    '😀\\u{200D}😁',
    '1\\u{FE0F}',
    '👩\\u{200D}',
    '\\u{200D}👩',
    '👩\\u{200D}🔬\\u{200D}😀',
    '🏴\\u{E0061}\\u{E007F}',
    '❤\ufe0f\\u{FE0F}',
  ]);
});

test('of a text with very many sequences those behind the limit are shown, the same way each time', () => {
  const text = '❤️'.repeat(LIMITS.emojiSequencesMax + 1);
  const expected = `${'❤️'.repeat(LIMITS.emojiSequencesMax)}❤\\u{FE0F}`;
  expect([visibleText(text), visibleText(text)]).toEqual([expected, expected]);
});

test('a line holds no tab and no line feed', () => {
  expect(visibleLine('a\tb\nc')).toBe('a\\u{9}b\\u{A}c');
});

test('text of several lines keeps them, whichever way they end', () => {
  expect(visibleLines('a\r\nb\n\tc\rd\u001b')).toBe('a\nb\n\tc\\u{D}d\\u{1B}');
});

test('in a template the words are ours, and every value stays on its line', () => {
  expect(visible`error:\t${'a\nb'}\n${1}${undefined}\n`).toBe('error:\ta\\u{A}b\n1undefined\n');
});

test('a value is shown through and through, its names as well; members with many lines keep them', () => {
  const value = { 'a\tb': ['x\ny', 1, null, true], diff: 'a\r\nb\u202e', lines: [{ diff: 'c\td' }] };
  expect(visibleValue(value, { manyLines: ['diff'] })).toEqual({
    'a\\u{9}b': ['x\\u{A}y', 1, null, true],
    diff: 'a\nb\\u{202E}',
    lines: [{ diff: 'c\td' }],
  });
});

test('JSON with what is hidden in it escaped is the same value, and holds nothing hidden', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.boolean(), (value, isLaidOut) => {
      const json = JSON.stringify(value, null, isLaidOut ? 2 : undefined);
      const shown = visibleJson(json);
      expect(JSON.parse(shown)).toEqual(JSON.parse(json));
      expect(hasHiddenCharacters(shown)).toBe(false);
    }),
  );
});

test('whatever comes in, nothing hidden comes out but within emoji', () => {
  const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{FE00}-\u{FE0F}\u{E0000}-\u{E0FFF}]/v;
  const pieces = fc.constantFrom(
    '👩',
    '\u200d',
    '🔬',
    '\ufe0f',
    '⚠',
    '\u{e0067}',
    'a',
    '\n',
    '\u202e',
    '\ud83d',
    '\u001b',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(pieces).map((all) => all.join('')),
      ),
      (text) => {
        expect(visibleLine(text).replaceAll(/\p{RGI_Emoji}/gv, '')).not.toMatch(hidden);
        expect(visibleText(text).replaceAll(/\p{RGI_Emoji}|[\t\n]/gv, '')).not.toMatch(hidden);
      },
    ),
  );
});

test('JSON of a visible value has each escape once, and tells it from a backslash that somebody wrote', () => {
  const value = visibleValue({ a: 'x\u202ey', b: '\\u{41}', c: '\\\u200b', 'd\u0007': ['\u{e0041}'] });
  expect(jsonOfVisible(value)).toBe(
    String.raw`{"a":"x\u{202E}y","b":"\\u{41}","c":"\\\u{200B}","d\u{7}":["\u{E0041}"]}`,
  );
});

test('a text that spells out an escape does not look like the character', () => {
  const spelt = String.raw`\u{202E}`;
  expect([visibleText(spelt), visibleText('\u202e'), visibleLine(spelt), visibleLines(spelt)]).toEqual([
    String.raw`\u{5C}u{202E}`,
    String.raw`\u{202E}`,
    String.raw`\u{5C}u{202E}`,
    String.raw`\u{5C}u{202E}`,
  ]);
  const plain = String.raw`C:\users \u{41} \u202E \\ \u{110000} \u{}`;
  expect(visibleText(plain)).toBe(plain);
  expect(jsonOfVisible(visibleValue([spelt, '\u202e']))).toBe(String.raw`["\u{5C}u{202E}","\u{202E}"]`);
});

test('no two texts look alike', () => {
  const pieces = fc.constantFrom('\\', 'u{202E}', 'u{5C}', '\u202e', 'u{5c}', 'u{', '}', '202E', 'a', '\u0007', 'u{7}');
  const text = fc.array(pieces, { maxLength: 8 }).map((all) => all.join(''));
  fc.assert(
    fc.property(text, text, (one, other) => {
      fc.pre(one !== other);
      expect(visibleLine(one)).not.toBe(visibleLine(other));
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(text, (one) => {
      const back = visibleLine(one).replaceAll(/\\u\{([0-9A-F]+)\}/g, (found, code: string) => {
        const character = String.fromCodePoint(Number.parseInt(code, 16));
        return visibleLine(character) === found || character === '\\' ? character : found;
      });
      expect(back).toBe(one);
    }),
    { numRuns: 5_000 },
  );
});

test('what was made visible before is not escaped again', () => {
  const before = { text: visibleText('a\u202eb'), other: 'a\u202eb' };
  const shown = { text: String.raw`a\u{202E}b`, other: String.raw`a\u{202E}b` };
  expect([stillVisible(before.text), visibleValue(before, { visibleBefore: ['text'] })]).toEqual([shown.text, shown]);
  expect(stillVisible('a\u202e\tb\n')).toBe(`${String.raw`a\u{202E}`}\tb\n`);
});
