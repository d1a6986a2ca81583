import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findTexts } from './find-texts.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'find-texts-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a text is found in files at any depth, also as JSON has it, and not where it is gone', () => {
  mkdirSync(join(dir, 'a/b'), { recursive: true });
  writeFileSync(join(dir, 'a/b/plain.md'), 'before Zwaanswijk after');
  writeFileSync(join(dir, 'line.json'), JSON.stringify({ report: 'two\nlines "here"' }));
  writeFileSync(join(dir, 'other.md'), 'nothing');
  expect([
    findTexts([dir], ['Zwaanswijk']),
    findTexts([dir], ['two\nlines "here"']),
    findTexts([dir], ['gone']),
    findTexts([dir], []),
  ]).toEqual([[join(dir, 'a/b/plain.md')], [join(dir, 'line.json')], [], []]);
});

test('a text that only the history of a repository holds is found there, in changes and in messages', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...args], {
      encoding: 'utf8',
    });
  git('init', '--quiet');
  const commit = (text: string, message: string) => {
    writeFileSync(join(dir, 'skill.md'), text);
    git('add', '.');
    git('commit', '--quiet', '--no-gpg-sign', '-m', message);
    return git('rev-parse', 'HEAD').trim();
  };
  const first = commit('Ask Zwaanswijk.\n', 'Add');
  const second = commit('Ask the desk.\n', 'Remove what Quirina wrote');
  rmSync(join(dir, '.git/COMMIT_EDITMSG'), { force: true });
  rmSync(join(dir, '.git/logs'), { recursive: true, force: true });
  expect([
    findTexts([dir], ['Zwaanswijk']).sort(),
    findTexts([dir], ['Quirina']),
    findTexts([dir], ['nobody']),
  ]).toEqual([[`${dir} commit ${first}`, `${dir} commit ${second}`].sort(), [`${dir} commit ${second}`], []]);
});
