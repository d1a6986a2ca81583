import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCivicStore } from './open-civic-store.ts';

test('[civic:I6] the store and its companion files are readable by their owner only, from the first byte', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'civic-store-'));
  const dataDir = join(scratch, 'data');
  const opened = openCivicStore(dataDir);
  const modes = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const files = readdirSync(dataDir).sort();
  const seen = [modes(dataDir), ...files.map((file) => `${file} ${modes(join(dataDir, file))}`)];
  opened.close();
  rmSync(scratch, { recursive: true });
  expect(seen).toEqual([
    '700',
    'civic-salts.db 600',
    'civic-salts.db-shm 600',
    'civic-salts.db-wal 600',
    'registry.db 600',
    'registry.db-shm 600',
    'registry.db-wal 600',
  ]);
});
