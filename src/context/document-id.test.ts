import { expect, test } from 'vitest';
import { toDocumentId } from './document-id.ts';

test.each([
  ['Docs/Guide.md', 'docs/guide.md'],
  ['a\\B.md', 'a/b.md'],
  ['././a.md', 'a.md'],
  ['.\\a.md', 'a.md'],
  ['ÉTÉ/ΟΔΟΣ Α.md', 'été/οδος α.md'],
  ['a/./b.md', 'a/./b.md'],
])('[context:D2] %s has the id %s', (path, id) => {
  expect(toDocumentId(path)).toBe(id);
});
