import { expect, test } from 'vitest';
import { abortSignalOf, Cancellation } from './cancellation.ts';

test('whoever listens is told once, with the first reason; whoever left or came too late is not', () => {
  const cancellation = new Cancellation();
  const told: string[] = [];
  const leaving = () => told.push('left');
  cancellation.addEventListener('abort', () => told.push(`first: ${cancellation.reason}`));
  cancellation.addEventListener('abort', leaving);
  cancellation.removeEventListener('abort', leaving);
  cancellation.abort('enough');
  cancellation.addEventListener('abort', () => told.push('late'));
  cancellation.abort('again');
  expect([told, cancellation.aborted, cancellation.reason]).toEqual([['first: enough'], true, 'enough']);
});

test('one that listens may leave while all are told', () => {
  const cancellation = new Cancellation();
  const told: number[] = [];
  const first = () => {
    told.push(1);
    cancellation.removeEventListener('abort', first);
  };
  cancellation.addEventListener('abort', first);
  cancellation.addEventListener('abort', () => told.push(2));
  cancellation.abort();
  expect(told).toEqual([1, 2]);
});

test('without a reason it is the one of an abort signal, the same for all, and throws as such', () => {
  const cancellation = new Cancellation();
  cancellation.throwIfAborted();
  cancellation.abort();
  const another = new Cancellation();
  another.abort();
  expect([cancellation.reason, another.reason === cancellation.reason]).toMatchObject([{ name: 'AbortError' }, true]);
  expect(() => cancellation.throwIfAborted()).toThrow('aborted');
});

test('as a signal of the engine it ends with the same reason, now or later, and one of the engine stays itself', () => {
  const cancellation = new Cancellation();
  const before = abortSignalOf(cancellation);
  const was = before.aborted;
  cancellation.abort('enough');
  const after = abortSignalOf(cancellation);
  const { signal } = new AbortController();
  expect([was, before.reason, after.reason, abortSignalOf(signal) === signal]).toEqual([
    false,
    'enough',
    'enough',
    true,
  ]);
});
