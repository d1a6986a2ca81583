import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../testing/arbitraries.ts';
import { foldWord } from './fold-word.ts';
import { readFrontMatter } from './front-matter.ts';
import { commonIn, LANGUAGES, type Language, languageOf, stemOf } from './languages.ts';
import { documentWords, queryWords } from './search-terms.ts';

test.each([
  ['caresses', 'caress'],
  ['ponies', 'poni'],
  ['agreed', 'agre'],
  ['plastered', 'plaster'],
  ['motoring', 'motor'],
  ['conflated', 'conflat'],
  ['hopping', 'hop'],
  ['filing', 'file'],
  ['happy', 'happi'],
  ['relational', 'relat'],
  ['digitizer', 'digit'],
  ['triplicate', 'triplic'],
  ['adjustable', 'adjust'],
  ['controlling', 'control'],
  ['probate', 'probat'],
  ['sky', 'sky'],
])('the English stem of %s is %s', (word, stem) => {
  expect(stemOf(word, 'en')).toBe(stem);
});

test.each<[Language, string]>([
  ['en', 'install installs installed installing'],
  ['en', 'configure configured configures configuring'],
  ['fr', 'installer installez installee installation installations'],
  ['fr', 'serveur serveurs'],
  ['fr', 'cheval chevaux'],
  ['fr', 'sauvegarde sauvegardes sauvegarder sauvegardee'],
  ['nl', 'server servers'],
  ['nl', 'zaal zalen'],
  ['nl', 'kosten kost'],
  ['nl', 'instelling instellingen'],
  ['de', 'knoten knotens'],
  ['de', 'anmeldung anmeldungen'],
  ['de', 'gesperrt gesperrte gesperrten'],
])('in %s these are one word: %s', (language, words) => {
  expect(new Set(words.split(' ').map((word) => stemOf(word, language))).size).toBe(1);
});

test.each<[Language, string]>([
  ['en', 'policy police'],
  ['en', 'node note'],
  ['fr', 'port porte porc'],
  ['nl', 'zaal zeel'],
  ['de', 'konto kante'],
])('in %s these stay apart from the first: %s', (language, words) => {
  const [first, ...others] = words.split(' ').map((word) => stemOf(word, language));
  if (language === 'fr') expect(others.at(-1)).not.toBe(first);
  else expect(others).not.toContain(first);
});

test('a stem of any word is not empty, is no longer than it by more than a letter, and the same every time', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{3,20}$/), fc.constantFrom(...LANGUAGES), (word, language) => {
      const stem = stemOf(word, language);
      expect(stem.length).toBeGreaterThan(0);
      expect(stem.length).toBeLessThanOrEqual(word.length + 1);
      expect(stemOf(word, language)).toBe(stem);
    }),
    { numRuns: 20 * propertyRuns },
  );
});

test('accents of Latin letters are folded, and marks of other scripts stay', () => {
  expect(['été', 'Straße', 'œuvre', 'čeština', 'naïve', 'việt'].map((word) => foldWord(word.toLowerCase()))).toEqual([
    'ete',
    'strasse',
    'oeuvre',
    'cestina',
    'naive',
    'viet',
  ]);
  expect(foldWord('हिन्दी')).toBe('हिन्दी');
  expect(foldWord('ภาษาไทย')).toBe('ภาษาไทย');
});

test('text without blanks is compared by pairs of characters, and a query of one character finds them', () => {
  expect(documentWords('入館証のAPI')).toEqual(['入館', '館証', '証の', '入', '館', '証', 'の', 'api']);
  expect(queryWords('入館証')).toEqual(['入館', '館証']);
  expect(queryWords('館')).toEqual(['館']);
  expect(queryWords('ＡＰＩ１２ 서버를')).toEqual(['api12', '서버', '버를']);
});

const hitsOf = (text: string) =>
  LANGUAGES.map((_, number) => documentWords(text).filter((word) => (commonIn(word) & (1 << number)) !== 0).length);

test.each<[string | undefined, string, string, Language]>([
  [undefined, 'a.md', 'This is the way in which the server is set up for you.', 'en'],
  [undefined, 'a.md', 'Le serveur est installé dans la salle des machines avec les autres.', 'fr'],
  [undefined, 'a.md', 'De server staat in de zaal en wordt met het net verbonden.', 'nl'],
  [undefined, 'a.md', 'Der Server steht in dem Raum und wird mit dem Netz verbunden.', 'de'],
  ['nl-BE', 'a.md', 'the of and with this', 'nl'],
  ['xx', 'docs/fr/a.md', 'rien', 'fr'],
  [undefined, 'docs/de_de/a.md', 'kubectl', 'de'],
  [undefined, 'fr.md', 'kubectl', 'en'],
])('a document that says %j, at %s, with %j is in %s', (told, path, text, language) => {
  expect(languageOf(told, path, hitsOf(text))).toBe(language);
});

test.each([
  ['---\ntitle: "A: b"\nlang: fr\n---\n# x', { title: 'A: b', language: 'fr', length: 31 }],
  ['+++\ntitle = "T"\n+++\nx', { title: 'T', language: undefined, length: 20 }],
  ['---\r\ntitle: Plain # comment\r\n---\r\nx', { title: 'Plain', language: undefined, length: 34 }],
  ['---\ntitle: >\n  folded\n---\n', { title: undefined, language: undefined, length: 26 }],
  ['---\nno end', { title: undefined, language: undefined, length: 0 }],
  ['# plain', { title: undefined, language: undefined, length: 0 }],
])('the front matter of %j is read', (content, matter) => {
  expect(readFrontMatter(content)).toEqual(matter);
});
