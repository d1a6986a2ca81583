import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkLinks } from '../src/civic/lifecycle/check-links.ts';
import { followCitation } from '../src/civic/lifecycle/follow-citation.ts';
import { type LinkAnswer, visitLink } from '../src/civic/lifecycle/visit-link.ts';
import { look } from '../src/store/civic/testing/look.ts';
import { address, ROUTES, request, vote } from '../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, MAINTAINER, type WriteRoom } from '../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(() => room.close());
const { state, cast, salts } = look(() => room);

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

function skillText(id: string, extra: string): string {
  return `---\nid: ${id}\ntitle: T ${id}\nsummary: S ${id}\nstatus: beta\nversion: 1.0.0\ncategory: c\n${extra}---\n# ${id}\n`;
}

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

describe('links [civic:L10] [civic:R2] [civic:C9]', () => {
  const net = (answers: Record<string, LinkAnswer>) => {
    const asked: string[] = [];
    return {
      asked,
      request: async (method: string, url: string): Promise<LinkAnswer> => {
        asked.push(`${method} ${url}`);
        return answers[`${method} ${url}`] ?? answers[url] ?? { kind: 'answer', status: 200 };
      },
    };
  };
  const status = (code: number, location?: string): LinkAnswer => ({
    kind: 'answer',
    status: code,
    ...(location ? { location } : {}),
  });
  const page = 'https://a.example/page';

  test.each([
    ['an answer is life', { [page]: status(200) }, 'alive'],
    ['404 is death', { [page]: status(404) }, 'dead'],
    ['410 is death', { [page]: status(410) }, 'dead'],
    ['a missing host is death', { [page]: { kind: 'no_such_host' } as const }, 'dead'],
    ['403 says nothing', { [page]: status(403) }, 'inconclusive'],
    ['429 says nothing', { [page]: status(429) }, 'inconclusive'],
    ['500 says nothing', { [page]: status(500) }, 'inconclusive'],
    ['no answer says nothing', { [page]: { kind: 'unreachable' } as const }, 'inconclusive'],
    [
      'HEAD that is not allowed is asked again with GET',
      { [`HEAD ${page}`]: status(405), [`GET ${page}`]: status(404) },
      'dead',
    ],
    [
      'HEAD that is not known is asked again with GET',
      { [`HEAD ${page}`]: status(501), [`GET ${page}`]: status(200) },
      'alive',
    ],
    ['a redirect is followed', { [page]: status(301, '/other'), 'https://a.example/other': status(410) }, 'dead'],
    ['a redirect to the front door is suspect', { [page]: status(302, '/') }, 'suspect'],
    ['a circle says nothing', { [page]: status(302, page) }, 'inconclusive'],
  ])('%s', async (_, answers: Record<string, LinkAnswer>, expected) => {
    expect(await visitLink(net(answers), page)).toBe(expected);
  });

  test('a dead citation opens one question and holds stable back; an audited source is never visited [civic:R1] [civic:R6] [civic:Q6]', async () => {
    const probe = net({
      'https://law.example.org/sample-birth': status(404),
      'https://portal.example.org/start': status(404),
    });
    await checkLinks(room.deps, probe);
    await cast('confirm', 8, 'sample-birth');
    await room.wait(15 * DAY);
    const held = state('skill', 'sample-birth');
    await checkLinks(room.deps, net({}));
    const item = await only('?class=protocol_amendment');
    const { content } = (await room.review(`/api/review/${item.queue_id}`)).body;
    expect([
      item.reason,
      content.citations,
      held,
      state('skill', 'sample-birth'),
      probe.asked.some((one) => one.includes('vault')),
    ]).toEqual([
      'dead_citations',
      [
        {
          skill_id: 'sample-birth',
          url: 'https://law.example.org/sample-birth',
          archived_url: 'https://archive.example.org/sample-birth',
          fallback: 'archived_url',
        },
      ],
      'beta',
      'stable',
      false,
    ]);
    expect(probe.asked).toContain('HEAD https://portal.example.org/start');
    expect(room.deps.store.source('sample-portal', 'web')?.health).toBe('ok');
  });

  test('a question about dead citations says what to do about each, and what a permalink of its host looks like [civic:R2] [civic:R3]', async () => {
    const gazette = 'https://www.ejustice.just.fgov.be/cgi_loi/change_lg.pl?cn=1';
    const eli = 'https://www.ejustice.just.fgov.be/eli/loi/1980/12/15/1980121550/justel';
    const cited = (url: string) => `citations: [{ url: "${url}", archived_url: "https://archive.example.org/x" }]\n`;
    await room.close();
    room = await createWriteRoom({
      files: {
        'skills/a/canonical.md': skillText('a', cited(gazette)),
        'skills/b/canonical.md': skillText('b', cited(eli)),
      },
    });
    const gone = { [gazette]: status(404), [eli]: status(410), 'https://archive.example.org/x': status(404) };
    await checkLinks(room.deps, net(gone));
    const item = await only('?class=protocol_amendment');
    const { content } = (await room.review(`/api/review/${item.queue_id}`)).body;
    expect(content).toEqual({
      citations: [
        {
          skill_id: 'a',
          url: gazette,
          archived_url: 'https://archive.example.org/x',
          fallback: 'fresh_source',
          permalink: 'https://www.ejustice.just.fgov.be/eli/<type>/<year>/<month>/<day>/<number>/<version>',
        },
        { skill_id: 'b', url: eli, archived_url: 'https://archive.example.org/x', fallback: 'fresh_source' },
      ],
    });
  });

  test('who follows a dead citation is warned and led to the archived copy, if that is still there [civic:R4]', async () => {
    const citation = { url: page, archivedUrl: 'https://archive.example/page' };
    const follow = (answers: Record<string, LinkAnswer>) => followCitation(net(answers), citation);
    expect([
      await follow({}),
      await follow({ [page]: status(503) }),
      await follow({ [page]: status(404) }),
      await follow({ [page]: status(404), [citation.archivedUrl]: status(410) }),
      await followCitation(net({ [page]: { kind: 'no_such_host' } }), { url: page }),
    ]).toEqual([
      { url: page },
      { url: page },
      { url: citation.archivedUrl, warning: 'The cited page no longer exists; this is an archived copy of it.' },
      { warning: expect.stringContaining('no archived copy') },
      { warning: expect.stringContaining('no archived copy') },
    ]);
  });

  test('links are visited once a month where probes are on, and never otherwise', async () => {
    await room.close();
    const probe = net({});
    room = await createWriteRoom({ linkProbe: probe });
    const first = probe.asked.length;
    await room.wait(5 * DAY);
    const sameMonth = probe.asked.length;
    await room.wait(30 * DAY);
    expect([first > 0, sameMonth, probe.asked.length]).toEqual([true, first, 2 * first]);
  });
});
