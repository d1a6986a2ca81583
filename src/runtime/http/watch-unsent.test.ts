import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { unsentAnswers } from '../../contract/unsent-answers.ts';
import { countUnsent, watchUnsent } from './watch-unsent.ts';

const BYTES = 16 * 1024 * 1024;

let server: Server;
async function start(writeMs: number): Promise<void> {
  server = createServer((request, response) => {
    countUnsent(response);
    if (request.url === '/stream') response.write(Buffer.alloc(BYTES));
    else response.end(Buffer.alloc(BYTES));
  });
  watchUnsent(server, { writeMs, writeBytesPerSecondMin: 1_000 * BYTES, unsentLookEveryMs: 5 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function ask(path: string): Promise<{ client: Socket; served: Socket }> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  client.pause();
  const [served] = (await once(server, 'connection')) as [Socket];
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return { client, served };
}

test.each(['/whole', '/stream'])('a client that does not read is closed after its deadline (%s)', async (path) => {
  await start(50);
  const { client, served } = await ask(path);
  await once(served, 'close');
  expect([served.destroyed, unsentAnswers.waiting]).toEqual([true, { bytes: 0, answers: 0 }]);
  client.destroy();
});

test('a client that reads all gets all, and its connection stays', async () => {
  await start(60_000);
  const { client, served } = await ask('/whole');
  let read = 0;
  client.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  client.resume();
  await vi.waitUntil(() => read > BYTES && unsentAnswers.waiting.answers === 0, { timeout: 60_000 });
  expect(served.destroyed).toBe(false);
  client.destroy();
});
