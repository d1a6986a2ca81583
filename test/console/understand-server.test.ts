import { expect, test } from 'vitest';
import { understandServer, whyNotUnderstood } from '../../console/src/pages/understand-server.ts';

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
