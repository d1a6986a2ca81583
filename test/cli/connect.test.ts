import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { CLIENTS } from '../../src/gateway/import/client-formats.ts';
import { clientPlace } from '../../src/gateway/import/client-places.ts';
import { openCommandHome } from '../support/command-home.ts';

const JSON_FILE =
  '{\r\n\t// mine\r\n\t"mcpServers": {"a":   {"command": "a"},},\r\n\t"servers": {},\r\n\t"other": [1,2]\r\n}';
const TOML_FILE = 'model = "x" # mine\n\n[mcp_servers.a]\ncommand = "a"\n\n[tools]\nweb = true';

test.each(CLIENTS)('%s is connected and disconnected, and every byte is as it was', async (client) => {
  const { home, run } = openCommandHome();
  const file = clientPlace(client, { platform: process.platform, home, env: {} });
  const before = client === 'codex' ? TOML_FILE : JSON_FILE;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, before);
  expect((await run('connect', client)).exitCode).toBe(0);
  const connected = readFileSync(file, 'utf8');
  expect([connected.includes('bindery'), connected.includes('mine'), connected.includes('"a"')]).toEqual([
    true,
    true,
    true,
  ]);
  expect((await run('connect', client)).stdout).toContain('connected already');
  expect((await run('disconnect', client)).exitCode).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect((await run('disconnect', client)).stdout).toContain('is not connected');
});

const ONE_LINE = [
  ['{"numStartups":7,"mcpServers":{"a":{"command":"a"}}}', ',"bindery":{"type":"http","url":"URL"}'],
  ['{"numStartups": 7, "mcpServers": {"a": {"command": "a"}}}', ', "bindery": {"type": "http", "url": "URL"}'],
  ['{ "mcpServers": { "a": { "command": "a" } }, "x": [1,2] }\n', ', "bindery": { "type": "http", "url": "URL" }'],
  ['{"x":1,"mcpServers":{}}', '"bindery":{"type":"http","url":"URL"}'],
  ['{"numStartups":7}', ',"mcpServers":{"bindery":{"type":"http","url":"URL"}}'],
  ['\uFEFF{"x": 1, "mcpServers": null}', undefined],
] as const;

test.each(ONE_LINE)('a file of one line stays one, in its own manner: %j', async (before, added) => {
  const { run, write } = openCommandHome();
  const file = write('.claude.json', before);
  expect((await run('connect', 'claude-code')).exitCode).toBe(0);
  const after = readFileSync(file, 'utf8');
  const entry = added?.replace('URL', 'http://127.0.0.1:7717/mcp');
  expect(after.trimEnd()).not.toContain('\n');
  if (entry) expect([after.includes(entry), after.replace(entry, '')]).toEqual([true, before]);
  // Taken out again by an edit, since the file was touched meanwhile.
  writeFileSync(file, `${after} `);
  await run('disconnect', 'claude-code');
  if (before.includes('mcpServers') && entry) expect(readFileSync(file, 'utf8')).toBe(`${before} `);
});

test('an entry that says the same is left as it is written', async () => {
  const { run, write } = openCommandHome();
  const text = '{"mcpServers": {"bindery": {\n"url":"http://127.0.0.1:7717/mcp" , "type":"http"}}}';
  const file = write('.claude.json', text);
  expect((await run('connect', 'claude-code')).stdout).toContain('connected already');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a client that is misspelt is named as it is spelt', async () => {
  const { json, run } = openCommandHome();
  expect((await json('connect', 'claude-cod')).detail).toContain('Did you mean claude-code?');
  expect((await run('init', '--yes', '--clients', 'curser')).stderr).toContain('next: Did you mean cursor?');
  expect((await json('init', '--yes', '--policy', 'read-olny')).detail).toContain('Did you mean read-only?');
});

test('where the file was changed meanwhile only our entry goes', async () => {
  const { home, run } = openCommandHome();
  const file = join(home, '.cursor', 'mcp.json');
  mkdirSync(dirname(file));
  writeFileSync(file, '{\n  "mcpServers": {}\n}\n');
  await run('connect', 'cursor');
  writeFileSync(file, readFileSync(file, 'utf8').replace('{\n', '{\n  "new": 1,\n'));
  await run('disconnect', 'cursor');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ new: 1, mcpServers: {} });
});

test('a client without a file gets one, which goes again; links and entries are printed', async () => {
  const { run } = openCommandHome();
  await run('connect', 'windsurf', '--header', 'Authorization: Bearer x');
  expect((await run('disconnect', 'windsurf')).stdout).toContain('disconnected windsurf');
  const printed = await run('connect', 'gemini', '--print');
  expect(JSON.parse(printed.stdout)).toEqual({ mcpServers: { bindery: { httpUrl: 'http://127.0.0.1:7717/mcp' } } });
  expect((await run('connect', 'vscode', '--link')).stdout).toMatch(/^vscode:mcp\/install\?%7B/);
  expect((await run('connect', 'codex', '--link')).exitCode).toBe(1);
});

test('servers under mcpServers of the config are read, with a note, and can be removed', async () => {
  const { write, run, json } = openCommandHome();
  write('.bindery/config.json', '{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "notes"]}}}');
  const listed = await run('mcp', 'list', '--scope', 'global');
  expect(listed.stdout).toBe('notes\tstdio\tglobal\ttrue\t\n');
  expect(listed.stderr).toContain('notes: read from mcpServers');
  expect((await run('mcp', 'remove', 'notes', '--scope', 'global')).exitCode).toBe(0);
  expect((await json('mcp', 'list', '--scope', 'global')).items).toEqual([]);
});

test('the undo of a file that was named names it again', async () => {
  const { home, run } = openCommandHome();
  const file = join(home, 'elsewhere.json');
  writeFileSync(file, '{}');
  await run('connect', 'cursor', '--file', file);
  expect((await run('disconnect', 'cursor', '--file', file)).stdout).toContain(
    `Undo: bindery connect cursor --file ${file}\n`,
  );
});
