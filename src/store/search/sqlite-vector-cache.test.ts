import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSqliteVectorCache } from './sqlite-vector-cache.ts';

const folder = mkdtempSync(join(tmpdir(), 'bindery-vectors-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('vectors survive a restart, by their keys', async () => {
  const file = join(folder, 'vectors.db');
  const first = openSqliteVectorCache(file);
  await first.put(
    new Map([
      ['a', Int8Array.of(1, -2, 127)],
      ['b', Int8Array.of(-127)],
    ]),
  );
  await first.put(new Map([['b', Int8Array.of(5)]]));
  first.close();
  const second = openSqliteVectorCache(file);
  expect(await second.get(['a', 'b', 'c'])).toEqual(
    new Map([
      ['a', Int8Array.of(1, -2, 127)],
      ['b', Int8Array.of(5)],
    ]),
  );
  second.close();
});
