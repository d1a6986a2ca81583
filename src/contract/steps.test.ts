import { expect, test } from 'vitest';
import { finish, inTurns } from './steps.ts';

function* counting(done: number[]) {
  for (let step = 0; step < 3; step += 1) yield done.push(step);
  return done;
}

test('work is finished at once, or with a turn for others at each pause', async () => {
  const turns: number[][] = [];
  const done: number[] = [];
  const value = await inTurns(counting(done), async () => void turns.push([...done]));
  expect([finish(counting([])), value, turns]).toEqual([
    [0, 1, 2],
    [0, 1, 2],
    [[0], [0, 1], [0, 1, 2]],
  ]);
});
