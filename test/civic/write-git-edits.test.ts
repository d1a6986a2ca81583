import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gitProposals } from '../../src/cli/rooms/civic-proposals.ts';
import { address, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import { createWriteRoom, DAY, type WriteRoom } from '../../src/store/civic/testing/write-room.ts';
import { GitRemote } from '../../src/store/corpus/git-remote.ts';

let room: WriteRoom;
let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-edits-'));
});
afterEach(async () => {
  await room.close();
  rmSync(scratch, { recursive: true, force: true });
});

const run = (dir: string, ...args: string[]) =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=keeper', '-c', 'user.email=keeper@localhost', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
const git = (...args: string[]) => run(room.corpusDir, ...args);
const file = (path: string) => readFileSync(join(room.corpusDir, path), 'utf8');
const statusOf = async (session: string) =>
  (await room.get(`/api/submissions?session_id=${session}`)).body.submissions[0];

const SUPERSEDES = {
  target_id: 'sample-marriage',
  content: {
    amendment_subtype: 'frontmatter_change',
    frontmatter_change: { field_path: 'verification_notes', proposed_value: 'See https://elsewhere.example.net/x' },
  },
  rationale: 'Where it was checked.',
};

test('an edit that keeps the remote out stops no decision, and the queue names its file', async () => {
  const bare = join(scratch, 'bare.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  room = await createWriteRoom({
    git: true,
    settings: (dir) => {
      const remote = new GitRemote(dir, 'origin');
      return {
        proposals: gitProposals({ dir, remote }),
        publish: () => remote.synchronise(),
        inTheWay: () => remote.inTheWay(),
      };
    },
  });
  git('remote', 'add', 'origin', bare);
  git('push', '--quiet', 'origin', 'main');
  const [merged, closed] = [request('amendment', SUPERSEDES), request('draft')];
  await room.post(ROUTES.amendment, merged, address(1));
  await room.post(ROUTES.draft, closed, address(2));
  await room.wait(DAY);
  const ofMerged = (await statusOf(merged.session_id)).submission_id;
  const ofClosed = (await statusOf(closed.session_id)).submission_id;
  const path = 'skills/sample-marriage/canonical.md';
  const before = file(path);
  writeFileSync(join(room.corpusDir, path), `${before}\nBeing written.\n`);
  const clone = join(scratch, 'clone');
  execFileSync('git', ['clone', '--quiet', bare, clone]);
  run(clone, 'merge', '--quiet', '--squash', `origin/civic/${ofMerged}`);
  run(clone, 'commit', '--quiet', '--message', 'Squashed');
  run(clone, 'push', '--quiet', 'origin', 'HEAD:main', `:civic/${ofMerged}`);
  git('push', '--quiet', 'origin', `:civic/${ofClosed}`);
  await room.wait(60_000);
  const { remote } = (await room.review('/api/review')).body;
  const meanwhile = [(await statusOf(merged.session_id)).status, (await statusOf(closed.session_id)).status];
  expect([remote, meanwhile, file(path).endsWith('Being written.\n')]).toEqual([
    { edited: [path], both: [] },
    ['held_ner', 'rejected'],
    true,
  ]);
  expect(room.log.filter((line) => line.includes('could not be synced')).length).toBe(1);
  git('checkout', '--', path);
  await room.wait(60_000);
  await room.wait(60_000);
  expect([(await statusOf(merged.session_id)).status, (await room.review('/api/review')).body.remote]).toEqual([
    'merged',
    undefined,
  ]);
  expect(git('fsck', '--full', '--no-dangling')).toBe('');
});
