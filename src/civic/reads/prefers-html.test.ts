import { expect, test } from 'vitest';
import { prefersHtml } from './prefers-html.ts';

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ['*/*', false],
  ['text/markdown', false],
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
  ['text/markdown, text/html;q=0.9', false],
  ['text/markdown;q=0.5, text/html;q=0.9', true],
  ['text/html, text/plain', false],
  ['text/html;q=0', false],
  ['text/html;q=x', false],
  ['application/json', false],
])('Accept: %s', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected);
});
