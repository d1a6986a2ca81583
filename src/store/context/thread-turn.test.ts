import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ThreadTurn } from './thread-turn.ts';

const THREADS = 3;
const ADDITIONS = 20_000;

// Reads and writes in two steps, so that additions are lost where two threads are at it at once. All begin together.
const ADDER = `
  import { workerData } from 'node:worker_threads';
  const { ThreadTurn } = await import(workerData.module);
  const turn = new ThreadTurn(workerData.turn);
  const sum = new Int32Array(workerData.sum);
  for (Atomics.add(sum, 1, 1); Atomics.load(sum, 1) < ${THREADS}; );
  for (let time = 0; time < ${ADDITIONS}; time++) turn.run(() => {
    const before = sum[0];
    for (let idle = 0; idle < 500; idle++);
    sum[0] = before + 1;
  });
`;

test('only one thread at a time has its turn', async () => {
  const data = {
    module: new URL('./thread-turn.ts', import.meta.url).href,
    turn: ThreadTurn.memory(),
    sum: new SharedArrayBuffer(8),
  };
  const source = new URL(`data:text/javascript,${encodeURIComponent(ADDER)}`);
  const threads = Array.from({ length: THREADS }, () => new Worker(source, { workerData: data, execArgv: [] }));
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  expect(new Int32Array(data.sum)[0]).toBe(THREADS * ADDITIONS);
});

test('a turn that fails is over', () => {
  const turn = new ThreadTurn(ThreadTurn.memory());
  expect(() =>
    turn.run(() => {
      throw new Error('no room');
    }),
  ).toThrow('no room');
  expect(turn.run(() => 'next')).toBe('next');
});
