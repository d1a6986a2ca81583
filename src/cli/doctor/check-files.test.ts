import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPolicies } from './check-files.ts';
import type { SetUp } from './finding.ts';

test('the policy of a gateway that was told another file is that file, for its own project alone', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-doctor-'));
  const policy = join(dir, 'other.json');
  writeFileSync(policy, '{"allowlist":{"servers":["notes"]}}');
  const check = (cwd: string) =>
    checkPolicies({ configDir: dir, cwd: dir, running: { url: '', pid: 1, cwd, policy } } as unknown as SetUp);
  expect([check(dir), check('/elsewhere')].flat().map(({ message }) => message)).toEqual([
    '1 in force',
    'none: every tool may be called',
  ]);
});
