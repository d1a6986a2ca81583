import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { UP_LIMITS } from '../limits.ts';
import { ToolCounter } from './tool-counter.ts';

const tool = (name: string, json = name) => ({ name, json }) as ToolEntry;

function open(prepare = () => true, saveTokens?: () => void) {
  const log = createMemoryLog();
  const database = new DatabaseSync(':memory:');
  const saved: { name: string; owner: string; tokens: number }[][] = [];
  const counter = new ToolCounter({
    registry: {
      saveTokens: (tools) => {
        saveTokens?.();
        saved.push([...tools]);
      },
    },
    database,
    log,
    count: ({ length }) => length,
    prepare,
    countAfterMs: 1,
  });
  return { saved, counter, log, database };
}

test('the newest definition of each tool is counted, for each owner', async () => {
  const { saved, counter } = open();
  counter.add([tool('a', 'old text'), tool('b')], '');
  counter.add([tool('a', 'theirs')], 'someone');
  counter.add([tool('a', 'new')], '');
  while (saved.length === 0) await wait(1);
  expect(saved).toEqual([
    [
      { name: 'a', owner: '', tokens: 3 },
      { name: 'b', owner: '', tokens: 1 },
      { name: 'a', owner: 'someone', tokens: 6 },
    ],
  ]);
});

test('many tools are counted a hundred at a time, and none after the end', async () => {
  const { saved, counter } = open();
  const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => tool(`t${from + at}`));
  counter.add(names(0, 250), '');
  while (saved.length < 3) await wait(1);
  counter.add(names(250, 260), '');
  counter.end();
  await wait(20);
  expect(saved.map(({ length }) => length)).toEqual([100, 100, 50]);
});

test('of tools with long texts fewer are counted at a time, but one at least', async () => {
  const { saved, counter } = open();
  const long = (name: string, chars: number) => tool(name, 'x'.repeat(chars));
  counter.add([long('a', 60_000), long('b', 40_000), long('c', 1), long('d', 300_000), long('e', 1)], '');
  while (saved.length < 4) await wait(1);
  expect(saved.map((tools) => tools.map(({ name }) => name))).toEqual([['a', 'b'], ['c'], ['d'], ['e']]);
});

test('nothing is counted before the tokenizer is ready, which is made a step a turn', async () => {
  const steps: number[] = [];
  const { saved, counter } = open(() => steps.push(saved.length) === 3);
  counter.add([tool('a')], '');
  while (saved.length === 0) await wait(1);
  expect([steps, saved]).toEqual([[0, 0, 0], [[{ name: 'a', owner: '', tokens: 1 }]]]);
});

test('counts that cannot be kept are counted again, after a longer pause', async () => {
  vi.useFakeTimers();
  try {
    let failures = 2;
    const { saved, counter, log, database } = open(undefined, () => {
      if (failures === 0) return;
      failures -= 1;
      if (failures === 0) database.exec('DROP TRIGGER full');
      throw new Error('disk is full');
    });
    database.exec("CREATE TRIGGER full BEFORE INSERT ON token_counts BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    counter.add([tool('a')], '');
    await vi.advanceTimersByTimeAsync(1 + UP_LIMITS.countTokensAgainMs - 1);
    expect([failures, saved]).toEqual([1, []]);
    await vi.advanceTimersByTimeAsync(2 * UP_LIMITS.countTokensAgainMs);
    expect(saved).toEqual([[{ name: 'a', owner: '', tokens: 1 }]]);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'cannot store token counts; they will be counted again',
      'token counts are stored again',
    ]);
  } finally {
    vi.useRealTimers();
  }
});
