import { expect, it } from 'vitest';
import { type FieldKinds, kindsBy } from './field-kinds.ts';

const FIELDS: FieldKinds = [
  ['/items/*/id', 'closed'],
  ['/items/0/**', 'url'],
  ['/entry/**', 'path_entry'],
  ['/a~1b', 'markdown'],
];

it.each([
  ['/items/3/id', 'closed'],
  ['/items/0/id', 'closed'],
  ['/items/0', 'url'],
  ['/items/0/x/y', 'url'],
  ['/items/1/x', 'free_text'],
  ['/entry', 'path_entry'],
  ['/entry/sources/0/url', 'path_entry'],
  ['/entryx', 'free_text'],
  ['', 'free_text'],
])('[civic:PV5] the first pattern that fits gives the kind: %s is %s', (pointer, kind) => {
  expect(kindsBy(FIELDS)(pointer.split('/').slice(1))).toBe(kind);
});

it('a pattern is a JSON pointer with its escapes', () => {
  expect(kindsBy(FIELDS)(['a/b'])).toBe('markdown');
});
