import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { STORE_LIMITS } from '../limits.ts';
import { SlicedRows } from './sliced-rows.ts';

const { rowsAtOnce } = STORE_LIMITS;
const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Rows that were written, one list for each transaction. */
function sliced(fails: () => boolean = () => false) {
  const log = createMemoryLog();
  const slices: number[][] = [[]];
  const rows = new SlicedRows({
    log,
    together: (work) => {
      slices.push([]);
      if (fails()) throw new Error('locked');
      work();
    },
  });
  const write = (row: number) => void slices.at(-1)?.push(row);
  return { rows, slices, write, log };
}

test('a short list is written at once, and a long one in slices, each in a turn and a transaction of its own', async () => {
  const { rows, slices, write } = sliced();
  let ended = 0;
  const atEnd = () => {
    ended += 1;
  };
  rows.of('short')(rowsOf(rowsAtOnce), write, atEnd);
  expect([slices.map(({ length }) => length), ended]).toEqual([[rowsAtOnce], 1]);
  rows.of('long')(rowsOf(2 * rowsAtOnce + 1), write, atEnd);
  expect([slices.map(({ length }) => length), ended]).toEqual([[2 * rowsAtOnce], 1]);
  await nextTurn();
  expect([slices.map(({ length }) => length), ended]).toEqual([[2 * rowsAtOnce, rowsAtOnce], 1]);
  await nextTurn();
  expect([slices.map(({ length }) => length), ended]).toEqual([[2 * rowsAtOnce, rowsAtOnce, 1], 2]);
  expect(slices.flat().slice(rowsAtOnce)).toEqual(rowsOf(2 * rowsAtOnce + 1));
});

test('the rest of a list is written at once when it is needed, and not at all when it was dropped', async () => {
  const { rows, slices, write } = sliced();
  rows.later('needed', () => rows.of('needed')(rowsOf(3 * rowsAtOnce), write));
  rows.of('dropped')(rowsOf(2 * rowsAtOnce), () => write(-1));
  rows.drop('dropped');
  rows.flush('needed');
  rows.flush('unknown');
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(slices.flat().filter((row) => row >= 0)).toEqual(rowsOf(3 * rowsAtOnce));
  expect(slices.flat().filter((row) => row < 0)).toHaveLength(rowsAtOnce);
});

test('a slice that cannot be written is logged and ends its own list only', async () => {
  let failures = 1;
  const { rows, slices, write, log } = sliced(() => {
    failures -= 1;
    return failures >= 0;
  });
  for (const list of ['bad', 'good']) rows.of(list)(rowsOf(2 * rowsAtOnce), write);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(slices.map(({ length }) => length)).toEqual([2 * rowsAtOnce, 0, rowsAtOnce]);
  expect(log.lines).toMatchObject([{ level: 'warn', fields: { server: 'bad' } }]);
});
