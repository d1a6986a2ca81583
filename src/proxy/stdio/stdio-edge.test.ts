import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChangeFeed } from '../lists/change-feed.ts';
import { type RunningFixture, startModernFixture, startSessionFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { serveStdio } from './stdio-edge.ts';

let fixtures: RunningFixture[];
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixtures = await Promise.all([startModernFixture(), startSessionFixture()]);
  const [modern, legacy] = fixtures as [RunningFixture, RunningFixture];
  gateway = await startTestGateway({
    servers: [
      { id: 'modern', transport: 'http', url: modern.url },
      { id: 'legacy', transport: 'http', url: legacy.url },
    ],
  });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all(fixtures.map((fixture) => fixture.close()));
});

/** Sends lines, ends the input, and gives the messages that came back. */
async function converse(lines: readonly (object | string)[]): Promise<Record<string, unknown>[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  output.on('data', (chunk) => {
    text += chunk;
  });
  const served = serveStdio({
    gateway: gateway.gateway,
    feed: new ChangeFeed(gateway.log),
    log: gateway.log,
    profile: 'default',
    input,
    output,
  });
  for (const line of lines) input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  input.end();
  await served;
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};
const call = (id: number, server: string, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: `${server}__echo`, arguments: { text: `to ${server}` }, ...more },
});
const byId = (messages: readonly Record<string, unknown>[]) =>
  new Map(messages.map((message) => [message.id, message]));

test('a 2025 client initialises, and requests that run when its input ends are still answered', async () => {
  const answers = byId(
    await converse([
      initialize,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(1, 'legacy'),
      call(2, 'modern'),
    ]),
  );
  expect(answers.get(0)).toMatchObject({ result: { protocolVersion: '2025-11-25', serverInfo: { name: 'bindery' } } });
  expect([answers.get(1), answers.get(2)]).toMatchObject([
    { result: { content: [{ text: 'to legacy' }] } },
    { result: { content: [{ text: 'to modern' }] } },
  ]);
});

test('a 2026 client needs no handshake', async () => {
  const answers = byId(
    await converse([
      { jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta: meta } },
      call(1, 'legacy', { _meta: meta }),
      call(2, 'modern', { _meta: meta }),
    ]),
  );
  expect(answers.get('d')).toMatchObject({ result: { resultType: 'complete', supportedVersions: ['2026-07-28'] } });
  expect([answers.get(1), answers.get(2)]).toMatchObject([
    { result: { resultType: 'complete', content: [{ text: 'to legacy' }] } },
    { result: { resultType: 'complete', content: [{ text: 'to modern' }] } },
  ]);
});

test('an invalid message gets an error, and the next one is served [gateway:E5] [gateway:E8]', async () => {
  const answers = await converse([
    'nonsense',
    '[]',
    '',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"modern__echo","Name":"fail","_meta":${JSON.stringify(meta)}}}`,
    { jsonrpc: '2.0', id: 3, method: 'prompts/list', params: { _meta: meta } },
    { jsonrpc: '2.0', id: 4, method: 'ping' },
  ]);
  answers.sort((a, b) => Number(a.id) - Number(b.id));
  expect(answers.map(({ id, error, result }) => [id, (error as { code?: number } | undefined)?.code, result])).toEqual([
    [null, -32700, undefined],
    [null, -32600, undefined],
    [null, -32600, undefined],
    [3, undefined, expect.objectContaining({ resultType: 'complete' })],
    [4, -32600, undefined],
    [9, -32600, undefined],
  ]);
  expect(gateway.audit.at(-1)).toMatchObject({ name: 'modern__echo', rule: { rule: 'invalid_request' } });
});

test('an input that is closed on our side ends like one that the client closed, and running requests can be abandoned', async () => {
  const [input, output, over] = [new PassThrough(), new PassThrough(), new AbortController()];
  const { log } = gateway;
  const edge = { gateway: gateway.gateway, feed: new ChangeFeed(log), log, profile: 'default' };
  const served = serveStdio({ ...edge, input, output, ended: over.signal });
  const slow = call(1, 'modern', { _meta: { ...meta, progressToken: 'p' } });
  const params = { ...slow.params, name: 'modern__slow', arguments: { steps: 600, pauseMs: 100 } };
  input.write(`${JSON.stringify({ ...slow, params })}\n`);
  const [said] = await once(output, 'data');
  input.destroy();
  over.abort();
  await served;
  expect([JSON.parse(said).method, output.read()]).toEqual(['notifications/progress', null]);
});

test('a call that waits for a person is not run once its client has closed its input, and the question stays [gateway:V8]', async () => {
  gateway.setPolicy(
    JSON.stringify({ allowlist: { servers: ['*'], operations: { echo: { approval_required: true } } } }),
  );
  const call = (id: number, more: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'legacy__echo', arguments: { text: `call ${id}` }, ...more },
  });
  const messages = await converse([initialize, call(1, {}), call(2, { _meta: meta })]);
  const codes = [1, 2].map((id) => {
    const { result } = messages.find((message) => message.id === id) as { result: { _meta: Record<string, object> } };
    return (result._meta['bindery/error'] as { code: string }).code;
  });
  expect([codes, gateway.store.pendingCount(), gateway.approvals.waiting]).toEqual([
    ['APPROVAL_PENDING', 'APPROVAL_PENDING'],
    2,
    0,
  ]);
});
