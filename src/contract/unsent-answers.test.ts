import { expect, test } from 'vitest';
import { UnsentAnswers } from './unsent-answers.ts';

const limits = { unsentBytesPerConnectionMax: 100, unsentBytesMax: 300 };

function connectionOf(closed: string[], name: string) {
  return { destroy: () => closed.push(name) };
}

test('what waits is counted until it was taken, once', () => {
  const unsent = new UnsentAnswers(limits);
  const connection = connectionOf([], 'a');
  const [first, second] = [unsent.add(connection, 40), unsent.add(connection, 60)];
  expect(unsent.waiting).toEqual({ bytes: 100, answers: 2 });
  first();
  first();
  second();
  expect(unsent.waiting).toEqual({ bytes: 0, answers: 0 });
});

test('a connection with too much is closed, one answer alone is not too much, and others stay', () => {
  const unsent = new UnsentAnswers(limits);
  const closed: string[] = [];
  const told: string[] = [];
  const [a, b] = [connectionOf(closed, 'a'), connectionOf(closed, 'b')];
  unsent.add(a, 150, (reason) => told.push(`first ${reason}`));
  unsent.add(b, 50);
  expect(closed).toEqual([]);
  unsent.add(a, 1, (reason) => told.push(`second ${reason}`));
  expect([closed, told]).toEqual([['a'], ['first connection_bytes', 'second connection_bytes']]);
  expect(unsent.waiting).toEqual({ bytes: 50, answers: 1 });
});

test('where all connections have too much together, the one that has waited longest is closed', () => {
  const unsent = new UnsentAnswers(limits);
  const closed: string[] = [];
  const [first] = ['a', 'b', 'c'].map((name) => unsent.add(connectionOf(closed, name), 100));
  expect(closed).toEqual([]);
  first?.();
  unsent.add(connectionOf(closed, 'd'), 100);
  expect(closed).toEqual([]);
  unsent.add(connectionOf(closed, 'e'), 1);
  expect([closed, unsent.waiting]).toEqual([['b'], { bytes: 201, answers: 3 }]);
});
