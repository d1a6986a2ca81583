import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MonthlyLinkCheck } from '../../src/civic/lifecycle/monthly-link-check.ts';
import type { LinkAnswer, LinkProbe } from '../../src/civic/lifecycle/visit-link.ts';
import { createWriteRoom, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(() => room.close());

const alive: LinkAnswer = { kind: 'answer', status: 200 };
const checked = () => room.deps.store.note('links_checked');

/** Answers nothing before the signal, as a host that hangs. */
function hanging(): LinkProbe & { asked: number } {
  const probe = {
    asked: 0,
    request(_method: string, _url: string, signal?: AbortSignal): Promise<LinkAnswer> {
      probe.asked++;
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ kind: 'unreachable' })));
    },
  };
  return probe;
}

describe('the check of the month [civic:L10]', () => {
  test('a start does not wait for a link', async () => {
    await room.close();
    const probe = hanging();
    room = await createWriteRoom({ linkProbe: probe });
    expect([probe.asked, (await room.get('/api/submissions?session_id=none')).status]).toEqual([0, 422]);
  });

  test('one check runs at a time, and is noted at its end', async () => {
    let asked = 0;
    const { promise: goOn, resolve } = Promise.withResolvers<LinkAnswer>();
    const request = () => {
      asked++;
      return goOn;
    };
    const check = new MonthlyLinkCheck(room.deps, { request });
    check.begin();
    check.begin();
    const before = [asked, checked()];
    resolve(alive);
    await check.idle();
    const whole = asked;
    check.begin();
    await check.idle();
    expect([before, checked(), asked - whole]).toEqual([[1, undefined], '2026-11', 0]);
  });

  test('the end does not wait for a link, and what was not finished is not noted', async () => {
    const probe = hanging();
    const check = new MonthlyLinkCheck(room.deps, probe);
    check.begin();
    await check.close();
    check.begin();
    expect([probe.asked, checked(), room.log]).toEqual([1, undefined, []]);
  });

  test('a check that failed is said once and made again an hour later', async () => {
    let failing = true;
    let asked = 0;
    const check = new MonthlyLinkCheck(room.deps, {
      async request() {
        if (++asked > 1 && failing) throw new Error('halfway');
        return alive;
      },
    });
    const seen: unknown[] = [];
    for (const wait of [0, HOUR / 2, HOUR / 2, HOUR]) {
      await room.wait(wait);
      failing = wait !== HOUR && failing;
      const before = asked;
      check.begin();
      await check.idle();
      seen.push([asked > before, checked()]);
    }
    const said = room.log.filter((line) => line.includes('links')).map((line) => JSON.parse(line).message);
    expect([seen, said]).toEqual([
      [
        [true, undefined],
        [false, undefined],
        [true, undefined],
        [true, '2026-11'],
      ],
      ['links could not be checked', 'links are checked again'],
    ]);
  });
});
