import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtefactType } from '../../src/civic/lifecycle/artefact.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { ROUTES, request, traversal, vote } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

/** One scheme for everything that is voted on: skills, paths, their sources, values, references, concerns. */

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(() => room.close());

const { agree, salts } = look(() => room);
const WRITER = '203.0.113.7';

interface Kind {
  readonly target: { readonly target_type: string; readonly target_id: string };
  /** What its votes and hashes are kept under. */
  readonly artefact: readonly [ArtefactType, string];
  readonly content: object;
  /** After a change of the artefact, which is what makes the writer a submitter. */
  readonly version: string;
}

const change = (subtype: string, member: object) => ({ amendment_subtype: subtype, [subtype]: member });
const KINDS: Record<string, Kind> = {
  skill: {
    target: { target_type: 'skill', target_id: 'sample-move' },
    artefact: ['skill', 'sample-move'],
    content: change('frontmatter_change', { field_path: 'title', proposed_value: 'Another title' }),
    version: '1.1.0',
  },
  path: {
    target: { target_type: 'path', target_id: 'sample-portal' },
    artefact: ['path', 'sample-portal'],
    content: change('frontmatter_change', { field_path: 'title', proposed_value: 'Another title' }),
    version: '1.1.0',
  },
  path_source: {
    target: { target_type: 'path_source', target_id: 'sample-portal:web' },
    artefact: ['path', 'sample-portal'],
    content: change('frontmatter_change', { field_path: 'priority', proposed_value: 5 }),
    version: '1.1.0',
  },
  volatile_value: {
    target: { target_type: 'volatile_value', target_id: 'val-01' },
    artefact: ['volatile_value', 'val-01'],
    content: change('value_change', { proposed_value: '30' }),
    version: '1.1.0',
  },
  reference: {
    target: { target_type: 'reference', target_id: 'ref-01' },
    artefact: ['reference', 'ref-01'],
    content: change('reference_change', { url: 'https://law.example.org/2' }),
    version: '1.1.0',
  },
};

function ballot({ target, version }: Kind, verdict: 'confirm' | 'reject', changes: object = {}) {
  const changed = { ...target, target_version: version, ...changes };
  return target.target_type === 'path_source'
    ? traversal(verdict === 'confirm' ? 'success' : 'failure', changed)
    : vote(verdict, target.target_id, changed);
}

describe.each(Object.entries(KINDS))('a %s', (name, kind) => {
  test('has one salt, of its own or its path’s, and its writer cannot vote on it on any day [civic:I4] [civic:W9]', async () => {
    const { target, content } = kind;
    await room.post(ROUTES.amendment, request('amendment', { ...target, content }), WRITER);
    await agree();
    const own = await room.post(ROUTES.validation, ballot(kind, 'confirm'), WRITER);
    await room.wait(3 * DAY);
    const later = await room.post(ROUTES.validation, ballot(kind, 'reject'), `::ffff:${WRITER}`);
    const stranger = await room.post(ROUTES.validation, ballot(kind, 'confirm'), '203.0.113.8');
    const key = kind.artefact.join(':');
    expect([own.body.code, later.body.code, stranger.status, salts().filter((salt) => salt === key)]).toEqual([
      'self_validation',
      'self_validation',
      202,
      [key],
    ]);
  });

  test('counts the latest vote of an address, whatever agent and session it names and whatever the day [civic:I4] [civic:T5] [civic:L2]', async () => {
    const first = { ...kind, version: '1.0.0' };
    const agents = ['sample-agent/1.0', 'Trusted Agent/9.9', 'maintainer/1.0'];
    for (const submitting_agent of agents) {
      const sent = ballot(first, 'confirm', {
        submitting_agent,
        rationale: `Seen by ${submitting_agent.slice(0, 3)}.`,
      });
      expect((await room.post(ROUTES.validation, sent, '203.0.113.9')).status).toBe(202);
      await room.wait(DAY);
    }
    const votes = room.deps.store.artefact(...kind.artefact)?.votes.length;
    expect(votes).toBe(name === 'path_source' ? 0 : 1);
  });

  test('is scrubbed and limited like any other [civic:W9] [civic:X1]', async () => {
    const { target } = kind;
    const value = target.target_type === 'volatile_value' ? { observed_value: '31' } : {};
    const sent = (report: string) => request('concern', { ...target, ...value, report });
    const scrubbed = await room.post(ROUTES.concern, sent('Write to ann@example.org.'), WRITER);
    const statuses: number[] = [];
    for (let n = 0; n < 10; n++) statuses.push((await room.post(ROUTES.concern, sent(`Report ${n}.`), WRITER)).status);
    expect([scrubbed.body.code, scrubbed.body.errors[0].pointer, statuses]).toEqual([
      'scrub_rejected',
      '/report',
      [...Array.from({ length: 9 }, () => 202), 429],
    ]);
  });
});

test('what the folder holds at the first start has a record of its state, no submitter, and a salt while it is voted on [civic:K6]', () => {
  const { store } = room.deps;
  const record = ([type, id]: readonly [ArtefactType, string]) => {
    const artefact = store.artefact(type, id);
    const entered = artefact && new Date(artefact.enteredAt).toISOString();
    return [id, artefact?.state, entered, store.marks(type, id, 'submitter'), salts().includes(`${type}:${id}`)];
  };
  const now = '2026-11-02T12:00:00.000Z';
  expect(
    (
      [
        ['skill', 'sample-move'],
        ['skill', 'sample-birth'],
        ['skill', 'sample-marriage'],
        ['skill', 'sample-hidden'],
        ['volatile_value', 'val-02'],
      ] as const
    ).map(record),
  ).toEqual([
    ['sample-move', 'alpha', now, [], true],
    ['sample-birth', 'beta', now, [], true],
    ['sample-marriage', 'stable', now, [], false],
    ['sample-hidden', 'draft', now, [], false],
    ['val-02', 'stable', now, [], false],
  ]);
});

test('six hundred reads a minute are served to an address, the next waits; this machine’s own are not counted [civic:X2] [civic:X3]', async () => {
  const read = (socket: string) =>
    room.app.request('/api/concerns?target_type=skill&target_id=sample-move', {}, { socket });
  const statuses = new Map<number, number>();
  for (let n = 0; n < 601; n++) {
    const { status } = await read('198.51.100.9');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const refused = await read('198.51.100.9');
  const problem = (await refused.json()) as Record<string, unknown>;
  const own: number[] = [];
  for (let n = 0; n < 650; n++) own.push((await read('127.0.0.1')).status);
  await room.wait(60_000);
  expect([
    [...statuses],
    [problem.code, problem.retry_policy, problem.retry_after_seconds, refused.headers.get('retry-after')],
    own.every((status) => status === 200),
    (await read('198.51.100.9')).status,
  ]).toEqual([
    [
      [200, 600],
      [429, 1],
    ],
    ['rate_limited', 'read', 60, '60'],
    true,
    200,
  ]);
});
