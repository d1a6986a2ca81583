import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { address, common, freshId, ITEMS, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
let senders = 1000;
beforeAll(async () => {
  room = await createWriteRoom();
});
afterAll(() => room.close());

const fresh = () => address(senders++);
const item = (type: keyof typeof ITEMS, changes: object = {}) => ({ type, ...ITEMS[type], ...changes });
const envelope = (items: unknown, changes: object = {}) => ({ ...common(changes), items });

describe('the envelope [civic:SU2] [civic:SU6] [civic:W1]', () => {
  test('a number that begins in one item and ends in the next is refused', async () => {
    const reports = ['Call 0475 12', '34 56 is the rest', 'Nothing else.', 'See page 12', '3 copies are enough'];
    const items = reports.map((report) => item('concern', { report }));
    const { body } = await room.post('/api/feedback', envelope(items, { dry_run: true }), fresh());
    expect(body.results.map((one: Record<string, unknown>) => one.code ?? one.would_be)).toEqual([
      'scrub_rejected',
      'accepted',
      'accepted',
      'accepted',
      'accepted',
    ]);
  });

  test('each item is judged on its own, with pointers from the top', async () => {
    const items = [
      item('concern'),
      item('rating', { score: 7 }),
      { type: 'observation', report: 'x' },
      item('validation', { user_id: 1 }),
      item('validation', { target_id: 'absent' }),
      item('draft', { proposed_id: 'sample-second' }),
      item('concern'),
      'nonsense',
    ];
    const { status, body } = await room.post('/api/feedback', envelope(items), fresh());
    const id = body.results[0].submission_id;
    expect([status, body]).toEqual([
      202,
      {
        results: [
          { index: 0, type: 'concern', status: 'accepted', submission_id: expect.stringMatching(/^sub_/) },
          {
            index: 1,
            type: 'rating',
            status: 'rejected',
            code: 'schema_invalid',
            pointer: '/items/1/score',
            errors: [{ pointer: '/items/1/score', keyword: 'maximum', message: 'is more than 5' }],
          },
          expect.objectContaining({ index: 2, status: 'rejected', code: 'schema_invalid', pointer: '/items/2/type' }),
          expect.objectContaining({ index: 3, status: 'rejected', code: 'banned_field', pointer: '/items/3/user_id' }),
          { index: 4, type: 'validation', status: 'rejected', code: 'target_not_found', pointer: '/items/4' },
          expect.objectContaining({ index: 5, status: 'accepted', cancel_token: expect.stringMatching(/^can_/) }),
          { index: 6, type: 'concern', status: 'duplicate', submission_id: id },
          expect.objectContaining({ index: 7, status: 'rejected', code: 'schema_invalid', pointer: '/items/7' }),
        ],
        accepted: 3,
        rejected: 5,
      },
    ]);
  });

  test('nothing accepted is 422, only limits 429, a dry run 200', async () => {
    const none = await room.post('/api/feedback', envelope([item('rating', { score: 0 })]), fresh());
    const dry = await room.post('/api/feedback', envelope([item('rating')], { dry_run: true }), fresh());
    const from = fresh();
    const drafts = (n: number) => item('draft', { proposed_id: `sample-many-${n}` });
    await room.post('/api/feedback', envelope([1, 2, 3].map(drafts)), from);
    const limited = await room.post('/api/feedback', envelope([drafts(4)]), from);
    expect([none.status, dry.status, dry.body.results[0], limited.status, limited.body.results[0]]).toEqual([
      422,
      200,
      { index: 0, type: 'rating', status: 'dry_run_ok', would_be: 'accepted' },
      429,
      {
        index: 0,
        type: 'draft',
        status: 'rate_limited',
        code: 'rate_limited',
        pointer: '/items/0',
        retry_after_seconds: 12 * 3600,
        retry_policy: 'day:draft',
      },
    ]);
  });

  test.each([
    ['no items', envelope([]), '/items minItems'],
    ['21 items', envelope(Array.from({ length: 21 }, () => item('feedback'))), '/items maxItems'],
    ['items that are no list', envelope({}), '/items type'],
    ['absent items', common(), '/items required'],
    ['a common member among the items', envelope([item('feedback')], { session_id: 'ses_1' }), '/session_id pattern'],
    ['an unknown member outside', envelope([item('feedback')], { report: 'x' }), '/report additionalProperties'],
    ['no object', [], ' type'],
  ])('%s is one problem', async (_, sent, expected) => {
    const { status, body } = await room.post('/api/feedback', sent, fresh());
    expect([status, body.code, `${body.pointer} ${body.keyword}`, body.results]).toEqual([
      422,
      'schema_invalid',
      expected,
      undefined,
    ]);
  });

  test('common members have no place inside an item', async () => {
    const { body } = await room.post('/api/feedback', envelope([item('feedback', { dry_run: true })]), fresh());
    expect(body.results[0].errors).toEqual([
      { pointer: '/items/0/dry_run', keyword: 'additionalProperties', message: 'is not a known member' },
    ]);
  });

  test('what is noted in a common member is told by its own place, what is noted in an item by the item’s', async () => {
    const sent = envelope([item('feedback', { body: 'Dossier 12345678.' })], { submitting_agent: 'agent/20261102' });
    const { body } = await room.post('/api/feedback', sent, fresh());
    expect(body.results[0].advisories).toEqual([
      { rule: 'long_digit_run', pointer: '/submitting_agent', start: 6, end: 14 },
      { rule: 'long_digit_run', pointer: '/items/0/body', start: 8, end: 16 },
    ]);
  });

  test('an envelope is one request of the burst', async () => {
    const from = fresh();
    const { headers } = await room.post('/api/feedback', envelope([item('feedback'), item('rating')]), from);
    expect(headers.get('ratelimit')).toBe('"burst";r=9;t=60');
  });
});

describe('idempotency [civic:SU20]', () => {
  test('the same id, session and content is a duplicate, from anywhere and at any time', async () => {
    const sent = { ...request('feedback'), submission_id: freshId('sub') };
    const first = await room.post(ROUTES.feedback, sent, fresh());
    const second = await room.post(ROUTES.feedback, { ...sent, submitted_at: '2026-11-02T13:00:00Z' }, fresh());
    expect([first.status, second.status, second.body]).toEqual([
      202,
      200,
      { submission_id: sent.submission_id, type: 'feedback', status: 'duplicate' },
    ]);
  });

  test('the same id for anything else is a conflict', async () => {
    const sent = { ...request('feedback'), submission_id: freshId('sub') };
    await room.post(ROUTES.feedback, sent, fresh());
    const content = await room.post(ROUTES.feedback, { ...sent, body: 'Another text.' }, fresh());
    const session = await room.post(ROUTES.feedback, { ...sent, session_id: freshId('ses') }, fresh());
    expect([content, session].map(({ status, body }) => [status, body.code])).toEqual([
      [409, 'duplicate'],
      [409, 'duplicate'],
    ]);
  });

  test('the same content from the same address is a duplicate with the first id, and costs burst only', async () => {
    const from = fresh();
    const first = await room.post(ROUTES.feedback, request('feedback'), from);
    const again = await room.post(ROUTES.feedback, request('feedback'), from);
    const other = await room.post(ROUTES.feedback, request('feedback'), fresh());
    expect([again.body, again.headers.get('ratelimit'), other.status]).toEqual([
      { submission_id: first.body.submission_id, type: 'feedback', status: 'duplicate' },
      '"burst";r=8;t=60',
      202,
    ]);
  });

  test('a duplicate has one effect', async () => {
    const sent = request('feedback', { body: 'Once only, please.' });
    const from = fresh();
    await room.post(ROUTES.feedback, sent, from);
    await room.post(ROUTES.feedback, sent, from);
    const { body } = await room.get(`/api/submissions?session_id=${sent.session_id}`);
    expect(body.submissions.length).toBe(1);
  });
});

describe('limits [civic:X1] [civic:X3]', () => {
  test('the eleventh request of a minute waits until the first is a minute old', async () => {
    const from = fresh();
    for (let i = 0; i < 9; i++) await room.post(ROUTES.rating, request('rating', { dry_run: true }), from);
    await room.wait(20_000);
    await room.post(ROUTES.rating, request('rating', { dry_run: true }), from);
    const refused = await room.post(ROUTES.rating, request('rating', { dry_run: true }), from);
    await room.wait(40_000);
    const admitted = await room.post(ROUTES.rating, request('rating', { dry_run: true }), from);
    expect([
      refused.status,
      refused.headers.get('retry-after'),
      refused.body.retry_after_seconds,
      refused.body.retry_policy,
      refused.headers.get('ratelimit'),
      admitted.status,
    ]).toEqual([429, '40', 40, 'burst', '"burst";r=0;t=40', 200]);
  });

  test('cancels count to the burst', async () => {
    const from = fresh();
    const cancel = () => room.post(`/api/submissions/${freshId('sub')}/cancel`, { cancel_token: 'can_x' }, from);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await cancel()).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 404), 429]);
  });

  test.each([
    ['draft', 3],
    ['amendment', 20],
    ['concern', 30],
    ['feedback', 10],
    ['rating', 20],
  ] as const)('a day takes so many of the type %s: %i', async (type, allowed) => {
    const from = fresh();
    const changes = (n: number) =>
      ({
        draft: { proposed_id: `sample-day-${n}` },
        amendment: { rationale: `Reason ${n}.` },
        concern: { report: `Report ${n}.` },
        feedback: { body: `Text ${n}.` },
        rating: { would_be_5_stars: `Text ${n}.` },
      })[type];
    const outcomes: string[] = [];
    for (let n = 0; n <= allowed; n++) {
      const { body } = await room.post(ROUTES[type], request(type, changes(n)), from);
      outcomes.push(body.status === 'accepted' ? 'accepted' : body.retry_policy);
      if (n % 9 === 8) await room.wait(61_000);
    }
    expect(outcomes).toEqual([...Array.from({ length: allowed }, () => 'accepted'), `day:${type}`]);
  });

  test('sixty in all, and a new day at midnight', async () => {
    const from = fresh();
    const send = (n: number) =>
      room.post(
        '/api/feedback',
        envelope(Array.from({ length: 20 }, (_, i) => item('concern', { report: `R ${n}/${i}` }))),
        from,
      );
    const ratings = Array.from({ length: 20 }, (_, i) => item('rating', { would_be_5_stars: `S ${i}` }));
    await send(1);
    const second = await send(2);
    const third = await room.post('/api/feedback', envelope(ratings), from);
    const feedback = Array.from({ length: 11 }, (_, i) => item('feedback', { body: `B ${i}` }));
    const fourth = await room.post('/api/feedback', envelope(feedback), from);
    const policies = fourth.body.results.map((one: { retry_policy?: string }) => one.retry_policy);
    await room.wait(12 * HOUR);
    const tomorrow = await room.post('/api/feedback', envelope([item('feedback', { body: 'Next day.' })]), from);
    expect([second.body.accepted, third.body.accepted, fourth.body.accepted, policies.at(-1), tomorrow.status]).toEqual(
      [10, 20, 10, 'day', 202],
    );
  });

  test('ten thousand submissions of one address and day: sixty at most are taken [civic:X1]', async () => {
    const from = fresh();
    await room.wait(DAY);
    let accepted = 0;
    for (let n = 0; n < 500; n++) {
      const items = Array.from({ length: 20 }, (_, i) =>
        item(i % 2 ? 'rating' : 'concern', i % 2 ? { would_be_5_stars: `${n} ${i}` } : { report: `Flood ${n} ${i}` }),
      );
      const { status, body } = await room.post('/api/feedback', envelope(items), from);
      if (status === 202) accepted += body.accepted;
      if (n % 50 === 49) await room.wait(60_000);
    }
    expect(accepted).toBe(50);
  });
});

test('the list of a session is by id and has no content, and an unknown session is empty [civic:SU23] [civic:C10]', async () => {
  const session_id = freshId('ses');
  const from = fresh();
  await room.post(
    '/api/feedback',
    { ...envelope([item('feedback'), item('draft', { proposed_id: 'sample-list' })]), session_id },
    from,
  );
  const ids = Array.from({ length: 5 }, () => freshId('sub')).reverse();
  const ratings = ids.map((submission_id) => item('rating', { submission_id, would_be_5_stars: submission_id }));
  const turned = freshId('ses');
  await room.post('/api/feedback', { ...envelope(ratings), session_id: turned }, from);
  const sorted = (await room.get(`/api/submissions?session_id=${turned}`)).body.submissions;
  expect(sorted.map((one: { submission_id: string }) => one.submission_id)).toEqual([...ids].sort());
  const { status, body, headers } = await room.get(`/api/submissions?session_id=${session_id}`);
  const unknown = await room.get(`/api/submissions?session_id=${freshId('ses')}`);
  const wrong = await room.get('/api/submissions?session_id=me');
  expect([status, headers.get('cache-control'), body, unknown.status, unknown.body.submissions, wrong.status]).toEqual([
    200,
    'no-store',
    {
      session_id,
      submissions: expect.arrayContaining([
        { submission_id: expect.any(String), type: 'feedback', status: 'committed' },
        {
          submission_id: expect.any(String),
          type: 'draft',
          status: 'staged',
          target_type: 'skill',
          target_id: 'sample-list',
        },
      ]),
    },
    200,
    [],
    422,
  ]);
});
