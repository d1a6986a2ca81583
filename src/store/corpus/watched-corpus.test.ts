import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CORPUS_LIMITS } from '../../civic/config.ts';
import { CorpusFolder } from './corpus-folder.ts';
import { VersionTimes } from './version-times.ts';
import { WatchedCorpus } from './watched-corpus.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'corpus-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function skill(id: string, body = 'Text.\n'): string {
  return `---\nid: ${id}\ntitle: T\nsummary: S\nstatus: alpha\nversion: 1.0.0\ncategory: c\n---\n${body}`;
}
function put(path: string, text: string): void {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
}
const open = () => new WatchedCorpus({ dir, log: silent, context: () => ({ generatedAt: () => 'now' }) });
const ids = (corpus: WatchedCorpus) => corpus.current()?.snapshot.skills.map(({ id }) => id);

describe('a folder', () => {
  test('[civic:K1] is read as skills, paths and catalogue; other files and links are ignored', async () => {
    put('skills/a/canonical.md', skill('a'));
    put('skills/a/research-report.md', 'x');
    put('skills/loose.md', 'x');
    put('paths/p.yaml', 'id: p\n');
    put('paths/p.yml', 'x');
    put('catalogue/values.yaml', '');
    put('catalogue/other.yaml', 'x');
    put('README.md', 'x');
    put('elsewhere/canonical.md', skill('b'));
    symlinkSync(join(dir, 'elsewhere'), join(dir, 'skills/b'));
    symlinkSync('/etc/passwd', join(dir, 'paths/secret.yaml'));
    const files = await new CorpusFolder(dir).read();
    expect(files.map(({ path }) => path).sort()).toEqual([
      'catalogue/values.yaml',
      'paths/p.yaml',
      'skills/a/canonical.md',
    ]);
  });

  test('a file that did not change is the same object, also when its time did', async () => {
    put('skills/a/canonical.md', skill('a'));
    const folder = new CorpusFolder(dir);
    const [first] = await folder.read();
    put('skills/a/canonical.md', skill('a'));
    const [again] = await folder.read();
    put('skills/a/canonical.md', skill('a', 'Tent.\n'));
    const [changed] = await folder.read();
    expect([again === first, changed === first, changed?.text?.includes('Tent')]).toEqual([true, false, true]);
  });

  test('changes of equal size in quick succession are all seen', async () => {
    const folder = new CorpusFolder(dir);
    for (let round = 0; round < 30; round += 1) {
      put('skills/a/canonical.md', skill('a', `${round % 10}\n`));
      expect((await folder.read())[0]?.text?.endsWith(`${round % 10}\n`)).toBe(true);
    }
  });
});

describe('a watched corpus', () => {
  test('[civic:C3] keeps the last good snapshot while the folder fails its checks', async () => {
    put('skills/a/canonical.md', skill('a'));
    const corpus = open();
    await corpus.refresh();
    put('skills/b/canonical.md', 'broken');
    await corpus.refresh();
    expect([corpus.state().ok, corpus.state().errors[0]?.code, ids(corpus)]).toEqual([
      false,
      'frontmatter_invalid',
      ['a'],
    ]);
    put('skills/b/canonical.md', skill('b'));
    await corpus.refresh();
    expect([corpus.state().ok, ids(corpus)]).toEqual([true, ['a', 'b']]);
  });

  test('[civic:C3] [civic:L7] a change of our own is served although another file fails its checks, and nothing is taken over', async () => {
    for (const id of ['a', 'b', 'c']) put(`skills/${id}/canonical.md`, skill(id));
    const corpus = open();
    await corpus.refresh();
    put('skills/b/canonical.md', 'broken');
    put('skills/d/canonical.md', skill('d'));
    await corpus.refresh();
    let told = 0;
    corpus.onChange(() => told++);
    const content = skill('a').replace('status: alpha', 'status: quarantined');
    await corpus.commit([{ path: 'skills/a/canonical.md', content }], 'status skill a quarantined');
    expect([ids(corpus), corpus.state().errors.map(({ path }) => path), told]).toEqual([
      ['b', 'c'],
      ['skills/b/canonical.md'],
      0,
    ]);
    put('skills/b/canonical.md', skill('b'));
    await corpus.refresh();
    expect([ids(corpus), corpus.state().ok, told]).toEqual([['b', 'c', 'd'], true, 1]);
  });

  test('[civic:L7] a change of our own is served although the folder cannot be written', async () => {
    for (const id of ['a', 'b']) put(`skills/${id}/canonical.md`, skill(id));
    const corpus = open();
    await corpus.refresh();
    // Not even root can write below a file.
    renameSync(join(dir, 'skills/a'), join(dir, 'away'));
    put('skills/a', '');
    const content = skill('a').replace('status: alpha', 'status: quarantined');
    const change = corpus.commit([{ path: 'skills/a/canonical.md', content }], 'status skill a quarantined');
    await expect(change).rejects.toThrow();
    rmSync(join(dir, 'skills/a'));
    renameSync(join(dir, 'away'), join(dir, 'skills/a'));
    await corpus.refresh();
    expect(ids(corpus)).toEqual(['b']);
  });

  test('[civic:SU24] a check reports what a change breaks in other files, and not their existing errors', async () => {
    put('skills/a/canonical.md', skill('a'));
    put('skills/b/canonical.md', skill('b', '<Skill id="a"/>\n'));
    put('skills/c/canonical.md', 'broken');
    const corpus = open();
    await corpus.refresh();
    const codes = (path: string, content: string | undefined) =>
      corpus.check([{ path, content }]).map((issue) => `${issue.code} ${issue.path}`);
    expect([
      codes('skills/a/canonical.md', skill('a', 'More.\n')),
      codes('skills/a/canonical.md', skill('a', '{x}\n')),
      codes('skills/a/canonical.md', undefined),
      codes('skills/c/canonical.md', 'broken'),
    ]).toEqual([
      [],
      ['mdx_forbidden skills/a/canonical.md'],
      ['dead_reference skills/b/canonical.md'],
      ['frontmatter_invalid skills/c/canonical.md'],
    ]);
  });

  test('[civic:C3] notices changes by itself', async () => {
    put('skills/a/canonical.md', skill('a'));
    const corpus = open();
    await corpus.refresh();
    const changed = new Promise<void>((resolve) => corpus.onChange(() => resolve()));
    corpus.watch();
    put('skills/b/canonical.md', skill('b'));
    await Promise.race([changed, setTimeout(20_000, undefined, { ref: false })]);
    await corpus.refresh();
    await corpus.close();
    expect(ids(corpus)).toEqual(['a', 'b']);
  });

  test('[civic:C3] a folder that is suddenly empty keeps the last good corpus, and is logged once', async () => {
    put('skills/a/canonical.md', skill('a'));
    const said: string[] = [];
    const log = { ...silent, error: (text: string) => said.push(text), info: (text: string) => said.push(text) };
    const corpus = new WatchedCorpus({ dir, log, context: () => ({ generatedAt: () => 'now' }) });
    await corpus.refresh();
    renameSync(join(dir, 'skills'), join(dir, 'away'));
    corpus.watch();
    const lines = (count: number) => vi.waitFor(() => expect(said).toHaveLength(count), { timeout: 20_000 });
    await lines(1);
    await setTimeout(1.5 * CORPUS_LIMITS.watchMs);
    const during = ids(corpus);
    renameSync(join(dir, 'away'), join(dir, 'skills'));
    await lines(2);
    await corpus.close();
    expect([during, said, ids(corpus)]).toEqual([
      ['a'],
      ['the corpus cannot be read; the last good one stays', 'the corpus can be read again'],
      ['a'],
    ]);
  });

  test('[civic:K8] writes a change and has it in the snapshot; no half-written file is ever there', async () => {
    put('skills/a/canonical.md', skill('a'));
    const corpus = open();
    await corpus.refresh();
    await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        corpus.commit([{ path: `skills/n-${index}/canonical.md`, content: skill(`n-${index}`) }], 'draft skill'),
      ),
    );
    await corpus.commit([{ path: 'skills/a/canonical.md', content: undefined }], 'retract skill a');
    expect(ids(corpus)).toEqual(['n-0', 'n-1', 'n-2', 'n-3', 'n-4']);
  });

  test('[civic:K8] a path outside the corpus is never written', async () => {
    const corpus = open();
    for (const path of [
      '../x.yaml',
      'README.md',
      'skills/../../x/canonical.md',
      '/etc/x',
      'skills/..\\x/canonical.md',
    ]) {
      await expect(corpus.commit([{ path, content: 'x' }], 'm')).rejects.toThrow();
    }
  });
});

describe('[civic:K8] in a git repository', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' });

  beforeEach(() => {
    git('init', '--quiet');
    put('skills/a/canonical.md', skill('a'));
    git('add', '.');
    git('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '--quiet', '-m', 'first');
  });

  test('a change is one commit of its files only, by an author who is no person', async () => {
    put('skills/other/canonical.md', skill('other'));
    const corpus = open();
    const change = [{ path: 'skills/a/canonical.md', content: skill('a', 'New.\n') }];
    await corpus.commit(change, 'amendment skill a 1.1.0');
    await corpus.commit(change, 'amendment skill a 1.1.0');
    expect(git('log', '--format=%an <%ae> %cn %s', '--name-only').trim().split('\n')).toEqual([
      'bindery-civic <civic@localhost> bindery-civic amendment skill a 1.1.0',
      '',
      'skills/a/canonical.md',
      'x <x@example.org> x first',
      '',
      'skills/a/canonical.md',
    ]);
    expect(git('status', '--porcelain', '-uall').trim()).toBe('?? skills/other/canonical.md');
  });

  test('a new file and a removed one are committed, hooks are not run', async () => {
    mkdirSync(join(dir, '.git/hooks'), { recursive: true });
    writeFileSync(join(dir, '.git/hooks/commit-msg'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await open().commit(
      [
        { path: 'paths/p.yaml', content: 'id: p\ntitle: P\npurpose: tool\nstatus: alpha\nversion: 0.1.0\n' },
        { path: 'skills/a/canonical.md', content: undefined },
      ],
      'supersede skill a 1.0.0',
    );
    expect(git('show', '--name-status', '--format=').trim().split('\n').sort()).toEqual([
      'A\tpaths/p.yaml',
      'D\tskills/a/canonical.md',
    ]);
  });
});

test('[civic:K10] a version keeps the time when it was first built, over restarts and over a torn line', () => {
  const file = join(dir, 'data', 'versions');
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
  const first = new VersionTimes(file).firstBuilt(a, 0);
  writeFileSync(file, `${readFileSync(file, 'utf8')}${b} 1970-01`);
  const times = new VersionTimes(file);
  expect([times.firstBuilt(a, 5000), times.firstBuilt(b, 7000), first]).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:07.000Z',
    '1970-01-01T00:00:00.000Z',
  ]);
  expect(new VersionTimes(file).firstBuilt(b, 9000)).toBe('1970-01-01T00:00:07.000Z');
});
