import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createHost } from '../../src/host/create-host.ts';
import { until, World } from '../fixtures/connect.ts';
import { openHostCommands } from '../support/host-commands.ts';

const filesystem = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist/index.js',
);
const world = new World();
afterAll(() => world.close());

test('a server that was given one folder works in that one, and not in the project', async () => {
  const { globalFile, project, dir } = await openHostCommands();
  const folder = join(dir, 'given');
  await mkdir(folder);
  await mkdir(dirname(globalFile), { recursive: true });
  const files = { transport: 'stdio', command: process.execPath, args: [filesystem, folder] };
  await writeFile(globalFile, JSON.stringify({ version: 1, mcp: { servers: { files } } }));
  const host = world.keep(createHost({ config: { file: globalFile, projectDir: project }, mode: 'full-access' }));
  await host.connect();
  // It asks for roots after it was initialized, and says what came of it.
  await until(() => /MCP roots/i.test(host.stderrOf('files') ?? ''));
  const text = JSON.stringify(await host.callTool('files/list_allowed_directories'));
  expect([text.includes(await realpath(folder)), text.includes(await realpath(project))]).toEqual([true, false]);
});
