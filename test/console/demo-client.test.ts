import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { waitingCall } from '../../scripts/demo/waiting-call.ts';

test('the client of the demo repeats its call until a person has decided', async () => {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    const { method } = JSON.parse(await text(request)) as { method: string };
    if (method === 'tools/call') calls.push(method);
    response.end(calls.length === 1 ? '{"error":{"data":{"code":"APPROVAL_PENDING"}}}' : '{"result":{}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await waitingCall(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
  expect(calls.length).toBe(2);
});
