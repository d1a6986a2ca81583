import { expect, test } from 'vitest';
import { CONNECTION_LIMITS } from '../connection/limits.ts';
import { LargeBodies } from './large-bodies.ts';

test('a few bodies get slots, others wait in order, and one that leaves the queue takes none', () => {
  const bodies = new LargeBodies();
  const told: string[] = [];
  const body = (name: string) => () => void told.push(name);
  const first = Array.from({ length: CONNECTION_LIMITS.largeBodiesMax }, (_, at) => body(`first ${at}`));
  const [a, b, c] = [body('a'), body('b'), body('c')];
  expect(first.map((each) => bodies.acquire(each))).toEqual(first.map(() => true));
  expect([a, b, c].map((each) => bodies.acquire(each))).toEqual([false, false, false]);
  bodies.release(a);
  bodies.release(first[0] as () => void);
  expect(told).toEqual(['b']);
  for (const each of [...first.slice(1), b]) bodies.release(each);
  expect(told).toEqual(['b', 'c']);
  bodies.release(c);
  expect(first.map((each) => bodies.acquire(each))).toEqual(first.map(() => true));
});
