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

test('the script of bash is one that bash reads, and other shells are named', async () => {
  const { stdout } = await run('completion', 'bash');
  execFileSync('bash', ['-n'], { input: stdout });
  expect(stdout).toContain('complete -o default');
  expect((await run('completion', 'tcsh')).stderr).toContain('bash, zsh or fish');
});
