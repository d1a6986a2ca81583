import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referencePages, troubleshootPage } from '../../scripts/reference.ts';
import { root } from '../support/repository.ts';

test.each(Object.entries(referencePages()))(
  'docs/reference/%s says what the code does (else: npm run docs)',
  (name, page) => {
    expect(readFileSync(join(root, 'docs', 'reference', name), 'utf8')).toBe(page);
  },
);

test('the guide for troubles has every error with its cause and remedy (else: npm run docs)', () => {
  const page = readFileSync(join(root, 'docs', 'guides', 'troubleshoot.md'), 'utf8');
  expect(page).toBe(troubleshootPage(page));
});
