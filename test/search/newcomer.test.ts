import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/repository.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';

const server = (name: string, ...args: string[]) => ({
  transport: 'stdio',
  command: process.execPath,
  args: [join(root, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js'), ...args],
});

let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  const servers = { everything: server('everything'), memory: server('memory'), files: server('filesystem', root) };
  home = await createHome({ mcp: { servers } });
  bindery = await startBindery(home);
  await untilKnown(bindery, 'everything', 'memory', 'files');
}, 60_000);

afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
});

// What people ask first, of the servers that they try first; no model helps.
test.each([
  ['write a text file', 'files__write_file', 1],
  ['create a file', 'files__write_file', 2],
  ['read a file', 'files__read_text_file', 2],
  ['add two numbers', 'everything__get-sum', 1],
  ['list a folder', 'files__list_directory', 2],
  ['remember something', 'memory__', 1],
])('%j finds %s among the first %i', async (query, name, places) => {
  const { body } = await bindery.api('POST', '/v1/tools/find', { query });
  const { tools } = body as { tools: readonly { readonly name: string }[] };
  const first = tools.slice(0, places).map((tool) => tool.name);
  expect(
    first.filter((found) => found.startsWith(name)),
    first.join(', '),
  ).not.toEqual([]);
});
