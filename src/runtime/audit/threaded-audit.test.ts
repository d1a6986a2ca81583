import { expect, test } from 'vitest';
import { byteStream } from '../../contract/byte-stream.ts';
import { UP_LIMITS } from '../limits.ts';
import { AuditTurns } from './threaded-audit.ts';

const busy = expect.objectContaining({ code: 'AUDIT_BUSY' });

async function* numbers(until: number): AsyncGenerator<number> {
  for (let at = 0; at < until; at += 1) yield at;
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Work that ends when told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: () => resolve('done') };
}

test('a caller has one turn at a time, other callers have theirs, and a few in all', async () => {
  const turns = new AuditTurns();
  const callers = Array.from({ length: UP_LIMITS.auditReadersMax }, (_, at) => `caller ${at}`);
  const works = callers.map(() => held());
  const running = callers.map((caller, at) => turns.run(caller, (works[at] as ReturnType<typeof held>).work));
  await expect(turns.run('caller 0', async () => 1)).rejects.toEqual(busy);
  await expect(turns.run('one more', async () => 1)).rejects.toEqual(busy);
  works[0]?.end();
  await running[0];
  expect(await turns.run('one more', async () => 1)).toBe(1);
  for (const { end } of works) end();
  expect(await Promise.all(running)).toEqual(callers.map(() => 'done'));
});

test('a turn ends with the last item, with a failure, and when the reader leaves', async () => {
  const turns = new AuditTurns();
  const stream = () =>
    byteStream(
      turns.items('ada', () => numbers(3)),
      (item) => `${item}\n`,
    );
  expect(await new Response(stream()).text()).toBe('0\n1\n2\n');
  const left = stream();
  expect(() => turns.items('ada', () => numbers(1))).toThrow(busy);
  await left.cancel();
  const failing = turns.items('ada', async function* () {
    yield 1;
    throw new Error('the disk is gone');
  });
  await expect(collected(failing)).rejects.toThrow('the disk is gone');
  expect(await collected(turns.items('ada', () => numbers(2)))).toEqual([0, 1]);
});
