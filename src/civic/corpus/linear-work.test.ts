import { expect, it, test } from 'vitest';
import { CIVIC_LIMITS } from '../config.ts';
import { isTooTangled } from './body-tree.ts';
import { checkBody } from './check-body.ts';
import { hiddenTexts } from './hidden-text.ts';
import { markdownSteps } from './markdown-work.ts';

const lines = (count: number, line: string, between = '\n') => Array(count).fill(line).join(between);
/** Texts for which the Markdown parser takes quadratic time, by the number of their repetitions. */
const QUADRATIC: Readonly<Record<string, (count: number) => string>> = {
  'stars and low lines in one line': (count) => '*a_'.repeat(count),
  'stars and low lines in one paragraph': (count) => lines(count / 20, '*a_'.repeat(20)),
  'emphasis in emphasis': (count) => '*a '.repeat(count) + 'b*'.repeat(count),
  'long runs of stars': (count) => `${'*'.repeat(count)}a${'*'.repeat(count)}`,
  'open brackets': (count) => '[a'.repeat(count * 2),
  'images that do not close': (count) => '![a](b'.repeat(count * 2),
  'references without a definition': (count) => '[a][b]'.repeat(count),
  'links with a title that does not close': (count) => '[a](b "'.repeat(count * 2),
  'comments that do not close': (count) => `x ${'<!--'.repeat(count)}`,
  'instructions that do not close': (count) => `x ${'<?'.repeat(count * 2)}`,
  'backticks of many lengths': (count) =>
    Array.from({ length: count / 4 }, (_, at) => `a${'`'.repeat(at + 1)}`).join(''),
  'paragraphs in deep quotes': (count) => lines(count / 20, `${'>'.repeat(45)} a`, '\n\n'),
  'lists that begin in one line': (count) => lines(count / 10, `${'- '.repeat(20)}a`),
  'lists that are indented': (count) =>
    Array.from({ length: count }, (_, at) => `${' '.repeat((at % 30) * 2)}- a`).join('\n'),
};
const BASE = 200;

test.each(Object.entries(QUADRATIC))(
  'the steps that are counted for %s grow as the work of the parser does',
  (_, textOf) => {
    const growth = markdownSteps(textOf(BASE * 10)) / markdownSteps(textOf(BASE));
    expect(growth).toBeGreaterThan(30);
  },
);

test.each(Object.entries(QUADRATIC))('%s are refused before they are parsed', (_, textOf) => {
  const text = textOf(BASE * 15);
  expect([isTooTangled(text), checkBody(text).faults.length, hiddenTexts(`${text}\n\n[a]: b`).length]).toEqual([
    true,
    1,
    1,
  ]);
});

it('pages with many marks in their paragraphs are read', () => {
  const pages = [
    lines(200, '- **Bring** the _form_, see [the law](https://law.example.org/1) and `code`.'),
    lines(60, '**Bring** the _form_, see [the law](https://law.example.org/1).', '\n\n'),
    lines(60, '| **a** | _b_ | [c](https://law.example.org/1) |'),
    lines(300, '1. a\n   - b\n     - c'),
    lines(40, `a\n${'-'.repeat(60)}\n\n* * *`),
    lines(200, '        key: value'),
  ];
  expect(pages.map((page) => markdownSteps(page) < CIVIC_LIMITS.markdown_steps_max / 4)).toEqual(pages.map(() => true));
});
