import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import { askGateway } from './ask-gateway.ts';
import { callGateway } from './call-gateway.ts';

const ENDINGS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'before the head of the answer': (response) => response.destroy(),
  'within the body': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"jsonrpc"', () => response.destroy());
  },
  'within a stream': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n', () => response.destroy());
  },
  'at the end of a stream without the answer': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': shutting down\n\n');
  },
};

let close: () => unknown = () => {};
afterEach(() => close());

async function listen(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
  close = () => server.close();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function call(url: string, signal = AbortSignal.timeout(10_000)) {
  const asked = callGateway({ url, token: 't' }, { name: 'notes__add', arguments: {}, profile: 'default' }, signal);
  return asked.catch((thrown: unknown) => thrown as BinderyError);
}

test.each(Object.entries(ENDINGS))('a gateway that ends %s interrupts the call, which may have run', async (_, end) => {
  const thrown = await call(await listen(end));
  expect(thrown).toBeInstanceOf(BinderyError);
  expect(thrown).toMatchObject({
    code: 'INTERRUPTED',
    detail: expect.stringContaining('may have been done'),
    next: expect.stringMatching(/`bindery audit tail`.*`bindery up`/),
  });
});

test('where nothing listens, no gateway is running', async () => {
  const url = await listen(() => {});
  close();
  expect(await call(url)).toMatchObject({ code: 'GATEWAY_NOT_RUNNING' });
});

test('a gateway that does not answer in time is said to be late, and a caller that leaves is no failure of the gateway', async () => {
  const url = await listen(() => {});
  const late = askGateway(url, { signal: AbortSignal.timeout(20) });
  await expect(late).rejects.toMatchObject({ code: 'TIMED_OUT', detail: expect.stringContaining('the gateway') });
  const leaving = new AbortController();
  const left = call(url, leaving.signal);
  leaving.abort();
  expect(await left).toMatchObject({ name: 'AbortError' });
});
