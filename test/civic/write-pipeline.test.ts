import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  address,
  common,
  faults,
  freshId,
  ITEMS,
  type ItemType,
  ROUTES,
  request,
} from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, HOUR, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
let senders = 1000;
beforeAll(async () => {
  room = await createWriteRoom();
});
afterAll(() => room.close());

/** Posts from an address that nobody used before. */
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  room.post(path, body, address(senders++), headers);

describe('typed requests', () => {
  test.each([
    ['concern', { target_type: 'skill', target_id: 'sample-move' }],
    ['validation', { target_type: 'skill', target_id: 'sample-move' }],
    ['feedback', {}],
    ['rating', { target_type: 'skill', target_id: 'sample-move' }],
  ] as const)(
    'a %s is committed at once and has no cancel token [civic:SU1] [civic:SU5] [civic:SU22]',
    async (type, target) => {
      const { status, body } = await post(ROUTES[type], request(type));
      expect([status, body]).toEqual([
        202,
        { submission_id: expect.stringMatching(/^sub_/), type, status: 'accepted', ...target },
      ]);
    },
  );

  test.each(['draft', 'amendment'] as const)(
    'a %s is staged for a day and can be cancelled [civic:SU22]',
    async (type) => {
      const sent = request(type);
      const { status, body } = await post(ROUTES[type], sent);
      const id = body.submission_id as string;
      expect([status, body]).toEqual([
        202,
        {
          submission_id: id,
          type,
          status: 'accepted',
          target_type: 'skill',
          target_id: type === 'draft' ? 'sample-new' : 'sample-move',
          cancel_token: expect.stringMatching(/^can_[A-Za-z0-9_-]{43}$/),
          cancel_url: `http://127.0.0.1:7717/api/submissions/${id}/cancel`,
          cancel_until: new Date(room.deps.clock.now() + 24 * HOUR).toISOString(),
        },
      ]);
      const wrong = await post(`/api/submissions/${id}/cancel`, { cancel_token: `can_${'A'.repeat(43)}` });
      const unknown = await post(`/api/submissions/${freshId('sub')}/cancel`, { cancel_token: body.cancel_token });
      expect([wrong.status, wrong.body.detail]).toEqual([404, unknown.body.detail]);
      const cancelled = await post(`/api/submissions/${id}/cancel`, { cancel_token: body.cancel_token });
      expect([cancelled.status, cancelled.body]).toEqual([200, { submission_id: id, status: 'cancelled' }]);
      expect((await room.get(`/api/submissions?session_id=${sent.session_id}`)).body.submissions[0].status).toBe(
        'cancelled',
      );
    },
  );

  test('members stand in the order in which they are named [civic:SU5] [civic:SU6]', async () => {
    const names = (value: object) => Object.keys(value).join(' ');
    const report = 'My name is Jan Peeters, company 0403.170.701.';
    const draft = request('draft', { proposed_id: 'sample-order', commit_message: 'Add one, by Jan Peeters.' });
    const held = (await post(ROUTES.draft, draft)).body;
    const concern = (await post(ROUTES.concern, request('concern', { report }))).body;
    const dry = (await post(ROUTES.concern, request('concern', { report, dry_run: true }))).body;
    const items = [{ type: 'amendment', ...ITEMS.amendment }];
    const { results } = (await post('/api/feedback', { ...common(), items })).body;
    expect([names(held), names(concern), names(dry), names(results[0])]).toEqual([
      'submission_id type status code target_type target_id cancel_token cancel_url holds next',
      'submission_id type status code target_type target_id advisories holds next',
      'type status would_be advisories holds next',
      'index type status submission_id cancel_token cancel_url cancel_until',
    ]);
  });

  test('answers carry what is left and are not stored by caches [civic:X3] [civic:K14]', async () => {
    const { headers } = await post(ROUTES.concern, request('concern'));
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('cache-control')]).toEqual([
      '"burst";q=10;w=60, "day";q=60;w=86400',
      '"burst";r=9;t=60',
      'no-store',
    ]);
  });

  test('a dry run checks everything and stores nothing [civic:SU21]', async () => {
    const sent = request('concern', { dry_run: true });
    const dry = await post(ROUTES.concern, sent);
    const list = await room.get(`/api/submissions?session_id=${sent.session_id}`);
    const missing = await post(ROUTES.validation, request('validation', { dry_run: true, target_id: 'nowhere' }));
    expect([dry.status, dry.body, list.body.submissions, missing.status]).toEqual([
      200,
      { type: 'concern', status: 'dry_run_ok', would_be: 'accepted' },
      [],
      404,
    ]);
  });
});

describe('the target matrix [civic:W4] [civic:SU8]', () => {
  const targets: Record<string, string> = {
    skill: 'sample-move',
    volatile_value: 'val-01',
    reference: 'ref-01',
    path: 'sample-portal',
    path_source: 'sample-portal:web',
    skill_graph: 'graph',
    observation: freshId('sub'),
    agent_protocol: '1.0.0',
    session: '',
    provider: 'lingua',
  };
  const matrix: Record<string, string[]> = {
    concern: ['skill', 'volatile_value', 'reference', 'path', 'path_source', 'skill_graph', 'provider'],
    amendment: ['skill', 'path', 'path_source', 'volatile_value', 'reference'],
    validation: ['skill', 'volatile_value', 'reference', 'path', 'path_source', 'observation'],
    rating: ['skill', 'agent_protocol', 'session'],
    draft: ['skill', 'path'],
  };
  const cells = Object.keys(matrix).flatMap((type) => Object.keys(targets).map((target) => [type, target] as const));

  test.each(cells)('%s on %s', async (type, target) => {
    const sent = request(type as ItemType, { target_type: target }) as Record<string, unknown>;
    if (type !== 'draft') sent.target_id = target === 'session' ? sent.session_id : targets[target];
    const { status, body } = await post(ROUTES[type as ItemType], { ...sent, dry_run: true });
    const isRefused = status === 422 && faults(body).includes('/target_type enum');
    expect(isRefused).toBe(!matrix[type]?.includes(target));
  });

  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])(
    'a name that every object has is no target: %j',
    async (target) => {
      for (const type of ['concern', 'amendment', 'validation', 'draft', 'rating'] as const) {
        const sent = JSON.stringify(request(type)).replace('"skill"', JSON.stringify(target));
        const { status, body } = await post(ROUTES[type], sent);
        expect([status, body.code, faults(body)[0]]).toEqual([422, 'schema_invalid', '/target_type enum']);
      }
    },
  );

  test('feedback has no target', async () => {
    const { status, body } = await post(ROUTES.feedback, request('feedback', { target_type: 'skill' }));
    expect([status, body.code, faults(body)]).toEqual([422, 'schema_invalid', ['/target_type additionalProperties']]);
  });

  test.each([
    ['skill', 'Not Kebab'],
    ['skill', 'x'.repeat(65)],
    ['path', 'x'.repeat(65)],
    ['path_source', `${'x'.repeat(65)}:web`],
    ['path_source', 'sample-portal'],
    ['volatile_value', 'fee'],
    ['reference', 'val-01'],
    ['observation', 'sample-move'],
  ])(
    'an id of the wrong shape for a %s is a fault of pattern [civic:SU10] [civic:W5]',
    async (target_type, target_id) => {
      const traversal = {
        attempted_at: '2026-11-02T10:00:00Z',
        outcome: 'success',
        signals_matched: [],
        duration_bucket: '<1m',
      };
      const { status, body } = await post(
        ROUTES.validation,
        request('validation', {
          target_type,
          target_id,
          ...(target_type === 'path_source' ? { traversal_metadata: traversal } : {}),
        }),
      );
      expect([status, faults(body)]).toEqual([422, ['/target_id pattern']]);
    },
  );

  test('a target of the right shape that is not there, or a draft, is not found', async () => {
    const ids = ['absent', 'sample-hidden'];
    const answers = await Promise.all(
      ids.map((target_id) => post(ROUTES.validation, request('validation', { target_id }))),
    );
    const source = await post(
      ROUTES.concern,
      request('concern', { target_type: 'path_source', target_id: 'sample-portal:none' }),
    );
    expect([...answers, source].map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 3 }, () => [404, 'target_not_found']),
    );
  });

  test('a session rates itself only [civic:SU10]', async () => {
    const sent = request('rating', { target_type: 'session', target_id: freshId('ses') });
    expect(faults((await post(ROUTES.rating, sent)).body)).toEqual(['/target_id pattern']);
  });
});

describe('the order of checks [civic:SU7] [civic:T1]', () => {
  const bad: Record<string, unknown> = {
    ...request('validation', { target_id: 'absent', verdict: 'maybe', user_email: 'x', cancel_token: 'y' }),
    submission_contract_version: '2.0.0',
    declared_capabilities: [],
    rationale: 'Mail anna.peeters@gmail.com',
  };

  test('each repaired fault shows the next one', async () => {
    const { user_email: _, ...unbanned }: Record<string, unknown> = { ...bad, submission_contract_version: '1.9.0' };
    const { cancel_token: __, ...clean }: Record<string, unknown> = unbanned;
    const capabilities = request('validation').declared_capabilities;
    const steps = [
      '{"half',
      bad,
      { ...bad, submission_contract_version: '1.9.0' },
      unbanned,
      clean,
      { ...clean, verdict: 'confirm' },
      { ...clean, verdict: 'confirm', declared_capabilities: capabilities },
      { ...clean, verdict: 'confirm', declared_capabilities: capabilities, rationale: 'Fine.' },
      {
        ...clean,
        verdict: 'confirm',
        declared_capabilities: capabilities,
        rationale: 'Fine.',
        target_id: 'sample-move',
        target_version: '9.0.0',
      },
    ];
    const codes: string[] = [];
    for (const step of steps) codes.push((await post(ROUTES.validation, step)).body.code);
    expect(codes).toEqual([
      'malformed_json',
      'contract_version_unsupported',
      'banned_field',
      'worker_field_supplied',
      'schema_invalid',
      'capability_insufficient',
      'scrub_rejected',
      'target_not_found',
      'target_version_stale',
    ]);
  });

  test('size comes before burst, and burst before the body is read [civic:X4] [civic:X1]', async () => {
    const from = address(1);
    for (let i = 0; i < 10; i++) await room.post(ROUTES.rating, '{', from);
    const malformed = await room.post(ROUTES.rating, '{', from);
    const large = await room.post(ROUTES.rating, JSON.stringify({ x: 'y'.repeat(1024 * 1024) }), from);
    expect([malformed.status, malformed.body.retry_policy, large.status, large.body.code]).toEqual([
      429,
      'burst',
      413,
      'payload_too_large',
    ]);
  });

  test('the version that is current is told with a stale one [civic:K3]', async () => {
    const { status, body } = await post(ROUTES.validation, request('validation', { target_version: '0.9.0' }));
    expect([status, body.code, body.current_version]).toEqual([409, 'target_version_stale', '1.0.0']);
    expect([body.detail.includes('target_version 1.0.0'), body.detail.includes('base_version')]).toEqual([true, false]);
  });

  test('an unsupported contract names what is supported', async () => {
    const { status, body } = await post(ROUTES.rating, { ...request('rating'), submission_contract_version: '3.0.0' });
    expect([status, body.supported]).toEqual([400, ['1']]);
  });

  test('a problem has all its faults, sorted by pointer, and says where the schema is [civic:SU7]', async () => {
    const { score: _, ...sent }: Record<string, unknown> = request('rating', {
      axis: 'beauty',
      extra: 1,
      target_id: 'Not Kebab',
    });
    const { status, body, headers } = await post(ROUTES.rating, { ...sent, schema_version: 2 });
    expect([status, headers.get('content-type'), body.schema_url, body.pointer, body.keyword, faults(body)]).toEqual([
      422,
      'application/problem+json',
      'http://127.0.0.1:7717/agents/schemas/rating.json',
      '/axis',
      'enum',
      ['/axis enum', '/extra additionalProperties', '/schema_version const', '/score required', '/target_id pattern'],
    ]);
  });
});

describe('media and methods [civic:SU25]', () => {
  test('a body that is not JSON by its type is refused', async () => {
    const { status, body } = await post(ROUTES.rating, request('rating'), { 'content-type': 'text/plain' });
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  });

  test('another method is answered with those that are allowed', async () => {
    const response = await room.app.request(ROUTES.amendment, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

test('the tools are these, no retired one and none of the review [civic:W1] [civic:W2] [civic:C7]', async () => {
  const { submissionOperations } = await import('../../src/civic/submissions/operations.ts');
  const { reviewOperations } = await import('../../src/civic/review/operations.ts');
  const tools = [...submissionOperations, ...reviewOperations].flatMap(({ mcp }) => (mcp ? [mcp.tool] : []));
  expect(tools).toEqual([
    'submit_feedback',
    'submit_concern',
    'submit_amendment',
    'submit_validation',
    'submit_draft',
    'submit_feedback_channel',
    'submit_rating',
    'cancel_submission',
    'get_current_status',
    'get_concerns',
  ]);
});
