import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accessRemedy } from './access-remedy.ts';
import { inDataDir } from './running-gateway.ts';

const dir = join(mkdtempSync(join(tmpdir(), 'bindery-access-')), 'data');
mkdirSync(dir);
const uid = process.getuid?.() ?? 0;

test.runIf(process.getuid)('a folder of another user is made one’s own, and one’s own is opened', () => {
  expect([accessRemedy(dir, uid + 1), accessRemedy(dir, uid)]).toEqual([
    `It belongs to another user. Make it yours: \`sudo chown -R "$USER" ${dir}\`.`,
    `Let your user read and write it: \`chmod u+rwX ${dir}\`.`,
  ]);
});

test.each([
  ['EACCES', `Let your user read and write it: \`chmod u+rwX ${dir}\`.`],
  ['ENOSPC', 'Free space on that disk, or set BINDERY_DATA_DIR to a folder on another one.'],
  ['EROFS', 'Make it a folder that you can write to, or set BINDERY_DATA_DIR to another folder.'],
])('the remedy for a data directory that fails with %s fits', (code, next) => {
  const work = () => {
    throw Object.assign(new Error(code), { code });
  };
  expect(() => inDataDir(dir, work)).toThrow(expect.objectContaining({ code: 'DATA_DIR_UNUSABLE', next }));
});

test('a full disk that the database meets is named, and space is the remedy', () => {
  const work = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  };
  expect(() => inDataDir(dir, work)).toThrow(
    expect.objectContaining({
      detail: `${dir}: the disk is full`,
      next: 'Free space on that disk, or set BINDERY_DATA_DIR to a folder on another one.',
    }),
  );
});
