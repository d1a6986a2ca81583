import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { bindRoom } from '../contract/operation.ts';
import { exampleRoom } from '../contract/testing/example-room.ts';
import { createMemoryLog } from '../contract/testing/memory-log.ts';
import { createMcpServer } from './server.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Sends lines to a server, closes its input and gives back the lines that it wrote before it closed. */
async function talk(lines: readonly (string | Uint8Array)[]): Promise<string[]> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let written = '';
  stdout.on('data', (chunk) => {
    written += chunk;
  });
  const transport = new StdioTransport({ stdin, stdout, lineBytesMax: 1000 });
  const rooms = [bindRoom(exampleRoom, { factor: 10 })];
  const options = { name: 'example', version: '1', rooms, log: createMemoryLog(), newRequestId: () => 'r' };
  serveStdio(() => createMcpServer(options), { transport });
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  for (const line of lines) stdin.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
  stdin.end();
  await closed;
  stdout.end();
  await finished(stdout);
  return written.split('\n').slice(0, -1);
}

const request = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const initialize = (id: number, protocolVersion = '2024-11-05') =>
  request(id, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } });
const initialized = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
const scale = (id: number) => request(id, 'tools/call', { name: 'scale', arguments: { unit: 'a', numbers: [1] } });
const refusal = (id: number | null, code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

test.each([['2024-11-05'], ['2025-06-18'], ['2025-11-25']])(
  '[context:M3] a client of %s gets its own revision back',
  async (version) => {
    const [answer] = await talk([initialize(1, version)]);
    expect(JSON.parse(answer as string).result.protocolVersion).toBe(version);
  },
);

test('[context:M3] a client of 2026-07-28 is served without a handshake', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const answers = await talk([request(1, 'tools/list', { _meta }), request(2, 'server/discover', { _meta })]);
  expect(answers.map((line) => JSON.parse(line).error)).toEqual([undefined, undefined]);
  expect(JSON.parse(answers[0] as string).result.tools.length).toBe(2);
});

test('[context:M2] before initialize, requests are refused and notifications dropped', async () => {
  const answers = await talk([
    initialized,
    request(1, 'tools/list'),
    request(2, 'ping'),
    initialize(3),
    request(4, 'ping'),
  ]);
  expect([...answers.slice(0, 2), ...answers.slice(3)]).toEqual([
    refusal(1, -32600, 'Server not initialized'),
    refusal(2, -32600, 'Server not initialized'),
    '{"jsonrpc":"2.0","id":4,"result":{}}',
  ]);
});

test('[context:M1] an invalid message is answered with its error, in order', async () => {
  const answers = await talk([
    initialize(0),
    initialized,
    scale(1),
    'not JSON',
    '',
    '  ',
    Uint8Array.of(0x7b, 0xff, 0x7d),
    `"${'x'.repeat(2000)}"`,
    '{"jsonrpc":"1.0","id":7,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '[]',
    '5',
    request(8, 'no/such'),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/no-such' }),
    scale(9),
  ]);
  const scaled = (id: number) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"text":"{\\"unit\\":\\"a\\",\\"numbers\\":[10]}","type":"text"}],"structuredContent":{"numbers":[10],"unit":"a"}}}`;
  expect(answers.slice(1)).toEqual([
    scaled(1),
    refusal(null, -32700, 'Parse error'),
    refusal(null, -32700, 'Parse error'),
    refusal(null, -32700, 'Parse error'),
    refusal(7, -32600, 'Invalid Request'),
    refusal(null, -32600, 'Invalid Request'),
    refusal(null, -32600, 'Invalid Request'),
    refusal(null, -32600, 'Invalid Request'),
    refusal(8, -32601, 'Method not found'),
    scaled(9),
  ]);
});

test('[context:M9] requests that wait when the input ends are answered before the server closes', async () => {
  const ids = Array.from({ length: 700 }, (_, index) => index + 1);
  const answers = await talk([initialize(0), initialized, ...ids.map(scale)]);
  expect(answers.map((line) => JSON.parse(line).id)).toEqual([0, ...ids]);
});

test('a cancelled request does not hold up the next one', async () => {
  const cancel = (requestId: number) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  const answers = await talk([initialize(0), initialized, scale(1), scale(2), cancel(1), cancel(2), scale(3)]);
  expect(JSON.parse(answers.at(-1) as string).id).toBe(3);
});
