import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CivicConfig } from './civic-config.ts';
import { civicWarnings } from './civic-warnings.ts';

const dir = mkdtempSync(join(tmpdir(), 'civic-warnings-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const warned = (section: object) => civicWarnings(CivicConfig.parse(section), dir);

test('only a misspelt key, git without a repository and an unknown remote are reported', async () => {
  const before = [await warned({ git_pusch: 'origin' }), await warned({ git_sign: true, git_push: 'origin' })];
  execFileSync('git', ['init', '--quiet', dir]);
  const unknown = await warned({ git_push: 'origin' });
  execFileSync('git', ['-C', dir, 'remote', 'add', 'origin', dir]);
  expect([...before, unknown, await warned({ git_sign: true, git_push: 'origin', proposals: 'branches' })]).toEqual([
    ['civic: unknown key "git_pusch" of config.json has no effect'],
    [`civic: git_sign, git_push has no effect: "${dir}" is not the root of a git repository`],
    ['civic: git_push names the remote "origin", which the repository of the corpus does not have; see `git remote`'],
    [],
  ]);
});
