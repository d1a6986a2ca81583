import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { networkLinkProbe } from './civic-link-probe.ts';

test('a visit to a host that never answers is given up at the signal', async () => {
  const end = new AbortController();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => end.abort());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await networkLinkProbe().request('HEAD', `http://127.0.0.1:${port}/`, end.signal);
  server.close();
  expect(answer).toEqual({ kind: 'unreachable' });
});
