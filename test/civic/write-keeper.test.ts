import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { recordEvent } from '../../src/civic/lifecycle/record-event.ts';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { revertMerge } from '../../src/civic/review/revert-merge.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import {
  createWriteRoom,
  DAY,
  type WriteRoom,
  type WriteRoomOptions,
} from '../../src/store/civic/testing/write-room.ts';

let room: WriteRoom;
afterEach(async () => {
  expect([replayStore(room.deps.store).equal, room.deps.store.intents(), git('status', '--porcelain')]).toEqual([
    true,
    [],
    '',
  ]);
  await room.close();
});

const { file } = look(() => room);
const open = async (options: WriteRoomOptions = {}) => {
  room = await createWriteRoom({ git: true, ...options });
};
const git = (...args: string[]) =>
  execFileSync('git', ['-C', room.corpusDir, '-c', 'user.name=keeper', '-c', 'user.email=keeper@localhost', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

describe('a keeper who works in the folder', () => {
  const SKILL = 'skills/sample-move/canonical.md';
  const diffOf = (commit: string) => git('show', '--format=', '-U0', commit, '--', SKILL);
  const edit = () => writeFileSync(join(room.corpusDir, SKILL), `${file(SKILL)}\nAsk the KEEPER.\n`);

  test.each([
    ['in the folder', () => {}],
    ['in the index', () => git('add', '--all')],
  ])('a merge waits while a keeper edits its file %s, and contains nothing of that edit', async (_, stage) => {
    await open();
    const head = git('rev-parse', 'HEAD');
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    edit();
    stage();
    await room.wait(DAY);
    const waits = [git('rev-parse', 'HEAD') === head, file(SKILL).includes('KEEPER'), file(SKILL).includes('signed')];
    const { waiting } = (await room.review('/api/review')).body;
    const logged = room.log.filter((line) => line.includes('could not be written')).length;
    git('commit', '--quiet', '--all', '-m', 'Name the keeper');
    await room.wait(60_000);
    expect([
      waits,
      waiting,
      logged,
      git('log', '--format=%an %s', '-2').split('\n'),
      diffOf('HEAD').includes('KEEPER'),
      file(SKILL).includes('KEEPER') && file(SKILL).includes('Bring the signed form.'),
      (await room.review('/api/review')).body.waiting,
    ]).toEqual([
      [true, true, false],
      [{ change: 'merge skill sample-move 1.1.0', file: SKILL, edited: true }],
      1,
      ['bindery-civic sample-move: The form must be signed', 'keeper Name the keeper'],
      false,
      true,
      undefined,
    ]);
  });

  test('a merge goes on when the keeper discards the edit, or when only its own commit is missing', async () => {
    await open();
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    edit();
    await room.wait(DAY);
    git('checkout', '--quiet', SKILL);
    await room.wait(60_000);
    const merged = git('log', '-1', '--format=%s');
    // The same state as after a kill between the write and the commit.
    const { submission_id } = (await room.review('/api/review/merges')).body.merges[0];
    writeFileSync(join(room.corpusDir, '.git', 'index.lock'), '');
    await room.review(`/api/review/merges/${submission_id}/revert`, {});
    rmSync(join(room.corpusDir, '.git', 'index.lock'));
    const isWritten = git('status', '--porcelain') !== '';
    await room.wait(60_000);
    expect([merged, isWritten, git('log', '-1', '--format=%s')]).toEqual([
      'sample-move: The form must be signed',
      true,
      'Revert "sample-move: The form must be signed"',
    ]);
  });

  test('a second revert says that the merge is reverted', async () => {
    await open();
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.wait(DAY);
    const { submission_id } = (await room.review('/api/review/merges')).body.merges[0];
    await room.review(`/api/review/merges/${submission_id}/revert`, {});
    const again = () => room.deps.store.transact(() => revertMerge(room.deps, submission_id));
    await expect(again).rejects.toMatchObject({
      code: 'already_decided',
      detail: expect.stringMatching(/^The merge was reverted at 2026-/),
      next: expect.stringContaining('`bindery civic merges`'),
    });
  });

  test('a quarantine does not wait for a keeper: it is written beside the edit, and committed after it', async () => {
    await open();
    edit();
    await room.deps.store.transact(() => {
      for (let flags = 0; flags < 3; flags++) {
        recordEvent(room.deps, 'skill', 'sample-move', { kind: 'flag', counted: true });
      }
    });
    await room.deps.writer.settle();
    const beside = [/status: quarantined/.test(file(SKILL)), file(SKILL).includes('KEEPER')];
    const commits = git('rev-list', '--count', 'HEAD');
    git('checkout', '--quiet', SKILL);
    await room.wait(60_000);
    expect([beside, commits, git('log', '-1', '--format=%s'), diffOf('HEAD').includes('KEEPER')]).toEqual([
      [true, true],
      '1',
      'sample-move: now quarantined',
      false,
    ]);
  });
});
