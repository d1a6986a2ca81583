import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigStore } from '../../host/config/config-store.ts';
import { checkApprovals, checkPolicies } from './check-files.ts';
import type { SetUp } from './finding.ts';

test('the policy of a gateway with another file is that file, only for its own project', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-doctor-'));
  const policy = join(dir, 'other.json');
  writeFileSync(policy, '{"allowlist":{"servers":["*"]}}');
  const check = (cwd: string) =>
    checkPolicies(
      { configDir: dir, cwd: dir, running: { url: '', pid: 1, cwd, policy } } as unknown as SetUp,
      join(dir, 'none.db'),
      new ConfigStore({ global: join(dir, 'none.json'), project: join(dir, 'none.json') }),
    );
  expect([await check(dir), await check('/elsewhere')].flat().map(({ message }) => message)).toEqual([
    '1 in force',
    'none: every tool may be called',
  ]);
});

test('a profile whose client may approve is a warning; otherwise the surfaces are reported', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-doctor-'));
  const check = async (gateway: object) => {
    const file = join(dir, 'config.json');
    writeFileSync(file, JSON.stringify({ version: 1, gateway }));
    const found = await checkApprovals(new ConfigStore({ global: file, project: join(dir, 'none.json') }));
    return found.map(({ level, message }) => `${level}: ${message}`);
  };
  const open = { profiles: { work: { approval: { surfaces: ['client'] } } } };
  expect([await check({}), await check({ approval: { surfaces: ['cli', 'client'] } }), await check(open)]).toEqual([
    ['ok: by console, cli, webhook'],
    ['warning: profile default: an agent can approve its own calls, in the dialogue of its client'],
    ['warning: profile work: an agent can approve its own calls, in the dialogue of its client'],
  ]);
});
