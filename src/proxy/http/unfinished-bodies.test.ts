import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../../test/support/raw-client.ts';
import { until } from '../../../test/support/running-bindery.ts';
import { incomingBodies } from '../../contract/incoming-bodies.ts';
import { LIMITS } from '../../contract/limits.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { largeRequests } from './large-requests.ts';

const MB = 1024 * 1024;
let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startModernFixture();
  gateway = await startTestGateway({ servers: [{ id: 's', transport: 'http', url: fixture.url }] });
});
afterAll(async () => {
  await gateway.close();
  await fixture.close();
});

/** Sends a head and less than the body that it promises. */
async function sendUnfinished(
  encoding: string,
  sent: string | Buffer,
): Promise<{ socket: Socket; answer: () => string }> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${encoding}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(sent, () => resolve()));
  return { socket, answer: () => answer };
}

test('bodies that are never finished take a bounded amount of memory, and calls of others go on', async () => {
  const session = await openSession(gateway.url);
  const part = Buffer.alloc(Math.floor(0.9 * MB), ' ');
  const senders = await Promise.all(Array.from({ length: 150 }, () => sendUnfinished(`Content-Length: ${MB}`, part)));
  await until('some were given up', () => senders.some(({ answer }) => answer().includes('503')));
  expect(incomingBodies.taken.bytes).toBeLessThanOrEqual(LIMITS.bodiesBytesMax);
  const text = 'x'.repeat(2 * MB);
  const { result } = await session.request('tools/call', { name: 's__echo', arguments: { text } });
  expect((result as { content: { text: string }[] }).content[0]?.text).toHaveLength(text.length);
  // A sender whose body is given up gets an answer, and its connection ends.
  const isLeft = ({ socket, answer }: (typeof senders)[number]) => socket.destroyed && answer() !== '';
  await until('those that were given up are gone', () => senders.filter(isLeft).length >= 150 - 73);
  for (const { answer } of senders.filter(isLeft)) {
    expect(answer()).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer()).toContain('"code":"TOO_MANY_BODIES"');
  }
  for (const { socket } of senders) socket.destroy();
  await until('nothing is left of them', () => incomingBodies.taken.bodies === 0);
  expect(incomingBodies.taken.bytes).toBe(0);
});

test('a body of many small pieces takes what its bytes take', async () => {
  const pieces = '1\r\n \r\n'.repeat(300_000);
  const { socket } = await sendUnfinished('Transfer-Encoding: chunked', pieces);
  await until('it arrived', () => incomingBodies.taken.bytes > 256 * 1024);
  expect(incomingBodies.taken).toEqual({ bytes: 512 * 1024, bodies: 1 });
  socket.destroy();
  await until('nothing is left of it', () => incomingBodies.taken.bodies === 0);
});

test('large calls at once wait for their bytes, each is answered, and nothing is left of them', async () => {
  const session = await openSession(gateway.url);
  let [bytes, waited, isOver] = [0, 0, false];
  const look = () => {
    bytes = Math.max(bytes, largeRequests.taken.bytes);
    waited = Math.max(waited, largeRequests.taken.waiting);
    if (!isOver) setImmediate(look);
  };
  look();
  const call = async (text: string) => {
    const { result } = await session.request('tools/call', { name: 's__echo', arguments: { text } });
    return (result as { content: { text: string }[] }).content[0]?.text === text;
  };
  const texts = Array.from({ length: 16 }, (_, at) => String(at % 10).repeat(3 * MB));
  expect(await Promise.all(texts.map(call))).toEqual(texts.map(() => true));
  isOver = true;
  expect(waited).toBeGreaterThan(0);
  expect(bytes).toBeGreaterThan(3 * MB);
  expect(bytes).toBeLessThanOrEqual(PROXY_LIMITS.largeRequestsBytesPerCallerMax);
  await until('nothing is left of them', () => largeRequests.taken.bytes === 0);
});
