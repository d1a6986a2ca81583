import { expect, test } from 'vitest';
import { matchNames } from './provider-names.ts';

const find = matchNames([{ name: 'Lingua Sample', hosts: ['lingua.example.org'] }, 'Acme', { name: 'Ça Va' }]);

test.each([
  ['as it is written', 'Go to Lingua Sample.'],
  ['in another case', 'LINGUA SAMPLE'],
  ['with a hyphen', 'lingua-sample'],
  ['without a space', 'LinguaSample'],
  ['with spaces between letters', 'L i n g u a Sample'],
  ['with signs between words', 'Lingua. Sample'],
  ['with Cyrillic look-alikes', 'Lіnguа Sаmple'],
  ['with accents', 'Língua Sàmple'],
  ['with characters that nobody sees', 'Ling\u200bua Sample'],
  ['by a link to its host', 'see [here](https://lingua.example.org/start)'],
  ['by a link below its host', 'see https://api.lingua.example.org/x'],
])('a provider is found %s', (_, text) => {
  expect(find(text)).toBe('Lingua Sample');
});

test.each([
  'The language sample',
  'multi lingua sampled',
  'acmeology',
  'A-c-m-e',
  'https://example.org/lingua',
  'bilingua samples',
])('%s names nobody', (text) => {
  expect(find(text)).toBeUndefined();
});

test('short names are found as whole words', () => {
  expect([find('ask acme'), find('Ca va?')]).toEqual(['Acme', 'Ça Va']);
});
