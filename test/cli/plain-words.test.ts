import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';

const { run, json, write } = openCommandHome();

test.each([
  [['init', '--port', 'abc'], '--port must be a number'],
  [['init', '--port', '99999'], '--port must be at most 65535'],
  [['connect', 'claude'], 'client must be one of claude-desktop, claude-code, '],
  [['connect', 'claude'], 'Did you mean claude-desktop or claude-code?'],
  [['keys', 'create', 'a', '--expires', '90'], '--expires must be a number with h or d, such as 90d'],
  [['mcp', 'add', 'x'], 'a server needs a URL, or -- and a command'],
])('%j is answered in plain words', async (argv, words) => {
  const { stderr, exitCode } = await run(...argv);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)]);
});

test('an entry without a transport, and a list of the policy that is none, are named with the remedy', async () => {
  write('.bindery/config.json', '{"mcp":{"servers":{"a":{"command":"x"},"b":{"url":"https://b.example/mcp"}}}}');
  const { items } = await json('mcp', 'list', '--scope', 'global');
  expect(items.map(({ reason }: { reason: string }) => reason)).toEqual([
    'transport: is missing. It has a command, so write "transport": "stdio"',
    'transport: is missing. It has a URL, so write "transport": "http"',
  ]);
  const policy = write('p.json', '{"allowlist":{"servers":["a"],"tools":{"a":"b"}}}');
  expect((await run('policy', 'lint', policy)).stdout).toContain('allowlist.tools.a must be a list of strings');
});
