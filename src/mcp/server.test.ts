import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { bindRoom } from '../contract/operation.ts';
import { exampleRoom } from '../contract/testing/example-room.ts';
import { createMemoryLog } from '../contract/testing/memory-log.ts';
import { createMcpServer } from './server.ts';

const log = createMemoryLog();
const handler = createMcpHandler(() =>
  createMcpServer({
    name: 'example',
    version: '1.2.3',
    rooms: [bindRoom(exampleRoom, { factor: 10 })],
    log,
    newRequestId: () => 'request-1',
  }),
);

async function connect(mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  return client;
}

test.each([
  ['2026-07-28', 'auto'],
  ['2025-11-25', 'legacy'],
] as const)('operations are tools for a client of revision %s', async (version, mode) => {
  const client = await connect(mode);
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => ({ name, annotations }))).toEqual([
    {
      name: 'scale',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    {
      name: 'store',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  ]);
  const { content, structuredContent } = await client.callTool({
    name: 'scale',
    arguments: { unit: 'a', numbers: [1] },
  });
  expect({ content, structuredContent }).toEqual({
    content: [{ type: 'text', text: '{"unit":"a","numbers":[10]}' }],
    structuredContent: { unit: 'a', numbers: [10] },
  });
  await client.close();
});

test('bad input and a failing operation are results that a model can read', async () => {
  const client = await connect('auto');
  const bad = await client.callTool({ name: 'scale', arguments: { unit: '' } });
  expect([bad.isError, bad.structuredContent]).toMatchObject([
    true,
    { code: 'INVALID_ARGUMENTS', request_id: 'request-1' },
  ]);
  const broken = await client.callTool({ name: 'store', arguments: { name: 'broken' } });
  expect(broken.structuredContent).toEqual({
    type: '/reference#INTERNAL',
    title: 'Internal error',
    status: 500,
    code: 'INTERNAL',
    request_id: 'request-1',
  });
  expect(log.lines.at(-1)?.fields.error).toEqual(new Error('a secret path'));
  await client.close();
});

test('an unknown tool is an error of the protocol', async () => {
  const client = await connect('auto');
  await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('Unknown tool: nothing'),
  });
  await client.close();
});
