import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ROUTES, request, vote } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, HOUR, PROBE, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(async () => {
  // Whatever a test did, its events lead to the states that are kept.
  expect(replayStore(room.deps.store).equal).toBe(true);
  await room.close();
});

const { state, file, statusLine, salts, cast } = look(() => room);

describe('promotion', () => {
  test('alpha rises by three confirms on two days, in the folder too [civic:K7] [civic:L3] [civic:T1]', async () => {
    await cast('confirm', 2);
    await room.wait(24 * HOUR - 1);
    await cast('confirm', 1);
    const before = state('skill', 'sample-move');
    await room.wait(1);
    expect([before, state('skill', 'sample-move'), statusLine('sample-move')]).toEqual(['alpha', 'beta', 'beta']);
  });

  test('votes of one address count once, on every route that it takes [civic:L2] [civic:C6]', async () => {
    const same = ['203.0.113.7', '::ffff:203.0.113.7', '::203.0.113.7'];
    for (const from of same) await room.post(ROUTES.validation, vote('confirm'), from);
    for (const from of ['2001:db8::1', '2001:db8::ffff']) await room.post(ROUTES.validation, vote('confirm'), from);
    await room.wait(2 * DAY);
    expect([room.deps.store.artefact('skill', 'sample-move')?.votes.length, state('skill', 'sample-move')]).toEqual([
      2,
      'alpha',
    ]);
  });

  test('stable is reached after fourteen days, and its salt and hashes are gone [civic:PV1] [civic:I3]', async () => {
    await cast('confirm', 8, 'sample-birth');
    expect(salts()).toContain('skill:sample-birth');
    await room.wait(14 * DAY - 1);
    const before = state('skill', 'sample-birth');
    await room.wait(1);
    expect([before, state('skill', 'sample-birth'), statusLine('sample-birth'), salts('sample-birth')]).toEqual([
      'beta',
      'stable',
      'stable',
      [],
    ]);
  });

  test('a catalogue row rises by two, and only its own row is written [civic:L4] [civic:I4]', async () => {
    await cast('confirm', 1, 'val-01', { target_type: 'volatile_value' });
    await room.wait(DAY);
    await cast('confirm', 1, 'val-01', { target_type: 'volatile_value' });
    const rows = file('catalogue/values.yaml')
      .split('\n')
      .map((line) => /status: (\w+)/.exec(line)?.[1]);
    expect([state('volatile_value', 'val-01'), rows]).toEqual(['beta', ['beta', 'stable', undefined]]);
  });

  test('a concern is confirmed like a row, by either name of it [civic:SU9] [civic:W4]', async () => {
    const { body } = await room.post(ROUTES.concern, request('concern'), address(1));
    const id = body.submission_id as string;
    const first = await room.post(ROUTES.validation, vote('confirm', id, { target_type: 'observation' }), address(2));
    await room.wait(DAY);
    await room.post(ROUTES.validation, vote('confirm', id, { target_type: 'concern' }), address(3));
    const listed = await room.get('/api/concerns?target_type=skill&target_id=sample-move');
    expect([first.body.target_type, state('concern', id), listed.body.concerns[0].status]).toEqual([
      'concern',
      'beta',
      'beta',
    ]);
  });

  test('votes of the probe are kept and never counted [civic:C8] [civic:W10]', async () => {
    for (let n = 0; n < 4; n++) {
      const sent = vote('confirm', 'sample-move', { submitter_type: 'ci_probe' });
      await room.post(ROUTES.validation, sent, address(n), { authorization: `Bearer ${PROBE}` });
      await room.wait(DAY);
    }
    expect([state('skill', 'sample-move'), room.deps.store.artefact('skill', 'sample-move')?.votes]).toEqual([
      'alpha',
      [],
    ]);
  });
});

describe('demotion', () => {
  test('beta falls to alpha with counts at zero [civic:L2] [civic:L5]', async () => {
    await cast('reject', 3, 'sample-birth');
    expect([state('skill', 'sample-birth'), room.deps.store.artefact('skill', 'sample-birth')?.votes.length]).toEqual([
      'alpha',
      0,
    ]);
  });

  test('stable falls to beta, and the salt of its review becomes its own [civic:PV3]', async () => {
    await cast('reject', 3, 'sample-marriage');
    expect([state('skill', 'sample-marriage'), statusLine('sample-marriage'), salts('sample-marriage')]).toEqual([
      'beta',
      'beta',
      ['skill:sample-marriage'],
    ]);
  });

  test('a review salt lives thirty days; votes under the older one no longer count [civic:PV3]', async () => {
    await cast('reject', 2, 'sample-marriage');
    await room.wait(30 * DAY);
    const after = [salts('sample-marriage'), room.deps.store.artefact('skill', 'sample-marriage')?.votes];
    await cast('reject', 2, 'sample-marriage');
    expect([...after, state('skill', 'sample-marriage')]).toEqual([[], [], 'stable']);
  });

  test('alpha below a quarter is unlisted and waits for a maintainer [civic:L6]', async () => {
    await cast('reject', 3);
    const { body } = await room.review('/api/review?class=draft_review');
    const [item] = body.items;
    const gone = await room.post(ROUTES.validation, vote('confirm'), address(1));
    const decided = await room.review(`/api/review/${item.queue_id}`, { decision: 'accept' });
    expect([
      item.reason,
      item.target_id,
      gone.status,
      decided.status,
      state('skill', 'sample-move'),
      statusLine('sample-move'),
    ]).toEqual(['demoted', 'sample-move', 404, 200, 'alpha', 'alpha']);
  });
});
