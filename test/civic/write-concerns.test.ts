import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { APPEAL_DAYS, HARM_LIMITS } from '../../src/civic/config.ts';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { address, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(async () => {
  expect(replayStore(room.deps.store).equal).toBe(true);
  await room.close();
});

const BOUND = HARM_LIMITS.concerns_per_target_day;
const send = async (report: string, from: number, changes: object = {}) =>
  (await room.post(ROUTES.concern, request('concern', { report, ...changes }), address(from))).body;
const flood = async (count: number, first = 0) => {
  const answers = [];
  for (let n = first; n < first + count; n++) answers.push(await send(`The desk ${n} is closed.`, n));
  return answers;
};
const listed = async () => (await room.get('/api/concerns?target_type=skill&target_id=sample-move')).body.concerns;
const queue = async () => (await room.review('/api/review')).body.items;

describe('concerns that say the same', () => {
  test('are listed once and counted, whatever their letter case, spaces and punctuation', async () => {
    const first = await send('The desk is on the second floor.', 1);
    const second = await send('the desk is  on the second floor!', 2);
    const other = await send('The desk is on the 2 floor.', 3);
    const list = (await listed()).map(({ concern_id, reports }: Record<string, unknown>) => [concern_id, reports]);
    // Those of one millisecond stand in any order.
    expect([first.joined_to, second.status, second.joined_to, other.joined_to, new Map(list)]).toEqual([
      undefined,
      'accepted',
      first.submission_id,
      undefined,
      new Map([
        [first.submission_id, 2],
        [other.submission_id, 1],
      ]),
    ]);
  });

  test('of another target or kind stay apart, and so do those that come after it was taken down', async () => {
    const first = await send('The desk is closed.', 1);
    const elsewhere = await send('The desk is closed.', 2, { target_id: 'sample-birth' });
    const kind = await send('The desk is closed.', 3, { kind: 'statutory_change' });
    await room.review(`/api/review/concerns/${first.submission_id}/take-down`, {});
    const again = await send('The desk is closed.', 4);
    expect([elsewhere, kind, again].map(({ joined_to }) => joined_to)).toEqual([undefined, undefined, undefined]);
  });

  test('go together when the first is taken down', async () => {
    const first = await send('The purple desk is closed.', 1);
    const second = await send('The purple desk is closed', 2);
    await room.review(`/api/review/concerns/${first.submission_id}/take-down`, {});
    const texts = [first, second].map(({ submission_id }) =>
      JSON.stringify(room.deps.store.submission(submission_id)?.item).includes('purple'),
    );
    expect([second.joined_to, texts, await listed()]).toEqual([first.submission_id, [false, false], []]);
  });
});

describe('a burst of concerns', () => {
  test('is listed up to its bound; the rest is one question, which lists or drops all of it', async () => {
    const taken = await flood(BOUND);
    const dry = await send('One more of them.', 900, { dry_run: true });
    const rest = await flood(30, BOUND);
    const elsewhere = await send('The desk is closed.', 901, { target_id: 'sample-birth' });
    const [item, ...others] = await queue();
    const { content } = (await room.review(`/api/review/${item.queue_id}`)).body;
    const before = (await listed()).length;
    await room.review(`/api/review/${item.queue_id}`, { decision: 'release', through: 30 });
    expect([
      taken.every(({ status, warning }) => status === 'accepted' && warning === undefined),
      dry.would_be,
      rest.every(({ status, warning }) => status === 'held_ner' && /when a maintainer has looked/.test(warning)),
      elsewhere.warning,
      [item.class, item.reason, item.target_id, others],
      [content.concerns, content.reports.length],
      [before, (await listed()).length],
    ]).toEqual([
      true,
      'held_ner',
      true,
      undefined,
      ['ner_hold', 'concern_burst', 'sample-move', []],
      [30, 30],
      [BOUND, BOUND + 30],
    ]);
  });

  test('shows every text and the true number, and lists only what was read', async () => {
    await flood(BOUND);
    await flood(70, BOUND);
    const [item] = await queue();
    const path = `/api/review/${item.queue_id}`;
    const [first, rest] = [(await room.review(path)).body.content, (await room.review(`${path}?from=51`)).body.content];
    const shown = (await room.review(`${path}/case?from=51`)).body;
    const blind = await room.review(path, { decision: 'release' });
    const batch = await room.review('/api/review/decide', { decision: 'release', queue_ids: [item.queue_id] });
    const tooMany = await room.review(path, { decision: 'release', through: 71 });
    await send('One more that nobody has read.', 990);
    const before = (await listed()).length;
    const released = await room.review(path, { decision: 'release', through: 70 });
    const left = await queue();
    const waiting = (await room.review(`/api/review/${left[0].queue_id}`)).body.content;
    expect([
      [first.concerns, first.from, first.through, rest.from, rest.through],
      new Set([...first.reports, ...rest.reports].map(({ report }) => report)).size,
      [shown.burst, shown.content.reports.length],
      [blind, tooMany].map(({ status, body }) => [status, body.errors[0].pointer, body.errors[0].keyword]),
      batch.body.refused,
      [released.status, before, (await listed()).length, left.length],
      [waiting.concerns, waiting.reports.map(({ report }: { report: string }) => report)],
    ]).toEqual([
      [70, 1, 50, 51, 70],
      70,
      [{ concerns: 70, from: 51, through: 70 }, 20],
      [
        [422, '/through', 'required'],
        [422, '/through', 'maximum'],
      ],
      1,
      [200, BOUND, BOUND + 70, 1],
      [1, ['One more that nobody has read.']],
    ]);
  });

  test('that is rejected is never listed, its senders read it, and its text is erased after the time to appeal', async () => {
    await flood(BOUND);
    const sent = request('concern', { report: 'The purple desk is closed.' });
    const { submission_id } = (await room.post(ROUTES.concern, sent, address(800))).body;
    const [item] = await queue();
    const decided = await room.review(`/api/review/${item.queue_id}`, { decision: 'reject' });
    const undone = await room.review(`/api/review/${item.queue_id}/undo`, {});
    const { submissions } = (await room.get(`/api/submissions?session_id=${sent.session_id}`)).body;
    const hasText = () => JSON.stringify(room.deps.store.submission(submission_id)?.item).includes('purple');
    const before = hasText();
    await room.wait(APPEAL_DAYS * DAY);
    expect([
      decided.status,
      undone.body.code,
      submissions[0],
      (await listed()).length,
      before,
      hasText(),
      await queue(),
    ]).toMatchObject([
      200,
      'not_undoable',
      { status: 'rejected', code: 'rejected_by_maintainer' },
      BOUND,
      true,
      false,
      [],
    ]);
  });

  test('ends with its UTC day', async () => {
    await flood(BOUND + 1);
    await room.wait(DAY);
    expect([(await send('Tomorrow is another day.', 500)).warning]).toEqual([undefined]);
  });
});

describe('a concern that could harm its readers', () => {
  test.each([
    ['Tell your PIN to the desk.', 'credentials'],
    ['Pay with gift cards at the desk.', 'payment'],
    ['The form is at _https://evil.com/login_ now.', 'foreign_link'],
    ['The form is at desk/evil.com/login now.', 'foreign_link'],
    ['The form is [here](magnet:x).', 'foreign_link'],
    ['Write to _@fastdesk_ on insta.', 'profile_link'],
    ['Upload your passport here.', 'upload_request'],
  ])('is held, as an amendment with the same words is: %s', async (report, rule) => {
    const { status } = await send(report, 1);
    const [item] = await queue();
    expect([status, item.rules, await listed()]).toEqual(['held_ner', [rule], []]);
  });
});
