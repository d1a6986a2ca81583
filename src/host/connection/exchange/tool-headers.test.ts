import { expect, test } from 'vitest';
import { ToolHeaders } from './tool-headers.ts';

const schema = (header: unknown) => ({ type: 'object', properties: { q: { type: 'string', 'x-mcp-header': header } } });
const names = (headers: ToolHeaders, tool: string, inputSchema?: unknown) =>
  headers.of(tool, inputSchema).map(({ header }) => header);

test('headers of tools come from the last list, unless a schema is given', () => {
  const headers = new ToolHeaders();
  headers.learn('no list');
  headers.learn([
    7,
    { name: 8 },
    { name: 'a', inputSchema: schema('A') },
    { name: 'b', inputSchema: schema('not a name') },
  ]);
  expect([names(headers, 'a'), names(headers, 'b'), names(headers, 'c')]).toEqual([['A'], [], []]);
  expect([
    names(headers, 'a', schema('Given')),
    names(headers, 'a', {}),
    names(headers, 'a', schema('not a name')),
  ]).toEqual([['Given'], [], []]);
  headers.learn([{ name: 'a', inputSchema: { type: 'object' } }]);
  expect(names(headers, 'a')).toEqual([]);
});
