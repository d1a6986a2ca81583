import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

test('[context:P1] the benchmark runs on a small corpus and finds equal bytes', async (context) => {
  // The benchmark starts the built command; a checkout that was not built has none.
  if (!existsSync(join(root, 'dist/cli/context-main.js'))) return context.annotate('not built: nothing was measured');
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/context.ts'), '--docs', '300']);
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.map((row) => row.split(' | ')[0])).toEqual([
    '| way',
    '| context.resolve',
    '| context.search',
    '| context.search, index made in memory',
    '| the same files, by a loop',
    '| naive scan in memory',
    '| SQLite FTS5',
    '| MiniSearch',
  ]);
  expect(stdout).toContain('All compared answers are the same bytes.');
}, 180_000);
