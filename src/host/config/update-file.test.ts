import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { updateFile } from './update-file.ts';

const folder = () => mkdtemp(join(tmpdir(), 'bindery-update-'));
const OPTIONS = { mode: 0o600 };

test('a write under a lost lock is refused, and leaves nothing behind', async () => {
  const dir = await folder();
  const file = join(dir, 'config.json');
  await writeFile(file, 'read before');
  const change = async (text: string | undefined) => {
    await rm(join(dir, 'config.json.lock'), { recursive: true });
    return `${text}, changed`;
  };
  const update = updateFile(file, change, OPTIONS);
  await expect(update).rejects.toMatchObject({ code: 'CONFIG_BUSY' });
  expect([await readdir(dir), await readFile(file, 'utf8')]).toEqual([['config.json'], 'read before']);
});

test('a pipe in place of the file is refused at once, and left unchanged', async () => {
  const dir = await folder();
  const file = join(dir, 'config.json');
  execFileSync('mkfifo', [file]);
  await expect(updateFile(file, () => 'changed', OPTIONS)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
  expect([await readdir(dir), (await stat(file)).isFIFO()]).toEqual([['config.json'], true]);
});

test('numbered backups of a file are left alone', async () => {
  const dir = await folder();
  const file = join(dir, 'config.json');
  const backups = ['config.json.1', 'config.json.20261101', 'config.json.bak'];
  for (const name of backups) await writeFile(join(dir, name), 'mine');
  await updateFile(file, () => '{}', OPTIONS);
  expect((await readdir(dir)).sort()).toEqual(['config.json', ...backups]);
});

test('temporary files of a killed writer are removed, those of a running one are not', async () => {
  const dir = await folder();
  for (const name of ['.config.json.bindery-old.tmp', '.config.json.bindery-new.tmp', '.other.json.bindery-old.tmp']) {
    await writeFile(join(dir, name), '{');
    if (name.includes('old')) await utimes(join(dir, name), new Date(0), new Date(0));
  }
  await updateFile(join(dir, 'config.json'), () => '{}', OPTIONS);
  expect((await readdir(dir)).sort()).toEqual([
    '.config.json.bindery-new.tmp',
    '.other.json.bindery-old.tmp',
    'config.json',
  ]);
});

test('a linked file is written through its link and keeps its mode', async () => {
  const dir = await folder();
  await mkdir(join(dir, 'dotfiles'));
  const [link, target] = [join(dir, 'config.json'), join(dir, 'dotfiles', 'bindery.json')];
  await writeFile(target, 'old');
  await chmod(target, 0o664);
  await symlink(target, link);
  await updateFile(link, (text) => `${text} and new`, OPTIONS);
  expect([
    (await lstat(link)).isSymbolicLink(),
    await readFile(target, 'utf8'),
    (await stat(target)).mode & 0o777,
    (await readdir(dir)).sort(),
    await readdir(join(dir, 'dotfiles')),
  ]).toEqual([true, 'old and new', 0o664, ['config.json', 'dotfiles'], ['bindery.json']]);
});
