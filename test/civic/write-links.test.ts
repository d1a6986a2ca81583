import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkLinks } from '../../src/civic/lifecycle/check-links.ts';
import { followCitation } from '../../src/civic/lifecycle/follow-citation.ts';
import { type LinkAnswer, visitLink } from '../../src/civic/lifecycle/visit-link.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { createWriteRoom, DAY, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
beforeEach(async () => {
  room = await createWriteRoom();
});
afterEach(() => room.close());
const { state, cast } = look(() => room);

const only = async (query: string) => (await room.review(`/api/review${query}`)).body.items[0];

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
    [
      'a redirect from https to http is not followed',
      { [page]: status(301, 'http://a.example/other') },
      'inconclusive',
    ],
    ['a redirect to another scheme is not followed', { [page]: status(301, 'file:///etc/passwd') }, 'inconclusive'],
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
    const atStart = probe.asked.length;
    await room.wait(0);
    const first = probe.asked.length;
    await room.wait(5 * DAY);
    const sameMonth = probe.asked.length;
    await room.wait(30 * DAY);
    expect([atStart, first > 0, sameMonth, probe.asked.length]).toEqual([0, true, first, 2 * first]);
  });
});

function skillText(id: string, extra: string): string {
  return `---\nid: ${id}\ntitle: T ${id}\nsummary: S ${id}\nstatus: beta\nversion: 1.0.0\ncategory: c\n${extra}---\n# ${id}\n`;
}
