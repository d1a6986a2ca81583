import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../testing/arbitraries.ts';
import { SEARCH } from './search-settings.ts';
import { documentWords } from './search-terms.ts';
import { headingOf, splitChunks } from './split-chunks.ts';

test('a text is cut at its headings, and each part knows the headings above it', () => {
  const content = 'intro\n# One\na\n## Two ##\nb\n```\n# not a heading\n```\n### Drei 🚀\n\n# Four\nc';
  expect(splitChunks(content).map(({ headings, text }) => [headings.join(' > '), text])).toEqual([
    ['', 'intro\n'],
    ['One', '# One\na\n'],
    ['One > Two', '## Two ##\nb\n```\n# not a heading\n```\n'],
    ['One > Two > Drei 🚀', '### Drei 🚀\n\n'],
    ['Four', '# Four\nc'],
  ]);
});

test('a heading is what the expression for a whole line says', () => {
  const whole = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/;
  const anyLine = fc
    .array(fc.constantFrom('#', '##', ' ', '  ', '\t', 'a', 'é', '\r', '\u2028'), { maxLength: 9 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(anyLine, (line) => {
      const [found, marks = '', title = ''] = whole.exec(line) ?? [];
      expect(headingOf(line)).toEqual(found === undefined ? undefined : { level: marks.length, title });
    }),
    { numRuns: 20 * propertyRuns },
  );
});

test('a heading with a million blanks, and a word of six million letters, are read like any other', () => {
  const blanks = ' '.repeat(1_000_000);
  const [chunk] = splitChunks(`# a${blanks}b ##${blanks}\n`);
  expect(chunk?.headings).toEqual([`a${blanks}b`.slice(0, SEARCH.headingCharactersMax)]);
  expect(documentWords(`${'é'.repeat(6_000_000)} end`).at(-1)).toBe('end');
});

test('a long section is cut at an empty line', () => {
  const paragraph = `${'word '.repeat(SEARCH.chunkCharactersMax / 4)}\n\n`;
  const chunks = splitChunks(`# Long\n${paragraph}${paragraph}end`);
  expect(chunks.map(({ headings }) => headings)).toEqual([['Long'], ['Long'], ['Long']]);
});

test('[context:Z10b] the parts of any text are the text, and their byte ranges follow each other', () => {
  const lines = fc.array(
    fc.constantFrom(
      '# A',
      '## B',
      '#',
      'text 🚀',
      '',
      '```',
      '~~~',
      '    # code',
      'é\r',
      `${'x'.repeat(SEARCH.chunkCharactersMax)}`,
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(lines, fc.boolean(), (parts, hasEnd) => {
      const content = parts.join('\n') + (hasEnd ? '\n' : '');
      const bytes = Buffer.from(content);
      const chunks = splitChunks(content);
      expect(chunks.map(({ text }) => text).join('')).toBe(content);
      expect(chunks.map(({ start, end }) => bytes.toString('utf8', start, end))).toEqual(
        chunks.map(({ text }) => text),
      );
    }),
    { numRuns: propertyRuns },
  );
});

test('the title of the front matter is the outermost heading, and is not said twice', () => {
  const split = (content: string) => splitChunks(content).map(({ headings }) => headings);
  expect(split('---\ntitle: Page\n# a comment\n---\nintro\n## Part\nx\n')).toEqual([['Page'], ['Page', 'Part']]);
  expect(split('---\ntitle: Page\n---\n# Page\nx\n')).toEqual([['Page']]);
  expect(split('---\ntitle: Page\n---\n')).toEqual([['Page']]);
});

test('a long part without empty lines is cut at the ends of its sentences, else of its lines, else at blanks', () => {
  const lengths = (content: string) => splitChunks(content).map(({ text }) => text.length);
  const sentence = 'The quick brown fox jumps over the lazy dog. ';
  const cut = splitChunks(sentence.repeat(100)).map(({ text }) => text);
  expect(cut.join('')).toBe(sentence.repeat(100));
  expect(cut.length).toBeGreaterThan(1);
  expect(cut.every((text) => text.endsWith('. ') && text.length <= SEARCH.unbrokenCharactersMax)).toBe(true);
  expect(splitChunks('日本語の文です。'.repeat(500)).every(({ text }) => text.endsWith('。'))).toBe(true);
  expect(splitChunks('- item without an end\n'.repeat(200)).every(({ text }) => text.endsWith('\n'))).toBe(true);
  expect(splitChunks('word '.repeat(1_000)).every(({ text }) => text.endsWith(' '))).toBe(true);
  expect(Math.max(...lengths('x'.repeat(10_000)))).toBeLessThanOrEqual(SEARCH.unbrokenCharactersMax);
  expect(splitChunks('🚀'.repeat(5_000)).every(({ text }) => text.isWellFormed())).toBe(true);
});
