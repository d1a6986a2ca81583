import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigStore, projectConfigFile } from '../config/config-store.ts';
import { TrustStore } from '../trust/trust-store.ts';
import { configOperations } from './config-operations.ts';
import type { HostDeps } from './deps.ts';

test('if the trust file is not writable, a server is not added to the project, and the error names the file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-add-'));
  const project = projectConfigFile(dir);
  // The name of its lock is too long for any file system.
  const trustFile = join(dir, 'x'.repeat(253));
  const deps = {
    config: new ConfigStore({ global: join(dir, 'config.json'), project }),
    trust: new TrustStore(trustFile, dir, { now: Date.now }),
    warn: () => {},
  } as unknown as HostDeps;
  const add = configOperations.find(({ id }) => id === 'host.add');
  const input = add?.input.parse({ id: 'x', command: 'y', scope: 'project' });
  await expect(add?.run(input as never, deps, {} as never)).rejects.toMatchObject({
    code: 'CONFIG_UNWRITABLE',
    detail: expect.stringContaining(trustFile),
  });
  expect(existsSync(project)).toBe(false);
});
