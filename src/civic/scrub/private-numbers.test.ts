import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FieldKind } from './field-kinds.ts';
import { scrubText } from './scrub-text.ts';

const rulesIn = (text: string, kind: FieldKind) => [...new Set(scrubText(text, kind, []).map(({ rule }) => rule))];
const diffOf = (line: string) => `@@ -1 +1 @@\n-Go.\n+${line}\n`;

test.each([
  ['id_card_form', 'The card 592-1234567-89 was refused.'],
  ['id_card_form', 'The card 592 1234567 89 was refused.'],
  ['case_number', 'His OV/SP number 8.123.456 was asked.'],
  ['case_number', 'The dossier number 9876543 is lost.'],
  ['case_number', 'Case no. 98/76543 is lost.'],
  ['case_number', 'Le numéro de SP 8.123.456 manque.'],
  ['case_number', 'Le dossier n° 9876543 est perdu.'],
  ['case_number', 'Het dossiernummer 9876543 is weg.'],
  ['case_number', 'Het OV-nummer is 8.123.456.'],
  ['case_number', 'Das Aktenzeichen 9876543 fehlt.'],
  ['case_number', 'Номер справи 9876543 загублено.'],
  ['case_number', 'Справу № 9876543 загублено.'],
  ['case_number', 'ضاع رقم الملف 9876543.'],
  ['coordinates', 'It is at 50.846700, 4.352500.'],
  ['coordinates', 'It is at 50.8467° N, 4.3525° E.'],
  ['device_address', 'The phone 00:1A:2B:3C:4D:5E is blocked.'],
  ['device_address', 'The phone 00-1a-2b-3c-4d-5e is blocked.'],
  ['number_plate', 'She parks 1ABC123 there.'],
  ['number_plate', 'The car 1-ABC-123 stood there.'],
  ['ip_address', 'It came from 2001:db8:85a3::8a2e:370:7334.'],
])('%s in every kind of text: %s', (rule, text) => {
  const kinds = ['free_text', 'markdown', 'path_entry'] as const;
  const found = kinds.filter((kind) => rulesIn(text, kind).includes(rule));
  const isTrace = rule === 'number_plate' || rule === 'ip_address';
  expect(found).toEqual(isTrace ? ['free_text', 'markdown'] : kinds);
  expect(rulesIn(diffOf(text), 'diff')).toContain(rule);
});

test.each([
  'The tenant is at Kerkstraat 12.',
  'La locataire est au 12, rue Haute.',
  'De huurder zit in de Kerkstraat 12.',
  'Die Mieterin ist in der Bahnhofstraße 7.',
  'Сусідка зараз на вул. Шевченка, 12.',
  'المستأجر في شارع الملك 12.',
])('a body says where a person is: %s', (text) => {
  expect([rulesIn(text, 'markdown'), rulesIn(diffOf(text), 'diff')]).toEqual([['postal_address'], ['postal_address']]);
});

test.each([
  'The tenant sends the form to Rue de la Loi 12.',
  'The applicant goes to the desk in the Kerkstraat 14.',
  'Il se trouve rue de la Loi 12.',
  'Het loket is in de Kerkstraat 14.',
  'The dossier number has 7 digits.',
  'The case number is on page 12 of 2024.',
  'The fee is 50.8467 EUR, then 4.3525.',
  'Version 1.2.3.4 of the form.',
])('a body: nothing in: %s', (text) => {
  expect(rulesIn(text, 'markdown')).toEqual([]);
});

test('no sentence of the honest sets is stopped by these rules, as a report or in a body', () => {
  const rules = ['case_number', 'id_card_form', 'coordinates', 'device_address'];
  const inBodies = [...rules, 'number_plate', 'ip_address', 'postal_address'];
  const files = ['names', 'names-sealed', 'names-outside', 'names-seen', 'names-practice', 'honest-prose', 'uploads'];
  const sentences = files.flatMap((name) =>
    readFileSync(new URL(`../../../test/data/scrub/${name}.jsonl`, import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text),
  );
  const stopped = sentences.filter(
    (text) =>
      rulesIn(text, 'free_text').some((rule) => rules.includes(rule)) ||
      rulesIn(text, 'markdown').some((rule) => inBodies.includes(rule)),
  );
  expect([sentences.length > 4000, stopped]).toEqual([true, []]);
});
