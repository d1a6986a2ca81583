import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { address, faults, freshId, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, PROBE, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
let senders = 1000;
beforeAll(async () => {
  room = await createWriteRoom();
});
afterAll(() => room.close());

/** Posts from an address that nobody used before. */
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  room.post(path, body, address(senders++), headers);

describe('forbidden members [civic:SU12]', () => {
  test('a banned name is refused at any depth, and told by its place', async () => {
    const sent = request('draft', {
      content: { frontmatter: { title: 'T', nested: [{ user_id: 1 }] }, body: '# T' },
      device_id: 'x',
    });
    const { status, body } = await post(ROUTES.draft, sent);
    expect([status, body.code, body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      422,
      'banned_field',
      ['/content/frontmatter/nested/0/user_id', '/device_id'],
    ]);
  });

  test.each([
    'accepted_at',
    'cohort_anchor',
    'regex_passes',
    'regex_validation',
    'ner_status',
    'cancel_token',
    'submitter_type',
  ])('%s is the server’s', async (name) => {
    const { status, body } = await post(ROUTES.concern, request('concern', { [name]: 'x' }));
    expect([status, body.code, body.pointer]).toEqual([422, 'worker_field_supplied', `/${name}`]);
  });

  test('only the probe’s credential may say ci_probe [civic:C8] [civic:W10]', async () => {
    const sent = request('validation', { submitter_type: 'ci_probe', dry_run: true });
    const refused = await post(ROUTES.validation, sent, { authorization: 'Bearer wrong' });
    const taken = await post(ROUTES.validation, sent, { authorization: `Bearer ${PROBE}` });
    expect([refused.body.code, taken.body.status]).toEqual(['worker_field_supplied', 'dry_run_ok']);
  });

  test('__proto__ is an unknown member, and the last of two equal keys wins [civic:SU25]', async () => {
    const text = JSON.stringify(request('rating'));
    const proto = await post(ROUTES.rating, `${text.slice(0, -1)},"__proto__":{"score":5}}`);
    const twice = await post(ROUTES.rating, `${text.slice(0, -1)},"score":9}`);
    expect([faults(proto.body), faults(twice.body)]).toEqual([['/__proto__ additionalProperties'], ['/score maximum']]);
  });

  test('a value that nests too deep is refused, however deep it is [civic:X4]', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const text = JSON.stringify(request('rating'));
    const { status, body } = await post(ROUTES.rating, `${text.slice(0, -1)},"deep":${deep}}`);
    expect([status, body.code, body.keyword]).toEqual([422, 'schema_invalid', 'maxDepth']);
  });
});

describe('capabilities [civic:SU11] [civic:T6]', () => {
  test.each([
    ['concern', {}, ['structured_output', 'multi_turn']],
    ['amendment', {}, ['structured_output', 'multi_turn', 'tool_execution', 'web_fetch']],
    ['validation', {}, ['structured_output', 'multi_turn', 'tool_execution', 'web_fetch']],
    ['validation', { target_type: 'concern', target_id: freshId('sub') }, ['structured_output', 'multi_turn']],
    ['draft', {}, ['file_read', 'structured_output', 'multi_turn', 'tool_execution', 'web_fetch']],
  ] as const)('a %s %j needs %j', async (type, changes, needed) => {
    const without = await post(ROUTES[type], { ...request(type, changes), declared_capabilities: [] });
    const last = needed.at(-1) as string;
    const almost = await post(ROUTES[type], {
      ...request(type, changes),
      declared_capabilities: needed.filter((one) => one !== last),
    });
    expect([without.status, without.body.required_capability, almost.body.required_capability]).toEqual([
      403,
      needed,
      [last],
    ]);
  });

  test('feedback and rating need none', async () => {
    const types = ['feedback', 'rating'] as const;
    const answers = await Promise.all(
      types.map((type) => post(ROUTES[type], { ...request(type), declared_capabilities: [] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  });
});
