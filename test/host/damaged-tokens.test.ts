import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createHost } from '../../src/host/create-host.ts';
import { STDIO_SERVER, World } from '../fixtures/connect.ts';
import { openHostCommands } from '../support/host-commands.ts';

const world = new World();
afterAll(() => world.close());

const DAMAGED = ['', '{"version":1,"servers":{"a"', '{"version":1,"servers":{"a":7}}', '{"version":2}'];

/** A home whose token file holds this text. */
async function homeWith(text: string) {
  const home = await openHostCommands();
  await mkdir(dirname(home.globalFile), { recursive: true });
  await writeFile(join(dirname(home.globalFile), 'mcp-auth.json'), text, { mode: 0o600 });
  return home;
}

test.each(DAMAGED)('a token file that holds %j does not keep a stdio server from starting', async (text) => {
  const { globalFile, project } = await homeWith(text);
  const servers = { here: { transport: 'stdio', command: process.execPath, args: [STDIO_SERVER, 'legacy'] } };
  await writeFile(globalFile, JSON.stringify({ version: 1, mcp: { servers } }));
  const host = world.keep(createHost({ config: { file: globalFile, projectDir: project } }));
  await host.connect();
  expect(host.status().map(({ id, state }) => [id, state])).toEqual([['here', 'ready']]);
});

test('`mcp auth list` names what is damaged, and `mcp auth clear` repairs it', async () => {
  const { run } = await homeWith('{"version":1,"servers":{"a":7,"b":{"access_token":"secret-b"}}}');
  expect(await run('mcp', 'auth', 'list')).toMatchObject({
    exitCode: 0,
    stdout: 'b\tfalse\t\n',
    stderr: expect.stringContaining('what is stored to sign in to a is damaged'),
  });
  expect(await run('mcp', 'auth', 'clear', 'a')).toMatchObject({ exitCode: 0, stdout: 'cleared a\n' });
  expect(await run('mcp', 'auth', 'list')).toMatchObject({ exitCode: 0, stdout: 'b\tfalse\t\n', stderr: '' });
});

test('`mcp auth list` lists a refresh token without an access token, and no client that is only registered', async () => {
  const { run } = await homeWith(
    '{"version":1,"servers":{"a":{"refresh_token":"secret-a"},"b":{"client_id":"registered"}}}',
  );
  expect(await run('mcp', 'auth', 'list')).toMatchObject({ exitCode: 0, stdout: 'a\ttrue\t\n', stderr: '' });
});

test('`mcp auth clear` sets a file aside that cannot be read at all', async () => {
  const { run, globalFile } = await homeWith('nonsense');
  expect(await run('mcp', 'auth', 'clear', 'a')).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/the damaged token file is now .*mcp-auth\.json\.damaged-\d+/),
  });
  expect(await readdir(dirname(globalFile))).toContain('mcp-auth.json');
  expect(await run('mcp', 'auth', 'list')).toMatchObject({ exitCode: 0, stderr: '' });
});

test('`mcp auth list` says that the token file is empty', async () => {
  const { run } = await homeWith('');
  expect(await run('mcp', 'auth', 'list')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^no token is stored; /),
    stderr: expect.stringContaining('the token file is empty'),
  });
});
