import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ThreadMutex } from './thread-mutex.ts';

const THREADS = 3;
const ADDITIONS = 20_000;

// Reads and writes in two steps, so that additions are lost where two threads are at it at once. All begin together.
const ADDER = `
  import { workerData } from 'node:worker_threads';
  const { ThreadMutex } = await import(workerData.module);
  const mutex = new ThreadMutex(workerData.mutex);
  const sum = new Int32Array(workerData.sum);
  for (Atomics.add(sum, 1, 1); Atomics.load(sum, 1) < ${THREADS}; );
  for (let time = 0; time < ${ADDITIONS}; time++) mutex.run(() => {
    const before = sum[0];
    for (let idle = 0; idle < 500; idle++);
    sum[0] = before + 1;
  });
`;

test('only one thread at a time holds the mutex', async () => {
  const data = {
    module: new URL('./thread-mutex.ts', import.meta.url).href,
    mutex: ThreadMutex.memory(),
    sum: new SharedArrayBuffer(8),
  };
  const source = new URL(`data:text/javascript,${encodeURIComponent(ADDER)}`);
  const threads = Array.from({ length: THREADS }, () => new Worker(source, { workerData: data, execArgv: [] }));
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  expect(new Int32Array(data.sum)[0]).toBe(THREADS * ADDITIONS);
});

test('a failure releases the mutex', () => {
  const mutex = new ThreadMutex(ThreadMutex.memory());
  expect(() =>
    mutex.run(() => {
      throw new Error('no room');
    }),
  ).toThrow('no room');
  expect(mutex.run(() => 'next')).toBe('next');
});
