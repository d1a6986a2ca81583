import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wholeUrlPart } from './find-in-urls.ts';
import { scrubText } from './scrub-text.ts';

const rulesOf = (url: string) => [...new Set(scrubText(url, 'url', []).map(({ rule }) => rule))];
const escaped = (text: string) => encodeURIComponent(text);

test.each([
  ['spelled_phone', '?tel=0475+12+34+56'],
  ['spelled_phone', '?tel=0475%2012%2034%2056'],
  ['spelled_phone', `?tel=${escaped(escaped(escaped('0475 12 34 56')))}`],
  ['spelled_phone', '?tel=+32475123456'],
  ['spelled_phone', '?phone=02-511-22-33'],
  ['spelled_phone', '0475-12-34-56'],
  ['spelled_phone', '0475_12_34_56'],
  ['spelled_phone', 'u/0475/12/34/56'],
  ['spelled_phone', '#0475.12.34.56'],
  ['email', 'jan-at-example-dot-net'],
  ['person_name', 'margaret-holloway'],
  ['person_name', 'margaret_holloway.html'],
  ['person_name', 'MargaretHolloway'],
  ['person_name', 'm.holloway'],
  ['person_name', 'people/holloway.margaret/'],
  ['person_name', 'margaret/holloway'],
  ['person_name', '?who=margaret-holloway'],
  ['person_name', '?given=margaret&family=holloway'],
  ['person_name', '%6d%61%72garet-holloway'],
  ['person_name', 'mahmoud-alkhatib'],
  ['person_name', escaped('محمود-الخطيب')],
  ['person_name', escaped('олександр-коваленко')],
  ['postal_address', 'kerkstraat-12-3000-leuven'],
  ['postal_address', `?at=${escaped('Kerkstraat 12, 3000 Leuven')}`],
  ['number_plate', '?plate=1-ABC-123'],
  ['number_plate', '?kenteken=1abc123'],
  ['birth_date', '?born=1984-05-12'],
  ['ip_address', '?from=10.1.2.3'],
  ['case_number', '?dossiernummer=9876543'],
  ['coordinates', 'map/@50.84670,4.35250'],
])('%s in the words of a URL: %s', (rule, rest) => {
  expect(rulesOf(`https://law.example.org/${rest}`)).toContain(rule);
  expect(scrubText(`See https://law.example.org/${rest} there.`, 'markdown', []).map((hit) => hit.rule)).toContain(
    rule,
  );
});

test('in 154 URLs of offices, laws, streets and forms in six languages nothing is found', () => {
  const page = new URL('../../../test/data/scrub/official-urls.txt', import.meta.url);
  const urls = readFileSync(page, 'utf8').trim().split('\n');
  expect([urls.length, urls.filter((url) => rulesOf(url).length > 0)]).toEqual([154, []]);
  const inText = urls.filter((url) =>
    scrubText(`See ${url} for it.`, 'markdown', []).some(({ rule }) => rule !== 'long_digit_run'),
  );
  expect(inText).toEqual([]);
});

test('the place of a finding grows to the whole of a URL after its host', () => {
  const text = 'Ask https://law.example.org/people/margaret-holloway?tel=0475 or call.';
  const place = { start: text.indexOf('margaret'), end: text.indexOf('-holloway') };
  const { start, end } = wholeUrlPart(text, 'free_text', place);
  expect(text.slice(start, end)).toBe('people/margaret-holloway?tel=0475');
  expect(wholeUrlPart(text, 'free_text', { start: 0, end: 3 })).toEqual({ start: 0, end: 3 });
  expect(wholeUrlPart('https://a.example?who=x', 'url', { start: 22, end: 23 })).toEqual({ start: 18, end: 23 });
});

test('a long URL takes no more time than its length', () => {
  const url = `https://a.example/${'margaret-'.repeat(400)}?${'a=0475%20&'.repeat(200)}`;
  expect(scrubText(url, 'url', []).length).toBeGreaterThan(0);
});
