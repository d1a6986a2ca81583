import { expect, test } from 'vitest';
import type { FieldKinds } from './field-kinds.ts';
import { scrubSubmission } from './scrub-submission.ts';

const KINDS: FieldKinds = [
  ['/path/*', 'path_entry'],
  ['/closed/*', 'closed'],
  ['/url/*', 'url'],
];
const RUN = 'number 7391826405';
const MAIL = 'ask jan@mail.example';
/** The rules that fire in a key of each kind of field, by what follows. */
const found = (key: string) =>
  Object.fromEntries(
    ['path', 'closed', 'url', 'free'].map((field) => {
      const { rejects, advisories } = scrubSubmission({ [field]: { [key]: true } }, KINDS);
      return [field, { rejects: rejects.map(({ rule }) => rule), advisories: advisories.map(({ rule }) => rule) }];
    }),
  );

test('[civic:PV5] a long number in a key is refused in a path, and advised against elsewhere', () => {
  const advised = { rejects: [], advisories: ['long_digit_run'] };
  expect(found(RUN)).toEqual({
    path: { rejects: ['long_digit_run'], advisories: [] },
    closed: advised,
    url: advised,
    free: advised,
  });
});

test('[civic:PV5] a key is checked whatever its value, even if values are not', () => {
  const refused = { rejects: ['email'], advisories: [] };
  expect(found(MAIL)).toEqual({ path: refused, closed: refused, url: refused, free: refused });
});
