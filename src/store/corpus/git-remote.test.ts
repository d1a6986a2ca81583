import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GitRemote } from './git-remote.ts';

const [A, B, C] = ['skills/a/canonical.md', 'skills/b/canonical.md', 'skills/c/canonical.md'] as const;
const TEXT = Array.from({ length: 12 }, (_, line) => `Line ${line}.\n`).join('');

let scratch: string;
let dir: string;
let clone: string;
let remote: GitRemote;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'git-remote-'));
  dir = join(scratch, 'corpus');
  clone = join(scratch, 'clone');
  const bare = join(scratch, 'bare.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', dir]);
  run(dir, 'remote', 'add', 'origin', bare);
  for (const path of [A, B, C]) write(dir, path, TEXT);
  commit(dir, 'Begin');
  run(dir, 'push', '--quiet', 'origin', 'main');
  execFileSync('git', ['clone', '--quiet', bare, clone]);
  remote = new GitRemote(dir, 'origin');
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function run(at: string, ...args: string[]): string {
  const settings = ['-c', 'user.name=k', '-c', 'user.email=k@localhost'];
  return execFileSync('git', ['-C', at, ...settings, ...args], { encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}
function write(at: string, path: string, text: string): void {
  mkdirSync(join(at, path, '..'), { recursive: true });
  writeFileSync(join(at, path), text);
}
const read = (at: string, path: string) => readFileSync(join(at, path), 'utf8');
function commit(at: string, message: string): void {
  run(at, 'add', '--all');
  run(at, 'commit', '--quiet', '--message', message);
}
const edit = (at: string, path: string, line: number, words: string) =>
  write(at, path, read(at, path).replace(`Line ${line}.`, words));
function there(path: string, line: number, words: string): void {
  edit(clone, path, line, words);
  commit(clone, words);
  run(clone, 'push', '--quiet', 'origin', 'main');
}
function here(path: string, line: number, words: string): void {
  edit(dir, path, line, words);
  run(dir, 'commit', '--quiet', '--message', words, '--only', '--', path);
}
const subjects = (at: string, ref = 'main') => run(at, 'log', '--reverse', '--format=%s', ref).split('\n');
const status = () => run(dir, 'status', '--porcelain');

describe('an uncommitted edit', () => {
  test('of another file, staged or not or not known to git, stays, while both sides are joined and pushed', async () => {
    edit(dir, A, 1, 'Being edited.');
    edit(dir, B, 1, 'Staged.');
    run(dir, 'add', B);
    edit(dir, B, 1, 'Line 1.');
    edit(dir, B, 2, 'And not staged.');
    write(dir, 'notes.txt', 'Mine.\n');
    edit(dir, C, 1, 'Here.');
    run(dir, 'commit', '--quiet', '--message', 'Here.', '--only', '--', C);
    const before = [read(dir, A), read(dir, B), run(dir, 'diff', '--cached'), read(dir, 'notes.txt'), status()];
    there(C, 9, 'There.');
    await remote.synchronise();
    expect([read(dir, A), read(dir, B), run(dir, 'diff', '--cached'), read(dir, 'notes.txt'), status()]).toEqual(
      before,
    );
    expect([read(dir, C).includes('Here.'), read(dir, C).includes('There.')]).toEqual([true, true]);
    run(clone, 'pull', '--quiet');
    expect([subjects(dir), subjects(clone), await remote.inTheWay()]).toEqual([
      ['Begin', 'There.', 'Here.'],
      ['Begin', 'There.', 'Here.'],
      undefined,
    ]);
  });

  test('of a file that changed at the remote is named, stays, and waits for the person; then everything follows', async () => {
    there(A, 9, 'There.');
    there(B, 9, 'There too.');
    here(C, 1, 'Here.');
    edit(dir, A, 1, 'Being edited.');
    const [text, head] = [read(dir, A), run(dir, 'rev-parse', 'HEAD')];
    await expect(remote.synchronise()).rejects.toMatchObject({
      detail: `The remote changed ${A}, and somebody edits it here: its changes are not committed.`,
    });
    expect([await remote.pull(), await remote.inTheWay()]).toEqual([false, { edited: [A], both: [] }]);
    expect([read(dir, A), run(dir, 'rev-parse', 'HEAD'), status()]).toEqual([text, head, ` M ${A}`]);
    run(dir, 'commit', '--quiet', '--all', '--message', 'Edited.');
    await remote.synchronise();
    expect([subjects(dir), status(), run(dir, 'worktree', 'list').split('\n').length]).toEqual([
      ['Begin', 'There.', 'There too.', 'Here.', 'Edited.'],
      '',
      1,
    ]);
  });

  test('of a file that the remote added under the same name counts too', async () => {
    write(clone, 'skills/d/canonical.md', 'Theirs.\n');
    commit(clone, 'Add d');
    run(clone, 'push', '--quiet', 'origin', 'main');
    write(dir, 'skills/d/canonical.md', 'Mine.\n');
    expect([await remote.pull(), await remote.inTheWay(), read(dir, 'skills/d/canonical.md')]).toEqual([
      false,
      { edited: ['skills/d/canonical.md'], both: [] },
      'Mine.\n',
    ]);
  });
});

test('lines that both sides changed are named, and nothing moves', async () => {
  there(A, 1, 'There.');
  here(A, 1, 'Here.');
  edit(dir, B, 1, 'Being edited.');
  await expect(remote.synchronise()).rejects.toMatchObject({
    detail: `The remote and this repository changed the same lines of ${A}.`,
  });
  expect([await remote.inTheWay(), subjects(dir), status(), existsSync(join(dir, '.git/bindery-pull'))]).toEqual([
    { edited: [], both: [A] },
    ['Begin', 'Here.'],
    ` M ${B}`,
    false,
  ]);
});

describe('kill -9 while the remote is taken over', () => {
  const KILLS = {
    'while the sides are joined': `*" rebase "*) kill -9 $PPID; exit 1`,
    'before a file is written': `*" read-tree "*) kill -9 $PPID; exit 1`,
    'when some files are written, and one by half': `*" read-tree "*)
      real show origin/main:${B} > ${B}; printf 'Line' > ${C}; : > .git/index.lock; kill -9 $PPID; exit 1`,
    'when a file is removed to be written': `*" read-tree "*) rm ${B}; : > .git/index.lock; kill -9 $PPID; exit 1`,
    'when files and index are written': `*" read-tree "*) real "$@"; kill -9 $PPID; exit 1`,
    'when the branch has moved': `*" update-ref -m "*) real "$@"; kill -9 $PPID; exit 1`,
  };

  test.each(Object.entries(KILLS))('%s: nothing of the edit is lost, and the next run ends the work', async (_, at) => {
    there(B, 9, 'There.');
    there(C, 1, 'There too.');
    write(clone, 'skills/new/canonical.md', 'New.\n');
    commit(clone, 'New.');
    run(clone, 'push', '--quiet', 'origin', 'main');
    here(C, 9, 'Here.');
    edit(dir, A, 1, 'Being edited.');
    const text = read(dir, A);
    expect(pullAndDie(at)).toBe('SIGKILL');
    // The lock of a killed git counts as left after half a minute.
    const lock = join(dir, '.git/index.lock');
    if (existsSync(lock)) utimesSync(lock, new Date(0), new Date(0));
    expect(read(dir, A)).toBe(text);
    // The remote moves on, and takes one change back.
    edit(clone, B, 9, 'x');
    write(clone, B, TEXT);
    commit(clone, 'Taken back.');
    run(clone, 'push', '--quiet', 'origin', 'main');
    await new GitRemote(dir, 'origin').synchronise();
    expect([read(dir, A), status(), subjects(dir), read(dir, B)]).toEqual([
      text,
      ` M ${A}`,
      ['Begin', 'There.', 'There too.', 'New.', 'Taken back.', 'Here.'],
      TEXT,
    ]);
    expect([run(dir, 'fsck', '--no-dangling'), run(dir, 'for-each-ref', 'refs/bindery')]).toEqual(['', '']);
  });

  test('an edit made after the kill stays', async () => {
    there(B, 9, 'There.');
    expect(pullAndDie(KILLS['when files and index are written'])).toBe('SIGKILL');
    edit(dir, B, 1, 'Edited since.');
    const text = read(dir, B);
    expect([await remote.pull(), read(dir, B), await remote.inTheWay()]).toEqual([
      false,
      text,
      { edited: [B], both: [] },
    ]);
  });

  /** Runs a pull whose git kills it at a step. */
  function pullAndDie(step: string): NodeJS.Signals | null {
    const bin = join(scratch, 'bin');
    mkdirSync(bin);
    const path = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh\nreal() { ${path} "$@"; }\ncase " $* " in\n${step} ;;\nesac\nexec ${path} "$@"\n`;
    writeFileSync(join(bin, 'git'), script);
    chmodSync(join(bin, 'git'), 0o755);
    const module = pathToFileURL(join(import.meta.dirname, 'git-remote.ts')).href;
    const code = `const { GitRemote } = await import('${module}'); await new GitRemote(${JSON.stringify(dir)}, 'origin').pull();`;
    const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
      encoding: 'utf8',
    });
    if (signal === null) throw new Error(stderr);
    return signal;
  }
});
