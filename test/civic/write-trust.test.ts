import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ROUTES, request, traversal, vote } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(async () => {
  // Whatever a test did, its events lead to the states that are kept.
  expect(replayStore(room.deps.store).equal).toBe(true);
  await room.close();
});

/** How many hashes under lasting salts the registry on disk holds. */
function hashesIn(dataDir: string): { author: number; voter: number; mark: number } {
  const database = new DatabaseSync(join(dataDir, 'registry.db'), { readOnly: true });
  const count = (sql: string) => (database.prepare(sql).get() as { n: number }).n;
  const counts = {
    author: count('SELECT count(author) AS n FROM civic_submissions'),
    voter: count('SELECT count(voter) AS n FROM civic_votes'),
    mark: count('SELECT count(hash) AS n FROM civic_marks'),
  };
  database.close();
  return counts;
}

const { agree, state, statusLine, salts, cast } = look(() => room);

describe('self-validation [civic:PV4] [civic:W9]', () => {
  test('an author cannot vote on its concern, from another session, family or host of its network', async () => {
    const author = await room.post(ROUTES.concern, request('concern'), '203.0.113.7');
    const other = await room.post(ROUTES.concern, request('concern', { report: 'Another.' }), '2001:db8:0:1::5');
    const tries = [
      await room.post(
        ROUTES.validation,
        vote('confirm', author.body.submission_id, { target_type: 'concern' }),
        '203.0.113.7',
      ),
      await room.post(
        ROUTES.validation,
        vote('confirm', author.body.submission_id, { target_type: 'concern' }),
        '::ffff:203.0.113.7',
      ),
      await room.post(
        ROUTES.validation,
        vote('confirm', other.body.submission_id, { target_type: 'concern' }),
        '2001:db8:0:1:ffff::9',
      ),
    ];
    await room.wait(3 * DAY);
    tries.push(
      await room.post(
        ROUTES.validation,
        vote('confirm', author.body.submission_id, { target_type: 'concern' }),
        '203.0.113.7',
      ),
    );
    expect(tries.map(({ status, body }) => [status, body.code, body.detail])).toEqual(
      tries.map(() => [403, 'self_validation', 'This artefact cannot be validated from here.']),
    );
  });

  test('the author of a merged amendment and of an accepted draft is a submitter [civic:PV1]', async () => {
    await room.post(ROUTES.amendment, request('amendment'), '203.0.113.7');
    await room.post(ROUTES.draft, request('draft'), '203.0.113.8');
    await room.wait(DAY);
    const { body } = await room.review('/api/review?class=draft_review');
    await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'accept' });
    const amended = await room.post(
      ROUTES.validation,
      vote('confirm', 'sample-move', { target_version: '1.1.0' }),
      '203.0.113.7',
    );
    const drafted = await room.post(
      ROUTES.validation,
      vote('confirm', 'sample-new', { target_version: '0.1.0' }),
      '203.0.113.8',
    );
    const stranger = await room.post(
      ROUTES.validation,
      vote('confirm', 'sample-new', { target_version: '0.1.0' }),
      '203.0.113.7',
    );
    expect([amended.status, drafted.status, stranger.status, salts('sample-move', 'sample-new').sort()]).toEqual([
      403,
      403,
      202,
      ['skill:sample-move', 'skill:sample-new'],
    ]);
  });

  test('a source shares its path’s salt and submitters [civic:PV2] [civic:I5]', async () => {
    const source = { id: 'desk', source_class: 'offline', fallback_only: true };
    const content = { amendment_subtype: 'source_add', source_add: { source } };
    await room.post(
      ROUTES.amendment,
      request('amendment', { target_type: 'path', target_id: 'sample-portal', content }),
      '203.0.113.7',
    );
    await agree();
    const sent = traversal('failure', { target_version: '1.1.0' });
    const own = await room.post(ROUTES.validation, sent, '203.0.113.7');
    const stranger = await room.post(ROUTES.validation, sent, '203.0.113.9');
    expect([own.status, stranger.status, salts('sample-portal', 'sample-portal:desk', 'sample-portal:web')]).toEqual([
      403,
      202,
      ['path:sample-portal'],
    ]);
  });

  test('the author of a held concern is known until its own salt goes, whatever becomes of what it is about', async () => {
    const report = 'Mevrouw Annelies Janssens at the desk said no.';
    const held = await room.post(ROUTES.concern, request('concern', { target_id: 'sample-birth', report }), '10.1.1.1');
    const id = held.body.submission_id;
    const author = () => room.deps.store.submission(id)?.author !== undefined;
    await room.deps.store.transact(() => room.deps.store.forgetHashes('skill', 'sample-birth'));
    const kept = author();
    const hold = (await room.review('/api/review?class=ner_hold')).body.items[0];
    await room.review(`/api/review/${hold.queue_id}`, { decision: 'release' });
    const own = await room.post(ROUTES.validation, vote('confirm', id, { target_type: 'concern' }), '10.1.1.1');
    const marks = () => room.deps.store.marks('concern', id, 'submitter').length;
    const marked = marks();
    await room.deps.store.transact(() => room.deps.store.forgetHashes('concern', id));
    expect([held.body.status, kept, own.body.code, author(), marked, marks()]).toEqual([
      'held_ner',
      true,
      'self_validation',
      false,
      1,
      0,
    ]);
  });
});

describe('quarantine [civic:L7] [civic:Q1]', () => {
  const flag = (id: string, changes: object = {}) =>
    vote('reject', id, { injection_flag: true, rationale: 'It asks to be obeyed.', ...changes });

  test('one flag quarantines; votes are taken and not counted; amendments wait', async () => {
    await cast('confirm', 2, 'sample-birth');
    const flagged = await room.post(ROUTES.validation, flag('sample-birth'), address(1));
    const voted = await room.post(ROUTES.validation, vote('confirm', 'sample-birth'), address(2));
    const rated = await room.post(ROUTES.rating, request('rating', { target_id: 'sample-birth' }), address(3));
    const amended = await room.post(ROUTES.amendment, request('amendment', { target_id: 'sample-birth' }), address(4));
    expect([
      flagged.status,
      statusLine('sample-birth'),
      voted.status,
      rated.status,
      amended.body.code,
      room.deps.store.artefact('skill', 'sample-birth')?.votes,
    ]).toEqual([202, 'quarantined', 202, 202, 'artefact_quarantined', []]);
  });

  test('a dismissed flag restores the state and its clock, and its address flags there no more', async () => {
    const entered = room.deps.store.artefact('skill', 'sample-birth')?.enteredAt;
    await room.post(ROUTES.validation, flag('sample-birth'), address(1));
    await room.post(ROUTES.validation, flag('sample-birth', { rationale: 'Me too.' }), address(2));
    await room.wait(DAY);
    const { body } = await room.review('/api/review?class=injection_quarantine');
    const read = await room.review(`/api/review/${body.items[0].queue_id}`);
    await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'dismiss' });
    const restored = [state('skill', 'sample-birth'), room.deps.store.artefact('skill', 'sample-birth')?.enteredAt];
    await room.post(ROUTES.validation, flag('sample-birth', { rationale: 'Again.' }), address(1));
    const still = state('skill', 'sample-birth');
    await room.post(ROUTES.validation, flag('sample-birth', { rationale: 'New eyes.' }), address(3));
    expect([body.total, read.body.content.flags.length, restored, still, state('skill', 'sample-birth')]).toEqual([
      1,
      2,
      ['beta', entered],
      'beta',
      'quarantined',
    ]);
  });

  test('an upheld flag retracts, and nothing of the addresses stays [civic:PV1]', async () => {
    await room.post(ROUTES.validation, flag('sample-birth'), address(1));
    const { body } = await room.review('/api/review?class=injection_quarantine');
    await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'uphold' });
    const later = await room.post(ROUTES.validation, vote('confirm', 'sample-birth'), address(2));
    expect([state('skill', 'sample-birth'), statusLine('sample-birth'), later.status, salts('sample-birth')]).toEqual([
      'retracted',
      'retracted',
      404,
      [],
    ]);
  });

  test('a concern that has become stable keeps no hash of who wrote it or voted on it, in no table [civic:PV1] [civic:I3]', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'civic-trust-'));
    await room.close();
    room = await createWriteRoom({ dataDir });
    const { body } = await room.post(ROUTES.concern, request('concern'), '203.0.113.7');
    const concern = { target_type: 'concern' };
    await cast('confirm', 3, body.submission_id, concern);
    const during = hashesIn(dataDir);
    await room.wait(DAY);
    await cast('confirm', 3, body.submission_id, concern);
    await room.wait(14 * DAY);
    const [after, reached] = [hashesIn(dataDir), state('concern', body.submission_id)];
    expect([during, reached, after]).toEqual([
      { author: 0, voter: 3, mark: 1 },
      'stable',
      { author: 0, voter: 0, mark: 0 },
    ]);
    rmSync(dataDir, { recursive: true });
  });

  test('the fourth flag of an address and day is taken and not counted [civic:X1]', async () => {
    const targets = ['sample-move', 'sample-birth', 'sample-marriage'];
    for (const id of targets) await room.post(ROUTES.validation, flag(id), address(1));
    const fourth = await room.post(ROUTES.validation, flag('sample-portal', { target_type: 'path' }), address(1));
    const today = state('path', 'sample-portal');
    await room.wait(12 * HOUR);
    await room.post(
      ROUTES.validation,
      flag('sample-portal', { target_type: 'path', rationale: 'Tomorrow.' }),
      address(1),
    );
    expect([targets.map((id) => state('skill', id)), fourth.status, today, state('path', 'sample-portal')]).toEqual([
      ['quarantined', 'quarantined', 'quarantined'],
      202,
      'beta',
      'quarantined',
    ]);
  });

  test('a flag on a source quarantines its path', async () => {
    await room.post(ROUTES.validation, traversal('failure', { injection_flag: true }), address(1));
    expect(state('path', 'sample-portal')).toBe('quarantined');
  });

  test('a flag by a submitter is refused like its vote', async () => {
    const { body } = await room.post(ROUTES.concern, request('concern'), address(1));
    const own = await room.post(ROUTES.validation, flag(body.submission_id, { target_type: 'concern' }), address(1));
    expect([own.status, state('concern', body.submission_id)]).toEqual([403, 'alpha']);
  });
});
