import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSuppliedFile, readSuppliedFileSync, refusalReason } from './read-supplied-file.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-files-')));
const folder = join(base, 'folder');
mkdirSync(join(folder, 'inner'), { recursive: true });
writeFileSync(join(folder, 'plain'), 'text');
writeFileSync(join(folder, 'empty'), '');
writeFileSync(join(folder, 'exact'), 'x'.repeat(10));
writeFileSync(join(folder, 'large'), 'x'.repeat(11));
writeFileSync(join(base, 'outside'), 'secret');
writeFileSync(join(base, 'folder-like'), 'secret');
symlinkSync('plain', join(folder, 'link'));
symlinkSync('../outside', join(folder, 'out'));
symlinkSync('../folder-like', join(folder, 'beside'));
symlinkSync('..', join(folder, 'up'));
symlinkSync('nothing', join(folder, 'dangling'));
symlinkSync('loop', join(folder, 'loop'));
symlinkSync('/dev/zero', join(folder, 'device'));
execFileSync('mkfifo', [join(folder, 'pipe')]);

const CASES: readonly [name: string, expected: string][] = [
  ['plain', 'read: text'],
  ['empty', 'read: '],
  ['exact', `read: ${'x'.repeat(10)}`],
  ['link', 'read: text'],
  ['none', 'none'],
  ['plain/below', 'none'],
  ['large', 'it is larger than 10 bytes'],
  ['out', 'it leads out of its folder'],
  ['beside', 'it leads out of its folder'],
  ['up/outside', 'it leads out of its folder'],
  ['dangling', 'it is a link that leads nowhere'],
  ['loop', 'it cannot be read (ELOOP)'],
  ['device', 'it is not a regular file'],
  ['pipe', 'it is not a regular file'],
  ['inner', 'it is a folder'],
];

async function outcome(read: () => Buffer | undefined | Promise<Buffer | undefined>): Promise<string> {
  try {
    const bytes = await read();
    return bytes === undefined ? 'none' : `read: ${bytes}`;
  } catch (thrown) {
    return refusalReason(thrown) ?? `threw ${String(thrown)}`;
  }
}

test.each(CASES)('%s: %s', async (name, expected) => {
  const file = { path: join(folder, name), within: folder, bytesMax: 10 };
  expect([await outcome(() => readSuppliedFile(file)), await outcome(() => readSuppliedFileSync(file))]).toEqual([
    expected,
    expected,
  ]);
});

test('links of a person lead where they like, but to regular files only', async () => {
  const read = (name: string) => outcome(() => readSuppliedFile({ path: join(folder, name), bytesMax: 10 }));
  expect([await read('out'), await read('device')]).toEqual(['read: secret', 'it is not a regular file']);
});

test('a file that says nothing of its size is read to its end, and to the limit at most', async () => {
  const file = { path: '/proc/self/status', bytesMax: 100_000 };
  expect(await outcome(() => readSuppliedFile(file))).toContain('VmRSS');
  expect(await outcome(() => readSuppliedFileSync({ ...file, bytesMax: 9 }))).toBe('it is larger than 9 bytes');
});
