import { expect, test } from 'vitest';
import type { Approval } from '../../gateway/approval/approval.ts';
import { AskedQuestions } from './waiting-calls.ts';

const question = (id: string, session: string | null) =>
  ({ id, session, caller: 'local', client: null }) as unknown as Approval;
const ids = (asked: AskedQuestions) => asked.left().map(({ id }) => id);

test('a question is left when the last call that waits for it was left, and taken up again by the next', () => {
  const asked = new AskedQuestions();
  for (const id of ['a', 'a', 'b']) asked.begin(question(id, 's'));
  asked.end('a', true);
  const withOne = ids(asked);
  asked.end('a', true);
  asked.end('b', false);
  const afterwards = ids(asked);
  asked.begin(question('a', 's'));
  expect([withOne, afterwards, ids(asked)]).toEqual([[], ['a'], []]);
});

test('a session that ends leaves its questions, but for those that others wait for and those that are settled', () => {
  const asked = new AskedQuestions();
  for (const [id, session] of [
    ['a', 's'],
    ['b', 's'],
    ['c', 's'],
    ['d', 'other'],
  ] as const)
    asked.begin(question(id, session));
  for (const id of ['a', 'c', 'd']) asked.end(id, false);
  asked.remove('c');
  asked.endSession('s');
  expect(asked.left()).toEqual([{ id: 'a', caller: 'local', session: 's', party: 'local\ns' }]);
});
