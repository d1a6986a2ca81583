import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/repository.ts';

test.each([
  ['host-tools.ts', /^ok: \d+ tools, Echo: hello\n$/],
  ['host-permissions.ts', /^ok: asked about 2 calls\n$/],
  ['host-models.ts', /^ok: \d+ tools\n$/],
])('[host:H11] the example %s runs against a real server', async (file, said) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', join(root, 'examples', file)]);
  expect(stdout).toMatch(said);
});
