import { expect, test } from 'vitest';
import { brokenJsonAt, understandServer, whyNotUnderstood } from '../../console/src/pages/understand-server.ts';

const entryOf = (text: string) => understandServer(text)[0]?.entry ?? whyNotUnderstood(text);

test('quotes hold words of a command together, and one that is not closed is reported', () => {
  expect([`npx -y "a b" --name='c d'`, `npx ""`, `npx "a b`, `npx it's`].map(entryOf)).toEqual([
    { transport: 'stdio', command: 'npx', args: ['-y', 'a b', '--name=c d'] },
    { transport: 'stdio', command: 'npx', args: [''] },
    'openQuote',
    'openQuote',
  ]);
});

test('addresses are of http, https or ai, alone and in a config', () => {
  const config = (url: string) => JSON.stringify({ mcpServers: { a: { url } } });
  const refused = [
    'javascript:alert(1)',
    'JavaScript:x',
    'file:///etc/passwd',
    'ws://x/mcp',
    'http://',
    'data:text/html,x',
  ];
  expect(refused.map(entryOf)).toEqual(refused.map(() => 'otherScheme'));
  expect(refused.map((url) => entryOf(config(url)))).toEqual(refused.map(() => 'notUnderstood'));
  expect(
    ['https://x.example/mcp', 'ai://x.example', config('http://x.example/mcp'), 'C:\\x.exe run'].map(entryOf),
  ).toEqual([
    { transport: 'http', url: 'https://x.example/mcp' },
    { transport: 'http', identity: 'ai://x.example' },
    { transport: 'http', url: 'http://x.example/mcp' },
    { transport: 'stdio', command: 'C:\\x.exe', args: ['run'] },
  ]);
});

test('a line for Claude Code is understood: name, environment, headers, command or address', () => {
  const line = 'claude mcp add files -s user -e TOKEN=a=b --env=MODE=x -- npx -y @scope/server-files --header kept';
  expect(understandServer(line)).toEqual([
    {
      id: 'files',
      entry: {
        transport: 'stdio',
        command: 'npx',
        args: ['-y', '@scope/server-files', '--header', 'kept'],
        env: { TOKEN: 'a=b', MODE: 'x' },
      },
    },
  ]);
  const remote = 'claude mcp add --transport sse linear https://mcp.linear.app/sse --header "Authorization: Bearer x"';
  expect(understandServer(remote)).toEqual([
    {
      id: 'linear',
      entry: { transport: 'sse', url: 'https://mcp.linear.app/sse', headers: { Authorization: 'Bearer x' } },
    },
  ]);
  expect(understandServer('claude mcp add files')).toEqual([]);
});

test('broken JSON is told with its line and column', () => {
  expect([brokenJsonAt('{\n  "a": 1,\n  oops\n}'), brokenJsonAt('{"a": 1}'), brokenJsonAt('npx x')]).toEqual([
    { line: 3, column: 3 },
    undefined,
    undefined,
  ]);
  expect(brokenJsonAt('{\n"a": 1')).toMatchObject({ line: 2 });
});
