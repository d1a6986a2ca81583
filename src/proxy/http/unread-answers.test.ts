import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openSession } from '../../../test/support/raw-client.ts';
import { LIMITS } from '../../contract/limits.ts';
import { unsentAnswers } from '../../contract/unsent-answers.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { LineOutput } from '../stdio/client-lines.ts';
import { startRepeatingServer } from '../testing/repeating-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const MB = 1024 * 1024;

let server: Awaited<ReturnType<typeof startRepeatingServer>>;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  server = await startRepeatingServer();
  gateway = await startTestGateway({ servers: [{ id: 'plain', transport: 'http', url: server.url }] });
});
afterAll(async () => {
  await gateway.close();
  server.close();
});

/** Asks for an answer on a connection of its own, and reads nothing of it. */
async function askWithoutReading(session: string, bytes: number, headers = '') {
  const { hostname, port } = new URL(gateway.url);
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'plain__repeat', arguments: { mark: 'x', length: bytes } },
  });
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: ${session}\r\n${headers}`;
  const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(request);
  return { socket, again: () => socket.write(request) };
}

const unread = () =>
  gateway.audit.filter(({ action }) => action === 'answer_unread').map(({ arguments: details }) => details);

test.each(['', 'X-Longer: yes\r\nExpect: 100-continue\r\n'])(
  'answers that nobody reads are bounded in all, the oldest are closed and recorded, and others are answered (%j)',
  async (headers) => {
    const { id, ...session } = await openSession(gateway.url);
    const before = unread().length;
    const asked = await Promise.all(Array.from({ length: 30 }, () => askWithoutReading(id, 7 * MB, headers)));
    await vi.waitUntil(() => unread().length > before + 5, { timeout: 60_000 });
    expect(unsentAnswers.waiting.bytes).toBeLessThanOrEqual(LIMITS.unsentBytesMax);
    const recorded = unread().at(-1) as { call_id: string };
    expect(recorded).toEqual({ call_id: expect.any(String), method: 'tools/call', reason: 'all_bytes' });
    expect(gateway.audit.some(({ call_id, phase }) => call_id === recorded.call_id && phase === 'end')).toBe(true);
    const answer = await session.request('tools/call', { name: 'plain__repeat', arguments: { mark: 'x', length: 3 } });
    expect(answer.result).toBeDefined();
    for (const { socket } of asked) socket.destroy();
    await vi.waitUntil(() => unsentAnswers.waiting.answers === 0, { timeout: 60_000 });
  },
);

test('no further request is taken from a client that does not read', async () => {
  const { id } = await openSession(gateway.url);
  const begun = () => gateway.audit.filter(({ phase }) => phase === 'begin').length;
  const before = begun();
  const { socket, again } = await askWithoutReading(id, 7 * MB);
  await vi.waitUntil(() => unsentAnswers.waiting.answers === 1, { timeout: 60_000 });
  for (let sent = 0; sent < 5; sent += 1) again();
  const other = await openSession(gateway.url);
  await other.request('tools/call', { name: 'plain__repeat', arguments: { mark: 'x', length: 3 } });
  expect(begun() - before).toBe(2);
  socket.destroy();
  await vi.waitUntil(() => unsentAnswers.waiting.answers === 0, { timeout: 60_000 });
});

test('a stdio client that does not read is left when too much waits', () => {
  const input = new PassThrough();
  const output = new Writable({ write: () => {} });
  const lines = new LineOutput({ output, input });
  const message = Buffer.alloc(8 * MB, 0x20);
  for (let written = 0; written < 20; written += 1) lines.write(message);
  expect([input.destroyed, output.destroyed]).toEqual([true, true]);
  expect(output.writableLength).toBeLessThanOrEqual(PROXY_LIMITS.stdioUnsentBytesMax + 9 * MB);
});
