import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openHostCommands } from '../support/host-commands.ts';

/** A server of five tools: one twice, one whose input is no object. */
const LISTED = ['read', 'write', 'write', 'drop'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const SCRIPT = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
      : { tools: ${JSON.stringify([...LISTED, { name: 'odd', inputSchema: { type: 'string' } }])} };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });`;

test('mcp test counts the tools that a gateway offers, and those that are left out, with the reason', async () => {
  const { run, json, globalFile } = await openHostCommands();
  const odd = { transport: 'stdio', command: process.execPath, args: ['-e', SCRIPT], exclude_tools: ['drop'] };
  await mkdir(dirname(globalFile), { recursive: true });
  await writeFile(globalFile, JSON.stringify({ version: 1, mcp: { servers: { odd } } }));
  expect(await json('mcp', 'test', 'odd')).toMatchObject({ ok: true, tools: 2, tools_left_out: 3 });
  const { stdout } = await run('mcp', 'test', 'odd');
  expect(stdout).toMatch(
    /^odd: ok, 2 tools \(3 more left out: 1 by include_tools or exclude_tools; write: it is listed twice; the input schema is not of an object: odd\), /,
  );
});
