import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { APPEAL_DAYS } from '../../src/civic/config.ts';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { allHealthy } from '../../src/civic/reads/ports.ts';
import { eraseSubmission } from '../../src/civic/review/erase-submission.ts';
import { erasureOperations } from '../../src/civic/review/erasure-operations.ts';
import { TextPrinter } from '../../src/civic/review/text-prints.ts';
import { hideErased } from '../../src/civic/site/hide-erased.ts';
import type { SiteSource } from '../../src/civic/site/site-source.ts';
import type { WriteDeps } from '../../src/civic/submissions/write-deps.ts';
import { gitProposals } from '../../src/cli/rooms/civic-proposals.ts';
import { execute } from '../../src/contract/execute.ts';
import type { AnyOperation, Call, CliFace } from '../../src/contract/operation.ts';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import { findPrints } from '../../src/store/civic/find-prints.ts';
import { address, ROUTES, request, vote } from '../../src/store/civic/testing/requests.ts';
import {
  createWriteRoom,
  DAY,
  type WriteRoom,
  type WriteRoomOptions,
} from '../../src/store/civic/testing/write-room.ts';
import { GitHistory } from '../../src/store/corpus/git-history.ts';
import { writeSite } from '../../src/store/corpus/site-folder.ts';
import { WatchedCorpus } from '../../src/store/corpus/watched-corpus.ts';

let room: WriteRoom;
let dataDir: string;
const open = async (options: WriteRoomOptions = {}) => {
  room = await createWriteRoom({
    dataDir,
    ...options,
    settings: (corpusDir) => ({
      history: () => new GitHistory(corpusDir).read(),
      findPrints: (search) => findPrints({ dataDir, registryFile: join(dataDir, 'registry.db'), corpusDir }, search),
      ...options.settings?.(corpusDir),
    }),
  });
};
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'civic-erasure-'));
  await open();
});
afterEach(async () => {
  expect(replayStore(room.deps.store).equal).toBe(true);
  await room.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const NAMED = 'Mevrouw Annelies Zwaanswijk at the desk said no.';
const concern = (report: string) => room.post(ROUTES.concern, request('concern', { report }), address(1));
const listed = async () => (await room.get('/api/concerns?target_type=skill&target_id=sample-move')).body.concerns;
const hold = async () => (await room.review('/api/review?class=ner_hold')).body.items[0];
const printer = new TextPrinter('of the test');
const found = (text: string) => {
  room.deps.store.truncateWal();
  const places = { dataDir, registryFile: join(dataDir, 'registry.db'), corpusDir: room.corpusDir };
  const pieces = printer.print([{ member: 'report', text }], '').map((one, n) => ({ ...one, piece: n + 1 }));
  const { left, alike } = findPrints(places, { printer, pieces, erased: new Set(), files: new Set(), pages: [] });
  return [...left, ...alike];
};

const inLog = (text: string) => readFileSync(join(dataDir, 'registry.db-wal')).includes(text);

test('a redaction leaves only the host of a URL in which something private was found', async () => {
  const amendment = request('amendment', {
    evidence_url: 'https://law.example.org/people/margaret-holloway?tel=0475%2012%2034%2056&at=kerkstraat',
    rationale: 'See https://law.example.org/people/margaret-holloway/kerkstraat and the desk.',
  });
  const sent = await room.post(ROUTES.amendment, amendment, address(1));
  const [{ queue_id }] = (await room.review('/api/review')).body.items;
  await room.review(`/api/review/${queue_id}`, { decision: 'release', redact: true });
  const { item } = room.deps.store.submission(sent.body.submission_id) as { item: unknown };
  expect([sent.body.status, item]).toEqual([
    'held_ner',
    expect.objectContaining({
      evidence_url: 'https://law.example.org/[redacted]',
      rationale: 'See https://law.example.org/[redacted] and the desk.',
    }),
  ]);
});

test('neither the daily erasure nor a redaction leaves the text in the log of a database that stays open', async () => {
  await concern(NAMED);
  const { queue_id } = await hold();
  const before = inLog('Zwaanswijk');
  await room.review(`/api/review/${queue_id}`, { decision: 'release', redact: true });
  const redacted = inLog('Zwaanswijk');
  await concern('Mijnheer Hilarius Bogaertvelt at the desk said no.');
  const second = await hold();
  await room.review(`/api/review/${second.queue_id}`, { decision: 'reject' });
  const rejected = inLog('Bogaertvelt');
  await room.wait(APPEAL_DAYS * DAY);
  expect([before, redacted, rejected, inLog('Bogaertvelt')]).toEqual([true, false, true, false]);
});

test('a rejected hold is erased after its time to appeal, and not before', async () => {
  const { submission_id } = (await concern(NAMED)).body;
  const { queue_id } = await hold();
  await room.review(`/api/review/${queue_id}`, { decision: 'reject', note: 'A name.' });
  await room.wait(APPEAL_DAYS * DAY - 1000);
  const before = found('Zwaanswijk').length > 0;
  await room.wait(1000);
  const item = (await room.review(`/api/review/${queue_id}`)).body;
  const record = room.deps.store.submission(submission_id);
  expect([before, item.content, item.decision, record?.item, found('Zwaanswijk')]).toEqual([
    true,
    null,
    'reject',
    expect.objectContaining({ type: 'concern', report: '[redacted]' }),
    [],
  ]);
});

test('a hold can be released without what the scrub found in it', async () => {
  await concern(NAMED);
  const { queue_id } = await hold();
  await room.review(`/api/review/${queue_id}`, { decision: 'release', redact: true });
  const [{ report }] = await listed();
  expect([
    report.includes('Zwaanswijk'),
    report.includes('[redacted] at the desk said no.'),
    found('Zwaanswijk'),
  ]).toEqual([false, true, []]);
});

test('a published concern can be taken down, and its text is in no file then', async () => {
  const text = 'The desk of the purple elephant is closed.';
  const { submission_id } = (await concern(text)).body;
  const before = [(await listed()).length, found('purple elephant').length > 0];
  const open = await room.post(`/api/review/concerns/${submission_id}/take-down`, {}, address(2));
  const answer = await room.review(`/api/review/concerns/${submission_id}/take-down`, {});
  const again = await room.review(`/api/review/concerns/${submission_id}/take-down`, {});
  expect([
    before,
    open.status,
    answer.body.was_listed,
    again.body.was_listed,
    await listed(),
    found('purple elephant'),
  ]).toEqual([[1, true], 401, true, false, [], []]);
});

test('the case of a held amendment that was erased can still be read, without its text', async () => {
  const sent = request('amendment', { rationale: NAMED });
  const { submission_id } = (await room.post(ROUTES.amendment, sent, address(1))).body;
  const { queue_id } = await hold();
  const record = room.deps.store.submission(submission_id);
  await room.deps.store.transact(() => eraseSubmission(room.deps, record as never));
  const { status, body } = await room.review(`/api/review/${queue_id}/case`);
  expect([status, body.protected, JSON.stringify(body).includes('Zwaanswijk')]).toEqual([200, [], false]);
});

const call: Call = {
  face: 'cli',
  requestId: 'r',
  signal: new AbortController().signal,
  header: () => undefined,
  peerAddress: undefined,
  progress: () => {},
};
const eraseOperation = erasureOperations.find(({ id }) => id === 'civic.erase') as AnyOperation<WriteDeps>;
const erase = async (id: string) => {
  const { output } = await execute(eraseOperation, { id }, room.deps, call);
  // biome-ignore lint/suspicious/noExplicitAny: the answer has the shape of the operation's output.
  return output as any;
};
const printed = (report: unknown) => (eraseOperation.cli as CliFace<unknown, unknown>).print?.(report, {});
const kinds = (report: { left: { kind: string; place: string }[] }) =>
  [...new Set(report.left.map(({ kind }) => kind))].sort();
const amendment = async (changes: object = {}) =>
  (await room.post(ROUTES.amendment, request('amendment', changes), address(1))).body.submission_id;
const openIds = async () =>
  (await room.review('/api/review')).body.items.map((item: { submission_id: string }) => item.submission_id);
const FOREIGN = {
  content: {
    amendment_subtype: 'body_diff',
    body_diff: {
      diff: '@@ -16,2 +16,2 @@\n Bring the card.\n-Bring the form.\n+Ask at https://zwaanswijk.example.net/desk for the purple form.\n',
    },
  },
  rationale: 'The purple elephant told me so.',
};

describe('erasing', () => {
  test('an amendment in any state leaves its text in no file, and a second run proves it again', async () => {
    const staged = await amendment();
    const waiting = await amendment({ ...FOREIGN, target_id: 'sample-marriage' });
    const held = await amendment({ rationale: NAMED });
    await room.wait(DAY + 1000);
    const before = await openIds();
    const reports = [];
    for (const id of [waiting, held]) reports.push(await erase(id), await erase(id));
    expect([
      before.includes(waiting) && before.includes(held),
      reports.map((report) => [report.erased.length, report.pieces.length > 0, report.left]),
      (await openIds()).filter((id: string) => id === waiting || id === held),
      room.deps.store.submission(waiting)?.status,
      room.deps.store.submission(staged)?.status,
      found('purple elephant'),
    ]).toEqual([true, reports.map(() => [1, true, []]), [], 'rejected', 'merged', []]);
  });

  test('a merged amendment says what has its text; after the revert it is gone, also from later merges of the file', async () => {
    const merged = await amendment({ rationale: 'The purple elephant told me so.' });
    await room.wait(DAY + 1000);
    const diff = '@@ -16,2 +16,2 @@\n-Bring the card.\n+Bring the blue card.\n Bring the signed form.\n';
    const later = await amendment({
      base_version: '1.1.0',
      content: { amendment_subtype: 'body_diff', body_diff: { diff } },
    });
    await room.wait(DAY + 1000);
    const first = await erase(merged);
    const reverted = await room.review(`/api/review/merges/${merged}/revert`, {});
    const second = await erase(merged);
    const again = await erase(merged);
    const undone = await room.review(`/api/review/merges/${later}/revert`, {});
    expect([
      kinds(first),
      first.left.every(({ next }: { next: string }) => next.length > 0),
      reverted.status,
      second.left,
      again.left,
      second.pieces.length > 0,
      undone.status,
      room.deps.files.read('skills/sample-move/canonical.md')?.includes('Bring the card.\nBring the form.'),
    ]).toEqual([['corpus_file', 'merge', 'public_page', 'submission'], true, 200, [], [], true, 200, true]);
  });

  test('a concern that was taken down is erased like any other: what stands in its place is no text of its sender', async () => {
    const other = (await concern('The purple elephant waits outside.')).body.submission_id;
    const { submission_id } = (await concern('The yellow giraffe stands at the desk.')).body;
    for (const id of [other, submission_id]) await room.review(`/api/review/concerns/${id}/take-down`, {});
    const reports = [await erase(submission_id), await erase(submission_id)];
    expect(reports.map(({ pieces, left }) => [pieces.length, left])).toEqual([
      [1, []],
      [1, []],
    ]);
  });

  test('a draft that waits for its decision leaves the queue, and cannot be accepted any more', async () => {
    const body = '# Sample new\n\nGo to the purple elephant.\n';
    const content = { frontmatter: { title: 'New', summary: 'A text.', category: 'sample-commune' }, body };
    const { submission_id } = (await room.post(ROUTES.draft, request('draft', { content }), address(1))).body;
    await room.wait(DAY + 1000);
    const [item] = (await room.review('/api/review?class=draft_review')).body.items;
    const report = await erase(submission_id);
    const accepted = await room.review(`/api/review/${item.queue_id}`, { decision: 'accept' });
    const shown = await room.review(`/api/review/${item.queue_id}/case`);
    expect([report.left, accepted.status, accepted.body.code, shown.status, shown.body.queue.decision]).toEqual([
      [],
      409,
      'already_decided',
      200,
      'erased',
    ]);
  });

  test('a complaint and a flag are taken out of the questions that quote them', async () => {
    const complaint = { target_type: 'provider', target_id: 'lingua', report: 'The purple elephant never answers.' };
    const { submission_id } = (await room.post(ROUTES.concern, request('concern', complaint), address(1))).body;
    const flag = vote('reject', 'sample-move', { injection_flag: true, rationale: 'A yellow giraffe gives orders.' });
    const flagged = (await room.post(ROUTES.validation, flag, address(2))).body.submission_id;
    const reports = [await erase(submission_id), await erase(flagged)];
    expect([reports.map(({ left }) => left), found('purple elephant'), found('yellow giraffe')]).toEqual([
      [[], []],
      [],
      [],
    ]);
  });

  test('each piece is named by its member, each place by what it was and which pieces it had, and a second run finds none', async () => {
    const diff = '@@ -16,2 +16,2 @@\n Bring the card.\n-Bring the form.\n+Bring the striped umbrella.\n';
    const content = { amendment_subtype: 'body_diff', body_diff: { diff } };
    const held = await amendment({ content, rationale: NAMED });
    const staged = await amendment({ target_id: 'sample-marriage', rationale: 'The purple elephant told me so.' });
    const first = [await erase(held), await erase(staged)];
    const second = [await erase(held), await erase(staged)];
    const members = ({ pieces }: { pieces: { piece: number; submission_id: string; member: string }[] }) =>
      pieces.map(({ piece, submission_id, member }) => `${piece} ${submission_id} ${member}`);
    const places = ({ gone }: { gone: { kind: string; place: string; pieces: number[] }[] }) =>
      gone
        .filter(({ kind }) => kind !== 'unused_pages')
        .map(({ kind, place, pieces }) => `${kind} ${place.split(': ')[1]?.split(' ')[0]} ${pieces}`);
    expect([first.map(members), first.map(places), first.map(({ left }) => left), second.map(members)]).toEqual([
      [
        [`1 ${held} content.body_diff`, `2 ${held} rationale`],
        [`1 ${staged} content.body_diff`, `2 ${staged} rationale`, `3 ${staged} evidence_url`],
      ],
      [['hold civic_submissions 1,2', 'hold civic_queue 1,2'], ['staged civic_submissions 1,2,3']],
      [[], []],
      first.map(members),
    ]);
    expect([second.map(({ gone }) => gone), printed(first[0])]).toEqual([
      [[], []],
      expect.stringContaining(`  2. ${held} rationale\n`),
    ]);
    expect(printed(first[0])).toMatch(/Erased from:\n(?: {2}.+\n)*.*civic_queue que_\S+ \(hold\): pieces 1, 2\n/);
  });

  test('an unknown id says where ids are', async () => {
    await expect(erase('sub_none')).rejects.toMatchObject({ code: 'target_not_found', next: /civic queue/ });
  });
});

describe('erasing with a repository', () => {
  beforeEach(async () => {
    await room.close();
    rmSync(dataDir, { recursive: true, force: true });
    await open({ git: true, settings: (dir) => ({ proposals: gitProposals({ dir }) }) });
  });

  test('the branch of what waits goes with all that only it had', async () => {
    const waiting = await amendment(FOREIGN);
    await room.wait(DAY + 1000);
    const branches = () =>
      execFileSync('git', ['-C', room.corpusDir, 'branch', '--list', 'civic/*'], { encoding: 'utf8' });
    const before = branches();
    const report = await erase(waiting);
    const fsck = execFileSync('git', ['-C', room.corpusDir, 'fsck', '--full'], { encoding: 'utf8' });
    expect([before.includes(waiting), branches(), report.left, fsck.includes('missing')]).toEqual([
      true,
      '',
      [],
      false,
    ]);
  });

  test('what was merged is named by its commits; an erased merge can still be reverted', async () => {
    const merged = await amendment({ rationale: 'The purple elephant told me so.' });
    await room.wait(DAY + 1000);
    const report = await erase(merged);
    const reverted = await room.review(`/api/review/merges/${merged}/revert`, {});
    const log = execFileSync('git', ['-C', room.corpusDir, 'log', '-1', '--format=%s'], { encoding: 'utf8' });
    expect([kinds(report), reverted.status, room.deps.store.intents(), log.trim(), kinds(await erase(merged))]).toEqual(
      [
        ['commit', 'corpus_file', 'git_file', 'merge', 'public_page'],
        200,
        [],
        `sample-move: revert what ${merged} changed`,
        ['commit', 'git_file'],
      ],
    );
  });

  const HISTORY = '/site/skills/sample-move.history.html';
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', room.corpusDir, '-c', 'user.name=keeper', '-c', 'user.email=keeper@localhost', ...args]);
  const publicPages = (list: { kind: string; place: string }[]) =>
    list.flatMap(({ kind, place }) => (kind === 'public_page' ? [place] : []));

  test('the pages of the history hide a reverted merge at once, and a copy of the site is written again', async () => {
    const merged = await amendment({ rationale: 'The purple elephant told me so.' });
    await room.wait(DAY + 1000);
    await room.review(`/api/review/merges/${merged}/revert`, {});
    const out = join(dataDir, '..', `${basename(dataDir)}-site`);
    const before = [await writeSite(out, await source()), pagesWith(out, /elephant|signed form/).length];
    const report = await erase(merged);
    const after = [await writeSite(out, await source()), pagesWith(out, /elephant|signed form/)];
    const hidden = pagesWith(out, /The text of this change was erased/);
    const again = await writeSite(out, await source());
    rmSync(out, { recursive: true });
    expect([
      before,
      publicPages(report.gone),
      publicPages(report.left),
      after,
      hidden,
      again.written,
      printed(report)?.includes('The site hides it now.'),
    ]).toEqual([
      [expect.anything(), 13],
      ['/site/changes.html', '/site/changes.atom', HISTORY],
      [],
      [expect.objectContaining({ written: 13 }), []],
      ['changes.atom', 'changes.html', 'skills/sample-move.history.html'],
      0,
      true,
    ]);
  });

  test('a public page that still shows the text by another commit is named', async () => {
    const merged = await amendment({ rationale: 'The purple elephant told me so.' });
    await room.wait(DAY + 1000);
    await room.review(`/api/review/merges/${merged}/revert`, {});
    const path = join(room.corpusDir, 'skills/sample-move/canonical.md');
    appendFileSync(path, '\nAsk at the desk.\n');
    git('commit', '--quiet', '--all', '-m', 'The purple elephant told me so. It was wrong.');
    const report = await erase(merged);
    expect(publicPages(report.left)).toEqual(['/site/changes.html', '/site/changes.atom', HISTORY]);
  });

  async function source(): Promise<SiteSource> {
    const watched = new WatchedCorpus({
      dir: room.corpusDir,
      log: createMemoryLog(),
      context: () => ({ generatedAt: () => '2026-11-02T12:00:00.000Z' }),
    });
    const { corpus } = await watched.refresh();
    if (!corpus) throw new Error('the corpus is not valid');
    return {
      corpus,
      history: hideErased(await room.deps.history(), room.deps.store.review.erasedIds()),
      health: allHealthy,
      linkState: () => 'unchecked',
      providers: () => [],
      pages: new Map(),
      name: 'Sample',
      baseUrl: undefined,
      isLive: false,
      program: 'test',
    };
  }
});

function pagesWith(dir: string, text: RegExp): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:html|atom)$/.test(name) && text.test(readFileSync(join(dir, name), 'utf8')))
    .sort();
}
