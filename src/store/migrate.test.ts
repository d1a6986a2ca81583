import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { migrate } from './migrate.ts';

const migrations = { part: 'numbers', steps: ['CREATE TABLE numbers (n INTEGER)', 'INSERT INTO numbers VALUES (1)'] };

test('steps that another process does meanwhile are not done twice', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bindery-migrate-'));
  const [mine, theirs] = [1, 2].map(() => new DatabaseSync(join(folder, 'x.db'))) as [DatabaseSync, DatabaseSync];
  const exec = mine.exec.bind(mine);
  mine.exec = (sql) => {
    if (sql === 'BEGIN IMMEDIATE') migrate(theirs, migrations);
    exec(sql);
  };
  migrate(mine, migrations);
  expect(mine.prepare('SELECT n FROM numbers').all()).toEqual([{ n: 1 }]);
  mine.close();
  theirs.close();
  rmSync(folder, { recursive: true });
});
