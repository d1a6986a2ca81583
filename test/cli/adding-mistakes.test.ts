import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';

const GLOBAL = ['--scope', 'global'];

function prepared() {
  const home = openCommandHome();
  const entries = () => JSON.parse(readFileSync(join(home.dataDir, 'config.json'), 'utf8')).mcp.servers;
  return { ...home, entries };
}

test('an option of ours behind -- is said to go to the server', async () => {
  const home = prepared();
  const { stderr } = await home.run('mcp', 'add', 'foo', ...GLOBAL, '--', 'npx', '-y', 'x', '--scope', 'global');
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('--scope stands behind -- and goes to the server');
  expect(home.entries().foo.args).toEqual(['-y', 'x', '--scope', 'global']);
  expect((await home.run('mcp', 'add', 'bar', ...GLOBAL, '--', 'npx', '-y', 'x', '--port', '1')).stderr).toBe('');
});

test('the remedy for a variable that is not replaced is the flag of this command', async () => {
  const home = prepared();
  const header = ['--header', `Authorization: Bearer \${TOK}`];
  const { stderr } = await home.run('mcp', 'add', 'docs', 'https://example.com/mcp', ...header, ...GLOBAL);
  expect(stderr).toContain('--expand-env');
  expect(stderr).not.toContain('"expand_env"');
});

test('-e is short for --env', async () => {
  const home = prepared();
  await home.run('mcp', 'add', 'foo', '-e', 'A=1', '--env', 'B=2', ...GLOBAL, '--', 'npx', 'x');
  expect(home.entries().foo.env).toEqual({ A: '1', B: '2' });
});

test('a folder of a server of the catalogue has to be there', async () => {
  const home = prepared();
  const refused = await home.json('catalog', 'add', 'filesystem', '--set', 'folder=/no/such/folder');
  expect(refused).toMatchObject({
    code: 'INVALID_ARGUMENTS',
    detail: '--set folder: there is nothing at /no/such/folder',
  });
  const folder = join(home.home, 'notes');
  mkdirSync(folder);
  expect((await home.run('catalog', 'add', 'filesystem', '--set', `folder=${folder}`)).exitCode).toBe(0);
});
