import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import type { Case } from '../../src/civic/review/case-shape.ts';
import { printCase } from '../../src/civic/review/print-case.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ROUTES, request, vote } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(async () => {
  // Whatever was decided and undone, the events lead to the states that are kept, and nothing waits to be written.
  expect([replayStore(room.deps.store).equal, room.deps.store.intents()]).toEqual([true, []]);
  await room.close();
});
const { cast, file, state, statusLine } = look(() => room);

const NAMED = 'My name is Anna Peeters and the desk was closed.';
const SUPERSEDES = {
  target_id: 'sample-marriage',
  content: {
    amendment_subtype: 'frontmatter_change',
    frontmatter_change: { field_path: 'supersedes', proposed_value: 'sample-move' },
  },
};
const queue = async (query = '') => (await room.review(`/api/review${query}`)).body.items;
const caseOf = async (id: string): Promise<Case> => (await room.review(`/api/review/${id}/case`)).body;
const decide = (id: string, decision: string, more: object = {}) =>
  room.review(`/api/review/${id}`, { decision, ...more });
const undo = (id: string) => room.review(`/api/review/${id}/undo`, {});
const statusOf = async (session: string) =>
  (await room.get(`/api/submissions?session_id=${session}`)).body.submissions[0];

/** An amendment that only the maintainer lets through, at the end of its day. */
async function heldAmendment() {
  const sent = request('amendment', SUPERSEDES);
  await room.post(ROUTES.amendment, sent, address(1));
  await room.wait(DAY);
  const [item] = await queue('?class=amendment_review');
  return { sent, id: item.queue_id as string, submissionId: item.submission_id as string };
}

describe('a case', () => {
  test('shows the change in place, what holds it, what it cites and how the votes stand', async () => {
    await cast('confirm', 2, 'sample-marriage');
    const { id, submissionId } = await heldAmendment();
    const found = await caseOf(id);
    expect(found).toMatchObject({
      queue: { queue_id: id, class: 'amendment_review', reason: 'supersedes' },
      decisions: ['accept', 'reject'],
      submission: { submission_id: submissionId, status: 'staged', message: 'The form must be signed.' },
      target: {
        type: 'skill',
        id: 'sample-marriage',
        status: 'stable',
        votes: {
          confirms: 2,
          rejects: 0,
          toward: [{ to: 'beta', conditions: [{ name: 'recent_rejects', have: 0, need: 3, met: false }, {}] }],
        },
      },
      change: { path: 'skills/sample-marriage/canonical.md', applies: true },
      protected: [{ field: 'supersedes', gate: 'maintainer' }],
      evidence: [
        { url: 'https://law.example.org/2', of: 'submission', state: 'unchecked', host: 'no_list' },
        { url: 'https://law.example.org/sample-marriage', of: 'target', state: 'unchecked' },
      ],
    });
    expect(found.change?.diff.split('\n').filter((line) => /^[+-]/.test(line))).toEqual([
      '--- a/skills/sample-marriage/canonical.md',
      '+++ b/skills/sample-marriage/canonical.md',
      '+supersedes: sample-move',
    ]);
    expect(JSON.stringify(found)).not.toContain('ses_');
  });

  test('is laid out so that what the sender wrote stays in one line, and the next command is whole', async () => {
    const { id } = await heldAmendment();
    const found = await caseOf(id);
    const message = `${'word '.repeat(60)}Evidence`;
    const text = printCase({ ...found, submission: { ...(found.submission as object), message } as never });
    const lines = text.split('\n');
    expect([
      lines.filter((line) => line.includes('word')),
      lines.filter((line) => line === 'Evidence').length,
      lines.includes(`Decide: bindery civic review ${id} accept|reject`),
    ]).toEqual([[`  ${message}`], 1, true]);
  });

  test('shows the words around what the scrub held', async () => {
    await room.post(ROUTES.concern, request('concern', { report: NAMED }), address(1));
    const [item] = await queue();
    const { findings, change } = await caseOf(item.queue_id);
    expect([findings[0]?.rule, findings[0]?.pointer, findings[0]?.text.includes('Anna Peeters'), change]).toEqual([
      'person_name',
      '/report',
      true,
      undefined,
    ]);
  });

  test('shows a draft as a new file, and a submission that is in no queue', async () => {
    const { body } = await room.post(ROUTES.draft, request('draft'), address(1));
    const found = await caseOf(body.submission_id);
    expect([found.queue, found.decisions, found.change?.path, found.change?.diff.split('\n')[0]]).toEqual([
      undefined,
      [],
      'skills/sample-new/canonical.md',
      '--- /dev/null',
    ]);
    expect((await room.review('/api/review/que_nothing/case')).status).toBe(404);
    expect((await room.get(`/api/review/${body.submission_id}/case`)).status).toBe(401);
  });

  test('shows earlier decisions on like cases, the most alike first', async () => {
    const first = await heldAmendment();
    await decide(first.id, 'reject', { note: 'No second skill.' });
    await room.post(ROUTES.amendment, request('amendment', { ...SUPERSEDES, target_id: 'sample-birth' }), address(2));
    await room.wait(DAY);
    const [other] = await queue('?class=amendment_review');
    await decide(other.queue_id, 'reject');
    const again = { ...SUPERSEDES, rationale: 'Once more.' };
    await room.post(ROUTES.amendment, request('amendment', again), address(3));
    await room.wait(DAY);
    const [item] = await queue('?class=amendment_review');
    const { earlier } = await caseOf(item.queue_id);
    expect(earlier).toMatchObject([
      { queue_id: first.id, decision: 'reject', alike: ['target', 'reason supersedes'], note: 'No second skill.' },
      { queue_id: other.queue_id, decision: 'reject', alike: ['reason supersedes'] },
    ]);
  });

  test('counts the votes on an amendment that needs agreement', async () => {
    const content = {
      amendment_subtype: 'frontmatter_change',
      frontmatter_change: { field_path: 'applies_to.region', proposed_value: ['brussels', 'flanders'] },
    };
    const { body } = await room.post(ROUTES.amendment, request('amendment', { content }), address(1));
    const changes = { target_type: 'amendment', target_version: '1.0.0' };
    await room.post(ROUTES.validation, vote('confirm', body.submission_id, changes), address(2));
    const found = await caseOf(body.submission_id);
    expect([found.protected[0]?.field, found.amendment_votes]).toMatchObject([
      'applies_to',
      {
        confirms: 1,
        rejects: 0,
        toward: [{ to: 'rejected' }, { to: 'merged', conditions: [{ have: 1, need: 3 }, {}, {}] }],
      },
    ]);
    expect(found.change?.diff).toContain('+applies_to: { region: [brussels, flanders] }');
  });

  test('says when the amendment no longer applies', async () => {
    const { id } = await heldAmendment();
    const change = {
      target_id: 'sample-marriage',
      content: {
        amendment_subtype: 'frontmatter_change',
        frontmatter_change: { field_path: 'summary', proposed_value: 'A better summary.' },
      },
    };
    await room.post(ROUTES.amendment, request('amendment', change), address(2));
    await room.wait(DAY);
    expect((await caseOf(id)).change).toMatchObject({ applies: false, problem: 'target_version_stale' });
  });
});

describe('claims', () => {
  test('one maintainer at a time, for four hours, unless another takes it', async () => {
    const { id } = await heldAmendment();
    const claim = (by: string, more: object = {}) => room.review(`/api/review/${id}/claim`, { by, ...more });
    const [ann, ben] = [await claim('Ann'), await claim('Ben')];
    const listed = (await queue())[0].claimed_by;
    const taken = await claim('Ben', { take: true });
    const released = await claim('Ben', { release: true });
    await claim('Ann');
    await room.wait(4 * HOUR);
    const over = await claim('Ben');
    const nameless = await room.review(`/api/review/${id}`, { decision: 'reject' });
    const other = await room.review(`/api/review/${id}`, { decision: 'reject', by: 'Ann' });
    const batch = await room.review('/api/review/decide', { decision: 'reject', queue_ids: [id] });
    const own = await room.review(`/api/review/${id}`, { decision: 'reject', by: 'Ben' });
    expect([nameless.body.code, other.body.code, batch.body.results[0].code, own.status]).toEqual([
      'already_claimed',
      'already_claimed',
      'already_claimed',
      200,
    ]);
    expect([
      ann.status,
      ben.body.code,
      ben.body.claimed_by,
      listed,
      taken.body.claimed_by,
      released.body.claimed_by,
      over.body.claimed_by,
      (await claim('Ann')).body.code,
    ]).toEqual([200, 'already_claimed', 'Ann', 'Ann', 'Ben', undefined, 'Ben', 'already_decided']);
  });
});

describe('many at once', () => {
  test('each is decided or refused on its own', async () => {
    await room.post(ROUTES.feedback, request('feedback', { body: 'One.' }), address(1));
    await room.post(ROUTES.feedback, request('feedback', { body: 'Two.' }), address(2));
    await room.post(ROUTES.concern, request('concern', { report: NAMED }), address(3));
    const items = await queue();
    const ids = items.map((item: { queue_id: string }) => item.queue_id);
    const { body } = await room.review('/api/review/decide', {
      decision: 'close',
      queue_ids: [...ids, ids[0], 'que_x'],
    });
    expect([body.decided, body.refused, body.results.map((one: { code?: string }) => one.code)]).toEqual([
      2,
      2,
      [undefined, undefined, 'schema_invalid', 'target_not_found'],
    ]);
    expect((await queue()).length).toBe(1);
  });
});

describe('reasons', () => {
  test('go back to the sender by session id; notes stay', async () => {
    const { sent, id } = await heldAmendment();
    await decide(id, 'reject', { reason: 'The older text still holds.', note: 'Second time this week.' });
    const status = await statusOf(sent.session_id);
    expect(status).toMatchObject({
      status: 'rejected',
      review: { decision: 'reject', reason: 'The older text still holds.' },
    });
    expect(JSON.stringify(status)).not.toContain('Second time');
  });
});

describe('undo', () => {
  test('a rejected amendment waits again and can be accepted', async () => {
    const { sent, id } = await heldAmendment();
    await decide(id, 'reject', { reason: 'No.' });
    const undone = await undo(id);
    const waiting = await statusOf(sent.session_id);
    await decide(id, 'accept');
    expect([undone.body.outcome, waiting.status, waiting.review, (await statusOf(sent.session_id)).status]).toEqual([
      'reopened',
      'held_ner',
      undefined,
      'merged',
    ]);
  });

  test('an accepted amendment is reverted, once', async () => {
    const before = file('skills/sample-marriage/canonical.md');
    const { id } = await heldAmendment();
    const older = file('skills/sample-move/canonical.md');
    await decide(id, 'accept');
    const superseded = state('skill', 'sample-move');
    const undone = await undo(id);
    expect([superseded, state('skill', 'sample-move'), file('skills/sample-move/canonical.md')]).toEqual([
      'superseded',
      'alpha',
      older,
    ]);
    expect([undone.body.outcome, file('skills/sample-marriage/canonical.md'), (await undo(id)).body.code]).toEqual([
      'reverted',
      before.replace('version: 1.0.0', 'version: 1.2.0'),
      'already_decided',
    ]);
  });

  test('a rejected draft waits again; an accepted one is withdrawn until it is accepted again', async () => {
    const sent = request('draft');
    await room.post(ROUTES.draft, sent, address(1));
    await room.wait(DAY);
    const [{ queue_id: id }] = await queue();
    await decide(id, 'reject');
    await undo(id);
    await decide(id, 'accept');
    const accepted = state('skill', 'sample-new');
    await undo(id);
    const withdrawn = [state('skill', 'sample-new'), statusLine('sample-new')];
    await decide(id, 'accept');
    expect([accepted, withdrawn, state('skill', 'sample-new'), statusLine('sample-new')]).toEqual([
      'alpha',
      ['draft', 'draft'],
      'alpha',
      'alpha',
    ]);
    await undo(id);
    await decide(id, 'reject');
    expect(state('skill', 'sample-new')).toBe('retracted');
  });

  test.each(['dismiss', 'uphold'])(
    'a quarantine that was decided with %s is one again, with its prior state',
    async (decision) => {
      await room.post(
        ROUTES.validation,
        vote('reject', 'sample-birth', { injection_flag: true, rationale: 'It tells agents what to do.' }),
        address(1),
      );
      const [{ queue_id: id }] = await queue();
      await decide(id, decision);
      const decided = state('skill', 'sample-birth');
      await undo(id);
      const again = [state('skill', 'sample-birth'), statusLine('sample-birth')];
      await decide(id, 'dismiss');
      expect([decided, again, state('skill', 'sample-birth')]).toEqual([
        decision === 'dismiss' ? 'beta' : 'retracted',
        ['quarantined', 'quarantined'],
        'beta',
      ]);
    },
  );

  test('a hold is held again; a published concern is not', async () => {
    const sent = request('amendment', { rationale: NAMED });
    await room.post(ROUTES.amendment, sent, address(1));
    const [{ queue_id: id }] = await queue();
    const seen: string[] = [];
    for (const decision of ['reject', 'release']) {
      await decide(id, decision);
      seen.push((await statusOf(sent.session_id)).status);
      await undo(id);
      seen.push((await statusOf(sent.session_id)).status);
    }
    await room.post(ROUTES.concern, request('concern', { report: NAMED }), address(2));
    const concern = (await queue()).find((item: { queue_id: string }) => item.queue_id !== id);
    const early = await undo(concern.queue_id);
    await decide(concern.queue_id, 'release');
    const late = await undo(concern.queue_id);
    expect([seen, early.body.code, late.body.code, late.body.detail]).toEqual([
      ['rejected', 'held_ner', 'staged', 'held_ner'],
      'not_undoable',
      'not_undoable',
      'The concern is published. Take it down instead.',
    ]);
  });

  test('feedback and providers', async () => {
    await room.post(ROUTES.feedback, request('feedback'), address(1));
    const complaint = { target_type: 'provider', target_id: 'lingua' };
    await room.post(ROUTES.concern, request('concern', complaint), address(2));
    const items = await queue();
    for (const { queue_id, class: name } of items)
      await decide(queue_id, name === 'feedback_triage' ? 'close' : 'remove');
    const removed = [...room.deps.store.removedProviders()];
    for (const { queue_id } of items) await undo(queue_id);
    expect([removed, [...room.deps.store.removedProviders()], (await queue()).length]).toEqual([['lingua'], [], 2]);
  });
});

describe('what everyone may see', () => {
  test('counted votes against thresholds, and ratings; nothing of what is not served', async () => {
    await cast('confirm', 2);
    await cast('reject', 1);
    for (const [index, score] of [5, 4, 4].entries()) {
      await room.post(ROUTES.rating, request('rating', { score }), address(10 + index));
    }
    const { body, headers } = await room.get('/api/tallies?target_type=skill&target_id=sample-move');
    const hidden = await room.get('/api/tallies?target_type=skill&target_id=sample-hidden');
    const wrong = await room.get('/api/tallies?target_type=session&target_id=x');
    expect([headers.get('cache-control'), hidden.status, wrong.status]).toEqual([
      'public, max-age=60, s-maxage=60',
      404,
      422,
    ]);
    expect(body).toMatchObject({
      version: '1.0.0',
      status: 'alpha',
      votes: { confirms: 2, rejects: 1, utc_days: 1 },
      ratings: [{ axis: 'clarity', count: 3, mean: 4.33, scores: [0, 0, 0, 2, 1] }],
    });
  });

  test('staged amendments during their day, as a diff; not those that wait for the maintainer', async () => {
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.post(ROUTES.amendment, request('amendment', SUPERSEDES), address(2));
    const during = (await room.get('/api/staged')).body;
    await room.wait(DAY);
    const after = (await room.get('/api/staged')).body;
    expect([during.total, during.amendments[0], after.total]).toMatchObject([
      1,
      { target_id: 'sample-move', gate: 'alone', staged_until: '2026-11-03T12:00:00.000Z' },
      0,
    ]);
    expect(during.amendments[0].diff).toContain('-Bring the form.\n+Bring the signed form.');
  });
});
