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
  ['with a space that is spelled', 'Lingua&nbsp;Sample does it'],
  ['with a letter that is spelled', 'Lingu&#97; Sample does it'],
  ['with a digit for a letter', 'L1ngua Sample does it'],
  ['with one for an l', 'Lingua Samp1e does it'],
  ['the other way round', 'SampleLingua does it'],
  ['by the word that no other name has', 'Ask Lingua for it.'],
  ['by that word with a digit', 'Ask L1ngua for it.'],
  ['by a link to its host', 'see [here](https://lingua.example.org/start)'],
  ['by a link below its host', 'see https://api.lingua.example.org/x'],
])('a provider is found %s', (_, text) => {
  expect(find(text)).toBe('Lingua Sample');
});

test.each([
  'The language sample',
  'Sample forms are at the desk.',
  'The lingua franca is French.',
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
