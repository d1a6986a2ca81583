import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { common, ROUTES, vote } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

const SENDER = '203.0.113.9';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
  await room.wait(HOUR);
  // The clock passes midnight before the job of the minute has run.
  room.deps.testClock?.moveTo(Date.parse('2026-11-03T00:00:05Z'));
});
afterEach(() => room.close());

describe('between midnight and the first job of the day [civic:X1] [civic:SU20]', () => {
  test('what was sent counts for the whole day, and is known again', async () => {
    const send = async (tag: string) => {
      const items = Array.from({ length: 10 }, (_, n) => ({ type: 'feedback', body: `Note ${n} of ${tag}.` }));
      const { body } = await room.post('/api/feedback', { ...common(), items }, SENDER);
      return new Set(body.results.map(({ status, code }: { status: string; code?: string }) => code ?? status));
    };
    const first = await send('the night');
    await room.deps.runJobs();
    expect([first, await send('the night'), await send('the morning')]).toEqual([
      new Set(['accepted']),
      new Set(['duplicate']),
      new Set(['rate_limited']),
    ]);
  });

  test('flags count for the whole day [civic:L7]', async () => {
    let flags = 0;
    const flag = async (id: string) => {
      const changes = { injection_flag: true, rationale: `Flag ${++flags}.` };
      const { body } = await room.post(ROUTES.validation, vote('reject', id, changes), SENDER);
      return room.deps.store.submission(body.submission_id)?.countsFlag;
    };
    const night = [await flag('sample-move'), await flag('sample-birth'), await flag('sample-marriage')];
    await room.deps.runJobs();
    expect([night, await flag('sample-move')]).toEqual([[true, true, true], false]);
  });

  test('what yesterday’s hashes marked is forgotten with the first item of today', async () => {
    const { store, salts } = room.deps;
    const yesterday = 'aa'.repeat(32);
    await store.transact(() => store.addDayItem(yesterday, 'hash', 'sub', 'feedback'));
    await room.post(ROUTES.validation, vote('confirm'), SENDER);
    expect([store.dayItemCount(yesterday), salts.keys().filter((key) => key.startsWith('daily:'))]).toEqual([
      0,
      ['daily:2026-11-03'],
    ]);
  });
});
