import { expect, test } from 'vitest';
import { hideErased } from './hide-erased.ts';
import type { SiteChange } from './site-source.ts';

const FILE = 'skills/sample-move/canonical.md';
const change = (id: string, body: string, diff: string, subject = `Subject of ${id}`): SiteChange => ({
  id: id.padEnd(40, '0'),
  at: 0,
  subject,
  body,
  files: [{ path: FILE, diff }],
});
const MERGE = change(
  'a',
  'Because.\n\nSubmission: sub_1\nReviewed: by a maintainer\nChange: merge skill sample-move 1.1.0',
  '@@ -1,3 +1,3 @@\n-version: 1.0.0\n+version: 1.1.0\n Bring the card.\n-Bring the form.\n+Call Jan at 0475 12 34 56.\n',
);
const NEXT = change(
  'b',
  'Submission: sub_2\nChange: merge skill sample-move 1.2.0',
  '@@ -1,4 +1,4 @@ Call Jan at 0475 12 34 56.\n-version: 1.1.0\n+version: 1.2.0\n Call Jan at 0475 12 34 56.\n-Bring the form.\n+Bring two forms.\n',
);
const REVERT = change(
  'c',
  'Reverts: sub_1\nChange: revert skill sample-move 1.3.0',
  '@@ -1 +1 @@\n-Call Jan at 0475 12 34 56.\n+Bring the form.\n',
  'Revert "sample-move: Jan Peeters says so"',
);
const shownIn = (history: readonly SiteChange[], ids: readonly string[]) =>
  JSON.stringify(hideErased(history, new Set(ids)));

test('a merge and its revert lose their words and diffs once the submission is erased', () => {
  const [revert, , merge] = hideErased([REVERT, NEXT, MERGE], new Set(['sub_1'])) ?? [];
  const empty = { at: 0, subject: '', body: '', files: [{ path: FILE, diff: '' }], isErased: true };
  expect([revert, merge]).toEqual([
    { ...empty, id: REVERT.id },
    { ...empty, id: MERGE.id },
  ]);
});

test('another change of the file keeps its own lines, without the erased ones around them', () => {
  const [, next] = hideErased([REVERT, NEXT, MERGE], new Set(['sub_1'])) ?? [];
  expect(next?.files[0]?.diff).toBe(
    '@@ -1,4 +1,4 @@\n-version: 1.1.0\n+version: 1.2.0\n [redacted]\n-Bring the form.\n+Bring two forms.\n',
  );
});

test('a branch that a keeper merged, and a revert by git itself, are found too', () => {
  const { files } = MERGE;
  const merged = { ...change('d', '', ''), subject: "Merge branch 'civic/sub_1'", files };
  const undone = change('e', `This reverts commit ${merged.id}.`, '@@ -1 +1 @@\n-Call Jan at 0475 12 34 56.\n');
  expect(shownIn([undone, merged], ['sub_1'])).not.toMatch(/0475/);
});

test('nothing is hidden for other submissions', () => {
  const history = [REVERT, NEXT, MERGE];
  expect([hideErased(history, new Set(['sub_3'])), hideErased(undefined, new Set(['sub_1']))]).toEqual([
    history,
    undefined,
  ]);
});
