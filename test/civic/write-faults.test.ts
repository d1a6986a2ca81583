import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { refreshCorpus } from '../../src/civic/submissions/settle-corpus.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, common, ITEMS, ROUTES, request, vote } from '../../src/store/civic/testing/requests.ts';
import { SAMPLE_CORPUS, skill } from '../../src/store/civic/testing/sample-corpus.ts';
import { createWriteRoom, DAY, type WriteRoom, writeFiles } from '../../src/store/civic/testing/write-room.ts';

const MINUTE = 60_000;
const MOVE = 'skills/sample-move/canonical.md';
const BIRTH = 'skills/sample-birth/canonical.md';
const PORTAL = 'paths/sample-portal.yaml';

let scratch: string;
let corpusDir: string;
let room: WriteRoom;
const open = () => createWriteRoom({ corpusDir, dataDir: join(scratch, 'data') });

beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-faults-'));
  corpusDir = join(scratch, 'corpus');
  writeFiles(corpusDir, SAMPLE_CORPUS);
  room = await open();
});
afterEach(async () => {
  // Whatever a test did, its events lead to the states that are kept.
  expect(replayStore(room.deps.store).equal).toBe(true);
  await room.close();
  rmSync(scratch, { recursive: true, force: true });
});

const { agree, file, state, cast } = look(() => room);
const put = (path: string, text: string) => writeFileSync(join(corpusDir, path), text);
const served = (id: string) => room.deps.files.artefacts().find((artefact) => artefact.id === id)?.status;
const statusIn = (path: string) => /^status: (\w+)/m.exec(file(path))?.[1];
const said = (words: string) => room.log.filter((line) => line.includes(words)).length;
const flag = (target_type: string, id: string, n: number) =>
  room.post(ROUTES.validation, vote('reject', id, { target_type, injection_flag: true }), address(n));
/** Statuses of what was sent in a session, in the order of the alphabet: those of one millisecond have no other. */
const statusOf = async (session: string): Promise<string[]> =>
  (await room.get(`/api/submissions?session_id=${session}`)).body.submissions
    .map(({ status }: { status: string }) => status)
    .sort();

/** An amendment of one member of a skill's front matter. */
function change(target_id: string, field_path: string, proposed_value: unknown) {
  const content = {
    amendment_subtype: 'frontmatter_change',
    frontmatter_change: { field_path, proposed_value },
  };
  return { ...ITEMS.amendment, target_id, content };
}

async function restart(): Promise<void> {
  await room.close();
  room = await open();
}

describe('a change that cannot be written [civic:K8]', () => {
  test('because someone left its file half-written, waits for the file, and holds up no other quarantine [civic:L7]', async () => {
    const whole = file(PORTAL);
    const half = whole.replace('title: Sample portal', 'title: "Sample portal');
    put(PORTAL, half);
    await flag('path', 'sample-portal', 1);
    await flag('skill', 'sample-move', 2);
    for (let n = 0; n < 3; n++) await room.deps.runJobs();
    const before = [file(PORTAL) === half, statusIn(MOVE), served('sample-move'), said('could not be written')];
    put(PORTAL, whole);
    await room.deps.runJobs();
    expect([before, file(PORTAL), served('sample-portal'), said('in the corpus folder again')]).toEqual([
      [true, 'quarantined', 'quarantined', 1],
      whole.replace('status: beta', 'status: quarantined'),
      'quarantined',
      1,
    ]);
  });

  test('because git is locked, is served all the same, and committed when the lock is gone', async () => {
    execFileSync('git', ['init', '--quiet', corpusDir]);
    const lock = join(corpusDir, '.git/index.lock');
    writeFileSync(lock, '');
    await flag('path', 'sample-portal', 1);
    await flag('skill', 'sample-move', 2);
    await room.deps.runJobs();
    const locked = [served('sample-portal'), served('sample-move'), said('could not be written')];
    rmSync(lock);
    await room.deps.runJobs();
    const log = execFileSync('git', ['-C', corpusDir, 'log', '--format=%s', '--reverse'], { encoding: 'utf8' });
    expect([locked, log]).toEqual([
      ['quarantined', 'quarantined', 1],
      'sample-portal: now quarantined\nsample-move: now quarantined\n',
    ]);
  });

  test('keeps nobody from changing other files by hand [civic:K7]', async () => {
    execFileSync('git', ['init', '--quiet', corpusDir]);
    writeFileSync(join(corpusDir, '.git/index.lock'), '');
    await flag('skill', 'sample-move', 1);
    put(BIRTH, skill('sample-birth', 'stable'));
    await refreshCorpus(room.deps);
    expect([state('skill', 'sample-birth'), state('skill', 'sample-move')]).toEqual(['stable', 'quarantined']);
  });

  test.each([
    ['whose front matter has no end yet', skill('sample-move', 'alpha').replace('---\n# Sample', '# Sample')],
    ['that was just emptied', ''],
    ['that does not tell its status yet', '---\nid: sample-move\n---\n'],
  ])('leaves a file %s to the person who writes it', async (_, half) => {
    put(MOVE, half);
    await flag('skill', 'sample-move', 1);
    const left = file(MOVE);
    put(MOVE, skill('sample-move', 'alpha'));
    await room.deps.runJobs();
    expect([left, statusIn(MOVE)]).toEqual([half, 'quarantined']);
  });
});

describe('amendments that are due together [civic:L8] [civic:SU24]', () => {
  test('that are right alone and wrong together: the first merges, the next is rejected', async () => {
    const items = [
      change('sample-move', 'requires', [{ id: 'sample-birth' }]),
      change('sample-birth', 'requires', [{ id: 'sample-move' }]),
    ].map((item) => ({ type: 'amendment', ...item }));
    const sent = { ...common(), items };
    await room.post('/api/feedback', sent, address(1));
    await agree();
    expect([await statusOf(sent.session_id), await room.deps.files.refresh(), file(BIRTH)]).toEqual([
      ['merged', 'rejected'],
      true,
      SAMPLE_CORPUS[BIRTH],
    ]);
  });

  test('of one file all merge', async () => {
    const value = (target_id: string, proposed_value: string) => ({
      ...ITEMS.amendment,
      type: 'amendment',
      target_type: 'volatile_value',
      target_id,
      content: { amendment_subtype: 'value_change', value_change: { proposed_value } },
    });
    const sent = { ...common(), items: [value('val-01', '30'), value('val-02', '9')] };
    await room.post('/api/feedback', sent, address(1));
    await room.wait(DAY);
    const rows = file('catalogue/values.yaml');
    expect([await statusOf(sent.session_id), rows.includes('"30"'), rows.includes('"9"')]).toEqual([
      ['merged', 'merged'],
      true,
      true,
    ]);
  });

  test.each([
    ['half-written', (text: string) => text.replace('title: Sample', 'title: "Sample')],
    ['wrong', (text: string) => text.replace('status: beta', 'status: bet')],
  ])('one whose file a person left %s waits for it, and the others merge', async (_, spoil) => {
    const [birth, move] = [
      { ...common(), ...change('sample-birth', 'title', 'Other title') },
      { ...common(), ...change('sample-move', 'title', 'Other title') },
    ];
    await room.post(ROUTES.amendment, birth, address(1));
    await room.post(ROUTES.amendment, move, address(2));
    const whole = file(BIRTH);
    put(BIRTH, spoil(whole));
    await room.deps.files.refresh();
    await room.wait(DAY);
    await room.wait(3 * MINUTE);
    const before = [await statusOf(birth.session_id), await statusOf(move.session_id), said('could not be processed')];
    put(BIRTH, whole);
    await room.deps.files.refresh();
    await room.wait(MINUTE);
    expect([before, await statusOf(birth.session_id), said('submissions are processed again')]).toEqual([
      [['staged'], ['merged'], 1],
      ['merged'],
      1,
    ]);
  });

  test('one that is taken back while it waits for its file never merges [civic:SU22]', async () => {
    const { body } = await room.post(ROUTES.amendment, request('amendment'), address(1));
    put(MOVE, '');
    await room.wait(DAY);
    const cancel = { cancel_token: body.cancel_token };
    const { status } = await room.post(`/api/submissions/${body.submission_id}/cancel`, cancel, address(1));
    put(MOVE, skill('sample-move', 'alpha'));
    await room.wait(MINUTE);
    expect([status, file(MOVE)]).toEqual([200, skill('sample-move', 'alpha')]);
  });
});

describe('a folder that is away for a moment [civic:K6] [civic:K7]', () => {
  const away = {
    'is missing': {
      leave: () => renameSync(corpusDir, `${corpusDir}.away`),
      comeBack: () => renameSync(`${corpusDir}.away`, corpusDir),
    },
    'is a mount point without its disk': {
      leave: () => {
        renameSync(corpusDir, `${corpusDir}.away`);
        mkdirSync(corpusDir);
      },
      comeBack: () => {
        rmSync(corpusDir, { recursive: true });
        renameSync(`${corpusDir}.away`, corpusDir);
      },
    },
  };

  test.each(Object.entries(away))('because it %s takes no decision along', async (_, { leave, comeBack }) => {
    await cast('confirm', 2, 'sample-birth');
    const sent = { ...common(), ...change('sample-marriage', 'title', 'Other title') };
    await room.post(ROUTES.amendment, sent, address(1));
    leave();
    await refreshCorpus(room.deps).catch(() => {});
    await flag('skill', 'sample-move', 2);
    await room.wait(DAY);
    const during = [served('sample-birth'), await statusOf(sent.session_id)];
    comeBack();
    await room.wait(MINUTE);
    await restart();
    expect([
      during,
      room.deps.store.artefact('skill', 'sample-birth')?.votes.length,
      [statusIn(MOVE), state('skill', 'sample-move'), served('sample-move')],
      await statusOf(sent.session_id),
    ]).toEqual([['beta', ['staged']], 2, ['quarantined', 'quarantined', 'quarantined'], ['merged']]);
  });

  test.each(Object.entries(away))('because it %s takes none along over a restart', async (_, { leave, comeBack }) => {
    await cast('confirm', 2, 'sample-birth');
    const sent = { ...common(), ...change('sample-marriage', 'title', 'Other title') };
    await room.post(ROUTES.amendment, sent, address(1));
    leave();
    await restart();
    await flag('skill', 'sample-move', 2);
    await room.wait(DAY);
    await room.wait(MINUTE);
    const before = [said('corpus folder cannot be read'), said('could not be written'), said('could not be processed')];
    comeBack();
    await refreshCorpus(room.deps);
    await room.wait(MINUTE);
    expect([
      before,
      room.deps.store.artefact('skill', 'sample-birth')?.votes.length,
      [statusIn(MOVE), state('skill', 'sample-move'), served('sample-move')],
      await statusOf(sent.session_id),
    ]).toEqual([[1, 1, 1], 2, ['quarantined', 'quarantined', 'quarantined'], ['merged']]);
  });

  test('takes votes, and amendments again when it is back', async () => {
    away['is missing'].leave();
    const voted = await room.post(ROUTES.validation, vote('confirm'), address(1));
    const early = await room.post(ROUTES.amendment, request('amendment'), address(2));
    away['is missing'].comeBack();
    const late = await room.post(ROUTES.amendment, request('amendment'), address(2));
    expect([voted.status, [early.status, early.body.code], late.status]).toEqual([
      202,
      [503, 'STORE_UNAVAILABLE'],
      202,
    ]);
  });

  test('gets no file of an accepted draft in its place [civic:SU24]', async () => {
    await room.post(ROUTES.draft, request('draft'), address(1));
    await room.wait(DAY);
    const { body } = await room.review('/api/review');
    away['is missing'].leave();
    await room.review(`/api/review/${body.items[0].queue_id}`, { decision: 'accept' });
    away['is missing'].comeBack();
    await room.deps.runJobs();
    expect([served('sample-new'), state('skill', 'sample-new'), state('skill', 'sample-birth')]).toEqual([
      'alpha',
      'alpha',
      'beta',
    ]);
  });

  test('is told from a corpus that begins empty', async () => {
    const empty = await createWriteRoom({ files: { 'README.md': 'x' } });
    await empty.post(ROUTES.draft, request('draft'), address(1));
    await empty.wait(DAY);
    const { body } = await empty.review('/api/review');
    await empty.review(`/api/review/${body.items[0].queue_id}`, { decision: 'accept' });
    const ids = empty.deps.files.artefacts().map(({ id }) => id);
    await empty.close();
    expect(ids).toEqual(['sample-new']);
  });

  test('is told from one file that is gone, which takes its artefact along', async () => {
    rmSync(join(corpusDir, MOVE));
    await refreshCorpus(room.deps);
    expect([state('skill', 'sample-move'), state('skill', 'sample-birth')]).toEqual(['retracted', 'beta']);
  });
});
