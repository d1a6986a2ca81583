import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isMerged, makeBranch, removeBranch } from './git-branches.ts';
import { GitRemote } from './git-remote.ts';

const PATH = 'skills/sample/canonical.md';
const BRANCH = 'civic/sub_1';

let scratch: string;
let dir: string;
let bare: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'git-branches-'));
  dir = join(scratch, 'corpus');
  bare = join(scratch, 'bare.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', dir]);
  run(dir, 'remote', 'add', 'origin', bare);
  write(dir, PATH, 'One line.\n');
  write(dir, 'README.md', 'A corpus.\n');
  commit(dir, 'Begin');
  write(dir, 'README.md', 'A small corpus.\n');
  commit(dir, 'Say its size');
  run(dir, 'push', '--quiet', '--set-upstream', 'origin', 'main');
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function run(at: string, ...args: string[]): string {
  const settings = ['-c', 'user.name=k', '-c', 'user.email=k@localhost', '-c', 'gc.auto=0'];
  return execFileSync('git', ['-C', at, ...settings, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}
function write(at: string, path: string, text: string): void {
  mkdirSync(join(at, path, '..'), { recursive: true });
  writeFileSync(join(at, path), text);
}
function commit(at: string, message: string): void {
  run(at, 'add', '--all');
  run(at, 'commit', '--quiet', '--message', message);
}
/** What git finds wrong; objects that nothing uses are not wrong. */
const faults = (at = dir) =>
  run(at, 'fsck', '--full', '--no-dangling')
    .split('\n')
    .filter((line) => line !== '');
const has = (id: string) => {
  try {
    run(dir, 'cat-file', '-e', id);
    return true;
  } catch {
    return false;
  }
};
const propose = (text: string) => makeBranch(dir, BRANCH, { path: PATH, text, message: 'A proposal' });
const idsOf = (branch: string) =>
  [branch, `${branch}^{tree}`, `${branch}:${PATH}`].map((at) => run(dir, 'rev-parse', at));

describe('the objects of a removed branch', () => {
  test('stay where a squash at the remote and later commits use them, and go where nothing does', async () => {
    await propose('Two lines.\n');
    const remote = new GitRemote(dir, 'origin');
    await remote.pushBranch(BRANCH);
    const clone = join(scratch, 'clone');
    execFileSync('git', ['clone', '--quiet', bare, clone]);
    run(clone, 'merge', '--quiet', '--squash', `origin/${BRANCH}`);
    run(clone, 'commit', '--quiet', '--message', 'Squashed');
    write(clone, 'README.md', 'Another edit.\n');
    commit(clone, 'Another edit');
    run(clone, 'push', '--quiet', 'origin', 'main');
    await remote.pull();
    const [tip, tree, blob] = idsOf(BRANCH) as [string, string, string];
    const merged = await isMerged(dir, BRANCH, PATH);
    await remote.deleteBranch(BRANCH);
    await removeBranch(dir, BRANCH);
    expect([merged, faults(), has(tip), has(tree), has(blob)]).toEqual([true, [], false, true, true]);
    expect(run(dir, 'log', '-p', '--format=%s', '-2', '--', PATH)).toContain('+Two lines.');
  });

  test('go with the text of a rejected proposal, its earlier form, and what the remote had', async () => {
    await propose('Ann lives here.\n');
    const remote = new GitRemote(dir, 'origin');
    await remote.pushBranch(BRANCH);
    const first = idsOf(BRANCH);
    await propose('Ann and Bob live here.\n');
    const second = idsOf(BRANCH);
    // The forge removed it, so that the removal here finds nothing there.
    run(bare, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    await remote.deleteBranch(BRANCH);
    await removeBranch(dir, BRANCH);
    expect([...first, ...second].filter(has)).toEqual([]);
    expect([faults(), run(dir, 'for-each-ref', '--format=%(refname)')]).toEqual([
      [],
      'refs/heads/main\nrefs/remotes/origin/main',
    ]);
  });

  test('stay where another working tree has them staged or checked out, or a merge is not finished', async () => {
    await propose('Staged elsewhere.\n');
    const [, , staged] = idsOf(BRANCH) as [string, string, string];
    const other = join(scratch, 'other');
    run(dir, 'worktree', 'add', '--quiet', '--detach', other);
    write(other, PATH, 'Staged elsewhere.\n');
    run(other, 'add', PATH);
    await removeBranch(dir, BRANCH);
    expect([has(staged), faults()]).toEqual([true, []]);

    await propose('Checked out elsewhere.\n');
    const out = idsOf(BRANCH);
    run(other, 'checkout', '--quiet', '--force', '--detach', BRANCH);
    await removeBranch(dir, BRANCH);
    expect([out.map(has), faults()]).toEqual([[true, true, true], []]);

    await propose('Merged by halves.\n');
    const half = idsOf(BRANCH);
    run(dir, 'merge', '--quiet', '--no-commit', '--no-ff', BRANCH);
    await removeBranch(dir, BRANCH);
    expect([half.map(has), faults()]).toEqual([[true, true, true], []]);
  });

  test('are not looked for in packs or in the store of another repository', async () => {
    await propose('In a pack.\n');
    run(dir, 'gc', '--quiet');
    const packed = idsOf(BRANCH);
    await removeBranch(dir, BRANCH);
    run(dir, 'reflog', 'expire', '--expire=now', '--all');
    const before = packed.map(has);
    run(dir, 'gc', '--quiet', '--prune=now');
    expect([before, packed.map(has), faults()]).toEqual([[true, true, true], [false, false, false], []]);

    await propose('Borrowed.\n');
    const borrowed = join(scratch, 'borrowed');
    execFileSync('git', ['clone', '--quiet', '--shared', dir, borrowed]);
    run(borrowed, 'branch', BRANCH, `origin/${BRANCH}`);
    run(borrowed, 'update-ref', '-d', `refs/remotes/origin/${BRANCH}`);
    await removeBranch(borrowed, BRANCH);
    expect([idsOf(BRANCH).map(has), faults(), faults(borrowed)]).toEqual([[true, true, true], [], []]);
  });

  test('stay if git cannot tell which objects are used', async () => {
    await propose('Not sure.\n');
    const ids = idsOf(BRANCH);
    run(dir, 'config', 'core.repositoryFormatVersion', '1');
    run(dir, 'config', 'extensions.preciousObjects', 'true');
    await expect(removeBranch(dir, BRANCH)).rejects.toThrow();
    expect([ids.map(has), faults()]).toEqual([[true, true, true], []]);
  });
});
