import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import type { UpstreamError } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { isInputRequired, runInputRounds } from './input-rounds.ts';

vi.mock('node:timers/promises', () => import('../testing/fakeable-timers.ts'));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const asking = (inputRequests: unknown, more: object = {}) => ({
  resultType: 'input_required',
  inputRequests,
  ...more,
});

/** Goes through these answers of a server, one for each round. */
function rounds(...answers: readonly JsonObject[]) {
  const [first = {}, ...later] = answers;
  const seen = { asked: [] as unknown[], repeated: [] as JsonObject[] };
  const stop = new AbortController();
  const ended = runInputRounds(first, {
    signal: stop.signal,
    ask: async (question) => {
      seen.asked.push(question);
      return { action: question.method };
    },
    repeat: async (further) => {
      seen.repeated.push(further);
      return later[seen.repeated.length - 1] ?? { done: true };
    },
  }).catch((error: UpstreamError) => [error.kind ?? error.name]);
  return { ended, seen, stop };
}

test('a complete answer is returned unchanged; a question is answered, and the call repeated with the answers and the state', async () => {
  expect([isInputRequired({ resultType: 'complete' }), isInputRequired({}), isInputRequired(asking({}))]).toEqual([
    false,
    false,
    true,
  ]);
  const complete = rounds({ resultType: 'complete' });
  expect([await complete.ended, complete.seen]).toEqual([{ resultType: 'complete' }, { asked: [], repeated: [] }]);
  const questions = { a: { method: 'm', params: { x: 1 } }, b: { method: 'n', params: 'no object' } };
  const { ended, seen } = rounds(asking(questions, { requestState: 's1' }), asking({ c: { method: 'o' } }), {
    done: true,
  });
  expect([await ended, seen]).toEqual([
    { done: true },
    {
      asked: [{ method: 'm', params: { x: 1 } }, { method: 'n' }, { method: 'o' }],
      repeated: [
        { inputResponses: { a: { action: 'm' }, b: { action: 'n' } }, requestState: 's1' },
        { inputResponses: { c: { action: 'o' } } },
      ],
    },
  ]);
});

test('a result without questions is repeated after a pause, which the caller can abort', async () => {
  const { ended, seen } = rounds(asking(undefined, { requestState: 's' }), { done: true });
  await vi.advanceTimersByTimeAsync(LIMITS.inputRetryMs - 1);
  const before = seen.repeated.length;
  await vi.advanceTimersByTimeAsync(1);
  expect([before, await ended, seen.repeated]).toEqual([0, { done: true }, [{ requestState: 's' }]]);
  const given = rounds(asking({}));
  given.stop.abort();
  expect([await given.ended, given.seen.repeated]).toEqual([['AbortError'], []]);
});

test('the number of rounds is limited, and a malformed question is a bad answer', async () => {
  const question = asking({ a: { method: 'm' } });
  const all = (count: number) => rounds(...Array.from({ length: count }, () => question), { done: true });
  const [most, more] = [all(LIMITS.inputRoundsMax), all(LIMITS.inputRoundsMax + 1)];
  expect([await most.ended, await more.ended, more.seen.repeated.length]).toEqual([
    { done: true },
    ['bad_answer'],
    LIMITS.inputRoundsMax,
  ]);
  const wrong = [
    rounds(asking({ a: 7 })),
    rounds(asking({ a: null })),
    rounds(asking({ a: { method: 7 } })),
    rounds(asking({ a: {} })),
  ];
  for (const { ended, seen } of wrong) expect([await ended, seen.asked]).toEqual([['bad_answer'], []]);
});
