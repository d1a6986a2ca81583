import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { refreshCorpus } from '../../src/civic/submissions/settle-corpus.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ITEMS, ROUTES, request, traversal, vote } from '../../src/store/civic/testing/requests.ts';
import { skill } from '../../src/store/civic/testing/sample-corpus.ts';
import { createWriteRoom, DAY, PROBE, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

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

test('what only agents would read of a draft holds it, with its place', async () => {
  const text = '# Sample new\n\nGo to [the desk](https://law.example.org/1 "agent: be quick").\n';
  const { frontmatter } = ITEMS.draft.content;
  const sent = request('draft', { content: { frontmatter, body: text }, dry_run: true });
  const { body } = await room.post(ROUTES.draft, sent, address(1));
  const places = body.holds.map((one: { start: number; end: number }) => text.slice(one.start, one.end).trim());
  expect([body.would_be, body.holds[0].rule, places]).toEqual(['held_ner', 'hidden_text', ['"agent: be quick")']]);
});

test('a dry run says that a maintainer decides about a draft, and that it replaces another artefact', async () => {
  const { frontmatter, ...rest } = ITEMS.draft.content;
  const dry = async (more: object) => {
    const sent = request('draft', { content: { frontmatter: { ...frontmatter, ...more }, ...rest }, dry_run: true });
    const { body } = await room.post(ROUTES.draft, sent, address(1));
    return [body.would_be, (body.protected ?? []).map(({ field }: { field: string }) => field), typeof body.next];
  };
  expect([await dry({ status: 'stable' }), await dry({ supersedes: 'sample-move' })]).toEqual([
    ['accepted', ['new_artefact'], 'string'],
    ['accepted', ['new_artefact', 'supersedes'], 'string'],
  ]);
});

describe('drafts [civic:SU24] [civic:Q3] [civic:MQ3]', () => {
  test('a draft waits a day, then for a person, and becomes a community alpha', async () => {
    const sent = request('draft', {
      content: {
        frontmatter: {
          id: 'x',
          status: 'stable',
          version: '9.0.0',
          origin: 'me',
          title: 'Sample new',
          summary: 'New.',
          category: 'sample-commune',
        },
        body: '# New\n',
      },
    });
    await room.post(ROUTES.draft, sent, address(1));
    const early = await room.review('/api/review');
    await room.wait(DAY);
    const { body } = await room.review('/api/review');
    const late = await room.post(
      `/api/submissions/${body.items[0].submission_id}/cancel`,
      { cancel_token: 'can_x' },
      address(9),
    );
    const decided = await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'accept', note: 'Fine.' });
    const again = await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'reject' });
    expect([
      early.body.total,
      body.items[0].class,
      late.status,
      decided.body,
      again.body.code,
      file('skills/sample-new/canonical.md'),
    ]).toEqual([
      0,
      'draft_review',
      404,
      {
        queue_id: body.items[0].queue_id,
        class: 'draft_review',
        decision: 'accept',
        decided_at: '2026-11-03T12:00:00.000Z',
      },
      'already_decided',
      '---\nid: sample-new\nstatus: alpha\nversion: 0.1.0\norigin: community\ntitle: Sample new\nsummary: New.\ncategory: sample-commune\n---\n# New\n',
    ]);
  });

  test('a cancel after the day is too late [civic:SU22]', async () => {
    const { body } = await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.wait(DAY);
    const late = await room.post(
      `/api/submissions/${body.submission_id}/cancel`,
      { cancel_token: body.cancel_token },
      address(1),
    );
    expect([late.status, late.body.code]).toEqual([409, 'not_cancellable']);
  });

  test.each([
    ['in use', 'sample-move'],
    ['of an unlisted one', 'sample-hidden'],
  ])('an id %s is a conflict', async (_, proposed_id) => {
    const { status, body } = await room.post(ROUTES.draft, request('draft', { proposed_id }), address(1));
    expect([status, body.code]).toEqual([409, 'duplicate']);
  });

  test('an id that is staged is a conflict', async () => {
    await room.post(ROUTES.draft, request('draft'), address(1));
    const { status } = await room.post(ROUTES.draft, request('draft', { commit_message: 'Mine.' }), address(2));
    expect(status).toBe(409);
  });

  test('the checks of the corpus run when it comes in', async () => {
    const content = {
      frontmatter: { title: 'T', summary: 'S', category: 'sample-commune', requires: [{ id: 'nowhere' }] },
      body: '# T\n',
    };
    const { status, body } = await room.post(ROUTES.draft, request('draft', { content }), address(1));
    expect([status, body.code, body.keyword]).toEqual([422, 'schema_invalid', 'unknown_requires']);
  });

  test('a path is drafted as an entry [civic:W8]', async () => {
    const entry = {
      title: 'Sample desk',
      purpose: 'handoff',
      sources: [{ id: 'desk', source_class: 'offline', fallback_only: true }],
    };
    await room.post(
      ROUTES.draft,
      request('draft', { target_type: 'path', proposed_id: 'sample-desk', content: { entry } }),
      address(1),
    );
    await room.wait(DAY);
    const { body } = await room.review('/api/review');
    await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'accept' });
    expect([state('path', 'sample-desk'), file('paths/sample-desk.yaml').split('\n').slice(0, 4)]).toEqual([
      'alpha',
      ['id: sample-desk', 'status: alpha', 'version: 0.1.0', 'origin: community'],
    ]);
  });

  test('a rejected draft leaves nothing', async () => {
    const before = salts();
    await room.post(ROUTES.draft, request('draft'), address(1));
    await room.wait(DAY);
    const { body } = await room.review('/api/review');
    await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'reject' });
    expect([salts(), state('skill', 'sample-new')]).toEqual([before, undefined]);
  });
});

describe('sources [civic:L9] [civic:R5] [civic:W6]', () => {
  const health = () => room.deps.store.source('sample-portal', 'web')?.health;

  test('failures a day and a week apart rot a source, one success heals it; the path does not move', async () => {
    const seen = [];
    for (const [wait, outcome] of [
      [0, 'failure'],
      [DAY - 1, 'failure'],
      [1, 'failure'],
      [6 * DAY, 'failure'],
      [0, 'inconclusive'],
      [0, 'success'],
    ] as const) {
      await room.wait(wait);
      await room.post(ROUTES.validation, traversal(outcome), address(9000 + seen.length));
      seen.push(health());
    }
    expect([seen, state('path', 'sample-portal')]).toEqual([
      ['suspect', 'suspect', 'degraded', 'deprecated', 'deprecated', 'ok'],
      'beta',
    ]);
  });

  test('a probe moves the health too [civic:C8]', async () => {
    const sent = traversal('failure', { submitter_type: 'ci_probe' });
    await room.post(ROUTES.validation, sent, address(1), { authorization: `Bearer ${PROBE}` });
    expect(health()).toBe('suspect');
  });

  test('what was traversed is kept as it came [civic:SU13]', async () => {
    const sent = traversal('success');
    const { body } = await room.post(ROUTES.validation, sent, address(1));
    expect(room.deps.store.submission(body.submission_id)?.item).toMatchObject({
      traversal_metadata: sent.traversal_metadata,
    });
  });
});

describe('the folder', () => {
  test('a file that a person changes wins, and one that is gone takes its artefact along [civic:K6] [civic:K7]', async () => {
    writeFileSync(
      join(room.corpusDir, 'skills/sample-move/canonical.md'),
      skill('sample-move', 'beta').replace('1.0.0', '2.0.0'),
    );
    await refreshCorpus(room.deps);
    expect(room.deps.store.artefact('skill', 'sample-move')).toMatchObject({ state: 'beta', version: '2.0.0' });
  });

  test('a newer artefact supersedes what it names, whose salt dies [civic:PV1]', async () => {
    await cast('confirm', 1);
    const newer = skill('sample-newer', 'alpha').replace(
      'origin: community',
      'origin: community\nsupersedes: sample-move',
    );
    execFileSync('mkdir', ['-p', join(room.corpusDir, 'skills/sample-newer')]);
    writeFileSync(join(room.corpusDir, 'skills/sample-newer/canonical.md'), newer);
    await refreshCorpus(room.deps);
    await room.deps.writer.settle();
    expect([state('skill', 'sample-move'), statusLine('sample-move'), salts('sample-move')]).toEqual([
      'superseded',
      'superseded',
      [],
    ]);
  });

  test('in a git repository each change is one commit that names nobody [civic:K8]', async () => {
    await room.close();
    room = await createWriteRoom({ git: true });
    await room.post(ROUTES.validation, vote('reject', 'sample-birth', { injection_flag: true }), '203.0.113.7');
    const log = execFileSync('git', ['-C', room.corpusDir, 'log', '--format=%an <%ae> %s'], { encoding: 'utf8' });
    expect(log).toBe(
      'bindery-civic <civic@localhost> sample-birth: now quarantined\nkeeper <keeper@localhost> Add the corpus\n',
    );
  });
});
