import { expect, test } from 'vitest';
import { Questions } from './questions.ts';

test('ids of questions cannot be guessed, and name their node', async () => {
  const questions = new Questions('node-1');
  const ids: string[] = [];
  const ending = new AbortController();
  const asked = Array.from({ length: 200 }, () =>
    questions.ask('roots/list', {}, (bytes) => ids.push(JSON.parse(Buffer.from(bytes).toString()).id), [ending.signal]),
  );
  const secrets = ids.map((id) => /^bindery-node-1-([0-9a-f]{24})$/.exec(id)?.[1] ?? '');
  const steps = secrets.slice(1).map((secret, at) => BigInt(`0x${secret}`) - BigInt(`0x${secrets[at]}`));
  expect([new Set(secrets).size, new Set(steps).size]).toEqual([200, 199]);
  ending.abort();
  await Promise.allSettled(asked);
});

test('only the answer to a question that waits is taken, once', async () => {
  const questions = new Questions('n');
  let id = '';
  const asked = questions.ask(
    'roots/list',
    {},
    (bytes) => {
      id = JSON.parse(Buffer.from(bytes).toString()).id;
    },
    [],
  );
  const answer = (to: string) => questions.answer({ kind: 'response', id: to, result: { roots: [] } } as never);
  expect([answer(`${id}0`), answer(id), answer(id), await asked]).toEqual([false, true, false, { roots: [] }]);
});
