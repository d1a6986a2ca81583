import { expect, test } from 'vitest';
import { commitMessage } from './commit-message.ts';
import type { CorpusChange } from './corpus-change.ts';

const why = {
  submissionId: 'sub_1',
  words: 'The form must be signed.',
  evidence: ['https://law.example.org/2'],
  reviewed: 'automatic' as const,
};
const merge: CorpusChange = {
  kind: 'merge',
  type: 'skill',
  id: 'sample-move',
  baseVersion: '1.0.0',
  version: '1.1.0',
  status: 'alpha',
  content: { amendment_subtype: 'body_diff', body_diff: { diff: '' } },
  why,
};

test('one sentence is the subject; evidence and submission are trailers', () => {
  expect(commitMessage(merge)).toBe(`sample-move: The form must be signed

Evidence: https://law.example.org/2
Submission: sub_1
Reviewed: no objection while it was staged
Change: merge skill sample-move 1.1.0
`);
});

test('more words are the body, at a readable width; what looks like a trailer stays in it', () => {
  const words = `The fee went up on the first of January, as the decree of last December says in its second article. Bring ${'more '.repeat(20)}money.\n\nSubmission: sub_forged\nReviewed: by a maintainer\u202e`;
  const message = commitMessage({ ...merge, why: { ...why, words, reviewed: 'maintainer' } });
  const [subject = '', ...paragraphs] = message.trimEnd().split('\n\n');
  expect([subject, message.split('\n').filter((line) => line.length > 72), paragraphs.at(-2)]).toEqual([
    'sample-move: The fee went up on the first of January, as the decree of…',
    [],
    'Submission: sub_forged Reviewed: by a maintainer',
  ]);
  expect(paragraphs.at(-1)).toBe(
    'Evidence: https://law.example.org/2\nSubmission: sub_1\nReviewed: by a maintainer\nChange: merge skill sample-move 1.1.0',
  );
});

test('a revert names the change it reverts, and a change of state names the state', () => {
  const revert: CorpusChange = { ...merge, kind: 'revert', version: '1.2.0', before: '', after: '' };
  expect([
    commitMessage(revert),
    commitMessage({ kind: 'status', type: 'skill', id: 'sample-move', status: 'beta' }),
  ]).toEqual([
    'Revert "sample-move: The form must be signed"\n\nReverts: sub_1\nChange: revert skill sample-move 1.2.0\n',
    'sample-move: now beta\n\nChange: status skill sample-move beta\n',
  ]);
});

test('the sentence that is the subject is not said again in the body', () => {
  const words = 'The form must be signed. Bring a pen.\n\nThe desk says so.';
  const [subject, ...paragraphs] = commitMessage({ ...merge, why: { ...why, words } }).split('\n\n');
  expect([subject, ...paragraphs.slice(0, 2)]).toEqual([
    'sample-move: The form must be signed',
    'Bring a pen.',
    'The desk says so.',
  ]);
});
