import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';

const { run, write } = openCommandHome();
const words = async (...typed: string[]) =>
  (await run('completion', 'words', '--', ...typed)).stdout.split('\n').slice(0, -1);

test('commands, options and ids of servers are completed', async () => {
  write('.bindery/config.json', '{"mcp":{"servers":{"memory":{"transport":"stdio","command":"x"}}}}');
  expect(await words('mc')).toEqual(['mcp']);
  expect(await words('mcp', 're')).toEqual(['remove', 'reconnect']);
  expect(await words('up', '--po')).toEqual(['--port', '--policy']);
  expect(await words('mcp', 'test', '')).toEqual(['memory']);
});

test('values of arguments and options are completed', async () => {
  expect(await words('connect', 'c')).toEqual(['claude-desktop', 'claude-code', 'cursor', 'codex']);
  expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await words('init', '--policy', '')).toEqual(['read-only', 'ask-before-writes', 'open', 'keep']);
  expect(await words('import', '--from', 'cu')).toEqual(['cursor']);
  expect(await words('catalog', 'add', 'mem')).toEqual(['memory']);
  expect(await words('mcp', 'add', 'x', '--transport', 's')).toEqual(['stdio', 'sse']);
  expect(await words('connect', '--file', 'x.json', 'win')).toEqual(['windsurf']);
  // Without a gateway no tool is known, and a value of any kind has no list.
  expect(await words('tools', 'call', '')).toEqual([]);
  expect(await words('up', '--port', '')).toEqual([]);
});

test('the script of bash is one that bash reads, and other shells are named', async () => {
  const { stdout } = await run('completion', 'bash');
  execFileSync('bash', ['-n'], { input: stdout });
  expect(stdout).toContain('complete -o default');
  expect((await run('completion', 'tcsh')).stderr).toContain('bash, zsh or fish');
});
