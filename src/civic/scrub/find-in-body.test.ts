import { expect, test } from 'vitest';
import { scrubText } from './scrub-text.ts';

const diffOf = (lines: readonly string[]) =>
  `@@ -1,2 +1,${lines.length + 1} @@\n Bring the card.\n-Go.\n${lines.map((line) => `+${line}\n`).join('')}`;
const rulesOf = (lines: readonly string[]) => [
  scrubText(diffOf(lines), 'diff', []).map(({ rule }) => rule),
  scrubText(`${lines.join('\n')}\n`, 'markdown', []).map(({ rule }) => rule),
];

test.each([
  ['postal_address', ['- The clerk lives at 12 Rue de la Loi.']],
  ['postal_address', ['- The clerk lives at Kerkstraat 14.']],
  ['postal_address', ['- I live at Kerkstraat 14.']],
  ['postal_address', ['- De bediende woont in de Kerkstraat 14.']],
  ['postal_address', ['- La dame habite au 12, rue de la Loi.']],
  ['postal_address', ['- Die Beamtin wohnt in der Bahnhofstraße 7.']],
  ['postal_address', ['- Вона мешкає на вул. Шевченка, 12.']],
  ['postal_address', ['- يسكن في شارع الملك 12.']],
  ['spelled_phone', ['- Ring zero four seven five, twelve, thirty-four, fifty-six.']],
  ['payment_card', ['- My card 4111 1111', '- 1111 1111']],
  ['payment_card', ['My card 4111 1111', '', '> 1111 1111']],
  ['payment_card', ['1. 4111 1111', '2. 1111 1111']],
  ['iban', ['- Pay to BE68 5390', '- 0754 7034']],
  ['belgian_national_phone', ['- Ring 0475 12', '- 34 56']],
])('a body: %s in %j', (rule, lines) => {
  expect(rulesOf(lines)).toEqual([[rule], [rule]]);
});

test.each([
  [['- The office is at 12 Rue de la Loi.', '- Het loket is in de Kerkstraat 14.']],
  [['- If you live in Ghent, go to the desk in the Kerkstraat 14.']],
  [['- Who lives abroad sends the form to Rue de la Loi 12.']],
  [['- Open from 8 to 12', '- 25 EUR, room 4', '- 1. 30 days', '- 2026-11-18', '- 2026-11-19']],
  [['1. Wait 30', '2. Wait 45', '3. Wait 60']],
])('a body: nothing in %j', (lines) => {
  expect(rulesOf(lines)).toEqual([[], []]);
});

test('lines of a diff that are not added are not searched', () => {
  const diff = '@@ -1,2 +1,2 @@\n My card 4111 1111\n-She lives at Kerkstraat 14.\n+Wait 1111 1111.\n';
  expect(scrubText(diff, 'diff', [])).toEqual([]);
});

test('what is found over two lines is named by its place', () => {
  const text = '- My card 4111 1111\n- 1111 1111\n';
  const [hit] = scrubText(text, 'markdown', []);
  expect(text.slice(hit?.start, hit?.end)).toBe('4111 1111\n- 1111 1111');
});
