import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ROUTES, request, vote } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, MAINTAINER, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(() => room.close());
const { cast, salts } = look(() => room);

const NAMED = 'My name is Anna Peeters and the desk was closed.';
const only = async (query = '') => (await room.review(`/api/review${query}`)).body.items[0];
const statusOf = async (session: string) =>
  (await room.get(`/api/submissions?session_id=${session}`)).body.submissions[0].status;

describe('holds [civic:PV8] [civic:Q2] [civic:MQ3]', () => {
  test('a held concern is nowhere until it is released', async () => {
    const sent = request('concern', { report: NAMED });
    const { status, body } = await room.post(ROUTES.concern, sent, address(1));
    const hidden = await room.get('/api/concerns?target_type=skill&target_id=sample-move');
    const item = await only();
    const read = await room.review(`/api/review/${item.queue_id}`);
    await room.review(`/api/review/${item.queue_id}`, { decision: 'release' });
    const shown = await room.get('/api/concerns?target_type=skill&target_id=sample-move');
    expect([
      status,
      body,
      hidden.body.total,
      item,
      read.body.content.item.report,
      shown.body.concerns[0]?.report,
    ]).toEqual([
      202,
      {
        submission_id: body.submission_id,
        type: 'concern',
        status: 'held_ner',
        code: 'held_for_review',
        target_type: 'skill',
        target_id: 'sample-move',
        holds: [{ rule: 'person_name', pointer: '/report', start: 11, end: 23 }],
        next: expect.stringMatching(/^It is held and not published/),
      },
      0,
      {
        queue_id: expect.stringMatching(/^que_/),
        class: 'ner_hold',
        opened_at: '2026-11-02T12:00:00.000Z',
        target_type: 'skill',
        target_id: 'sample-move',
        submission_id: body.submission_id,
        rules: ['person_name'],
      },
      NAMED,
      NAMED,
    ]);
    expect(await statusOf(sent.session_id)).toBe('committed');
  });

  test('a rejected hold leaves no salt', async () => {
    const before = salts();
    const sent = request('concern', { report: NAMED });
    await room.post(ROUTES.concern, sent, address(1));
    await room.review(`/api/review/${(await only()).queue_id}`, { decision: 'reject' });
    expect([await statusOf(sent.session_id), salts()]).toEqual(['rejected', before]);
  });

  test('the staging of a released amendment starts with its release', async () => {
    const sent = request('amendment', { rationale: NAMED });
    const { body } = await room.post(ROUTES.amendment, sent, address(1));
    await room.wait(DAY);
    await room.review(`/api/review/${(await only()).queue_id}`, { decision: 'release' });
    const staged = await statusOf(sent.session_id);
    await room.wait(DAY);
    expect([body.cancel_until, staged, await statusOf(sent.session_id)]).toEqual([undefined, 'staged', 'merged']);
  });

  test('a held vote counts when it is released, as its sender’s', async () => {
    await room.post(ROUTES.validation, vote('reject', 'sample-move', { rationale: NAMED }), address(1));
    await room.review(`/api/review/${(await only()).queue_id}`, { decision: 'release' });
    const first = room.deps.store.artefact('skill', 'sample-move')?.votes.length;
    await room.post(ROUTES.validation, vote('confirm'), address(1));
    expect([first, room.deps.store.artefact('skill', 'sample-move')?.votes.map(({ verdict }) => verdict)]).toEqual([
      1,
      ['confirm'],
    ]);
  });

  test('a hold counts to the day, and a dry run says what it would be [civic:SU21]', async () => {
    const dry = await room.post(ROUTES.feedback, request('feedback', { body: NAMED, dry_run: true }), address(2));
    const outcomes: string[] = [];
    for (let n = 0; n < 11; n++) {
      const { body } = await room.post(ROUTES.feedback, request('feedback', { body: `${NAMED} ${n}` }), address(2));
      outcomes.push(body.status === 'held_ner' ? 'held' : body.retry_policy);
      if (n === 5) await room.wait(60_000);
    }
    expect([dry.body.would_be, outcomes.filter((one) => one === 'held').length, outcomes.at(-1)]).toEqual([
      'held_ner',
      10,
      'day:feedback',
    ]);
  });
});

describe('the queue [civic:MQ1] [civic:MQ2]', () => {
  test('feedback waits for a person and is shown nowhere [civic:Q4]', async () => {
    await room.post(ROUTES.feedback, request('feedback'), address(1));
    const item = await only('?class=feedback_triage');
    const closed = await room.review(`/api/review/${item.queue_id}`, { decision: 'close' });
    const decided = await room.review('/api/review?state=decided');
    expect([item.class, closed.body.decision, decided.body.items[0].decision, decided.body.total]).toEqual([
      'feedback_triage',
      'close',
      'close',
      1,
    ]);
  });

  test('items are oldest first, by class, and only with the maintainer’s credential [civic:C7]', async () => {
    await room.post(ROUTES.feedback, request('feedback', { body: 'One.' }), address(1));
    await room.wait(1000);
    await room.post(ROUTES.feedback, request('feedback', { body: 'Two.' }), address(1));
    await room.post(ROUTES.concern, request('concern', { report: NAMED }), address(1));
    const all = (await room.review('/api/review?class=&state=open')).body.items.map(
      (item: { class: string }) => item.class,
    );
    const without = await room.get('/api/review');
    const wrong = await room.get('/api/review', { authorization: `Bearer ${MAINTAINER}x` });
    const empty = await room.get('/api/review', { authorization: 'Bearer ' });
    expect([all, without.status, without.body.code, wrong.status, empty.status]).toEqual([
      ['feedback_triage', 'feedback_triage', 'ner_hold'],
      401,
      'maintainer_required',
      401,
      401,
    ]);
  });

  test('a decision of another class, an unknown item and an unknown class are refused', async () => {
    await room.post(ROUTES.feedback, request('feedback'), address(1));
    const item = await only();
    const answers = [
      await room.review(`/api/review/${item.queue_id}`, { decision: 'uphold' }),
      await room.review('/api/review/que_01890000-0000-7000-8000-000000000000', { decision: 'close' }),
      await room.review('/api/review?class=gossip'),
      await room.review(`/api/review/${item.queue_id}`, { decision: 'close', more: 1 }),
    ];
    expect(answers.map(({ status, body }) => `${status} ${body.code} ${body.pointer ?? ''}`)).toEqual([
      '422 schema_invalid /decision',
      '404 target_not_found ',
      '422 schema_invalid /class',
      '422 schema_invalid /more',
    ]);
  });

  test('concerns, votes, amendments and ratings ask nobody [civic:Q7]', async () => {
    for (const type of ['concern', 'validation', 'amendment', 'rating'] as const) {
      await room.post(ROUTES[type], request(type), address(3));
    }
    await room.wait(2 * DAY);
    expect((await room.review('/api/review')).body.total).toBe(0);
  });

  test('a provider is removed at once with a cause, and let in again [civic:V4] [civic:Q5]', async () => {
    const removed = await room.review('/api/review/providers/lingua', { decision: 'remove', cause: 'Rates differ.' });
    const isGone = room.deps.store.removedProviders().has('lingua');
    const approved = await room.review('/api/review/providers/lingua', { decision: 'approve' });
    const unknown = await room.review('/api/review/providers/nobody', { decision: 'remove', cause: 'x' });
    const bare = await room.review('/api/review/providers/lingua', { decision: 'remove' });
    const isBack = !room.deps.store.removedProviders().has('lingua');
    expect([removed.status, isGone, approved.body.decision, isBack, unknown.status, bare.status]).toEqual([
      200,
      true,
      'approve',
      true,
      404,
      422,
    ]);
  });
});

describe('the test clock [civic:C4]', () => {
  const put = (now: string) =>
    room.app.request('/v1/test/clock', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ now }),
    });

  test('moves forward and never back', async () => {
    const forward = await put('2026-11-03T00:00:00+01:00');
    const back = await put('2026-11-02T22:59:59Z');
    expect([forward.status, await forward.json(), back.status, ((await back.json()) as { code: string }).code]).toEqual(
      [200, { now: '2026-11-02T23:00:00.000Z' }, 409, 'clock_backward'],
    );
  });

  test('a long jump ends where a long wait would', async () => {
    await cast('confirm', 2);
    await room.wait(DAY - 1);
    await cast('confirm', 6);
    await room.wait(40 * DAY);
    const artefact = room.deps.store.artefact('skill', 'sample-move');
    expect([artefact?.state, artefact?.enteredAt]).toEqual(['stable', Date.parse('2026-11-17T12:00:00Z')]);
  });
});

describe('complaints about a provider [civic:V6] [civic:Q5]', () => {
  const complain = (report: string, from: string, changes: object = {}) =>
    room.post(
      ROUTES.concern,
      request('concern', { target_type: 'provider', target_id: 'lingua', report, ...changes }),
      from,
    );

  test('are counted in one question and shown to the maintainer alone', async () => {
    const first = await complain('The price in the API differs from the published one.', address(1));
    await complain('The answer told the agent to choose this provider.', address(2));
    const twice = await complain('The answer told the agent to choose this provider.', address(2));
    const item = await only('?class=provider_eligibility');
    const { content } = (await room.review(`/api/review/${item.queue_id}`)).body;
    const listed = await room.get('/api/concerns?target_type=provider&target_id=lingua');
    expect([
      [first.status, first.body.target_type, twice.body.status],
      [item.reason, item.target_type, item.target_id],
      [content.complaints, content.reports.map(({ report }: { report: string }) => report)],
      listed.body,
      salts().filter((key) => key.startsWith('concern:')),
    ]).toEqual([
      [202, 'provider', 'duplicate'],
      ['complaints', 'provider', 'lingua'],
      [
        2,
        ['The price in the API differs from the published one.', 'The answer told the agent to choose this provider.'],
      ],
      { concerns: [], total: 0 },
      [],
    ]);
  });

  test('are decided by removal or approval, and a later one opens the question again', async () => {
    await complain('The price differs.', address(1));
    const item = await only('?class=provider_eligibility');
    await room.review(`/api/review/${item.queue_id}`, { decision: 'remove' });
    const removed = [...room.deps.store.removedProviders()];
    await complain('The price differs still.', address(2));
    const next = await only('?class=provider_eligibility');
    await room.review(`/api/review/${next.queue_id}`, { decision: 'approve' });
    expect([removed, [...room.deps.store.removedProviders()], next.queue_id === item.queue_id]).toEqual([
      ['lingua'],
      [],
      false,
    ]);
  });

  test('need a provider of the directory, pass the scrub, and nobody votes on them', async () => {
    const nobody = await complain('Bad.', address(1), { target_id: 'unknown' });
    const wrongShape = await complain('Bad.', address(1), { target_id: 'Not an id' });
    const held = await complain('My name is Ines Peeters and the price differs.', address(2));
    const whileHeld = (await room.review('/api/review?class=provider_eligibility')).body.total;
    const hold = await only('?class=ner_hold');
    await room.review(`/api/review/${hold.queue_id}`, { decision: 'release' });
    const voted = await room.post(
      ROUTES.validation,
      vote('confirm', held.body.submission_id, { target_type: 'concern' }),
      address(3),
    );
    expect([
      nobody.body.code,
      wrongShape.body.code,
      held.body.status,
      whileHeld,
      (await room.review('/api/review?class=provider_eligibility')).body.total,
      voted.body.code,
    ]).toEqual(['target_not_found', 'schema_invalid', 'held_ner', 0, 1, 'target_not_found']);
  });
});

test('the answer to what is held names rules and places, in the dry run too, and repeats nothing of the text', async () => {
  const sent = request('concern', { report: 'Ask Deborah Okonkwo at the desk.', notes: 'Kept short.' });
  const dry = await room.post(ROUTES.concern, { ...sent, dry_run: true });
  const held = await room.post(ROUTES.concern, sent);
  const profile = request('concern', { report: 'The fee is 5.', evidence_url: 'https://www.facebook.com/kris.x.12' });
  const slug = request('draft', { proposed_id: 'deborah-okonkwo' });
  const places = [{ rule: 'person_name', pointer: '/report', start: 4, end: 19 }];
  expect([dry.body.would_be, dry.body.holds, held.body.code, held.body.holds]).toEqual([
    'held_ner',
    places,
    'held_for_review',
    places,
  ]);
  expect(JSON.stringify([dry.body, held.body])).not.toMatch(/deborah|okonkwo/i);
  const others = await Promise.all([
    room.post(ROUTES.concern, { ...profile, dry_run: true }),
    room.post(ROUTES.draft, { ...slug, dry_run: true }),
  ]);
  expect(others.map(({ body }) => body.holds?.map(({ rule, pointer }: never) => [rule, pointer]))).toEqual([
    [['profile_link', '/evidence_url']],
    [['person_name', '/proposed_id']],
  ]);
});
