import { expect, test } from 'vitest';
import { UP_LIMITS } from '../limits.ts';
import { KeptEvents } from './event-streams.ts';

const MEGABYTE = 1024 * 1024;

/** As many as are kept of so many events of a size. */
function keptOf(count: number, bytes: number): number {
  const events = new KeptEvents();
  for (let added = 0; added < count; added += 1) events.add(() => new Uint8Array(bytes));
  let kept = 0;
  while (events.after(count - kept - 1)) kept += 1;
  return kept;
}

test('events kept for reconnecting readers are bounded in number and bytes', () => {
  expect([keptOf(5, 10), keptOf(UP_LIMITS.eventsKeptMax + 5, 10)]).toEqual([5, UP_LIMITS.eventsKeptMax]);
  expect(keptOf(50, MEGABYTE) * MEGABYTE).toBe(UP_LIMITS.eventBytesKeptMax);
  expect(keptOf(3, UP_LIMITS.eventBytesKeptMax + 1)).toBe(0);
});

test('a reader gets the events after its id, and nothing if the id is unknown', () => {
  const events = new KeptEvents();
  for (let added = 0; added < 3; added += 1) events.add((id) => Uint8Array.of(id));
  expect([0, 1, 3, 4].map((id) => events.after(id)?.map(([first]) => first))).toEqual([
    [1, 2, 3],
    [2, 3],
    [],
    undefined,
  ]);
  events.add(() => new Uint8Array(UP_LIMITS.eventBytesKeptMax + 1));
  expect([events.after(3), events.after(4)]).toEqual([undefined, []]);
});
