import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { http, stdio, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from '../fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const BYTES = 70_000;
/** An answer of so many bytes. */
function answerOf(reply: Reply, bytes: number): string {
  const empty = JSON.stringify({ jsonrpc: '2.0', id: reply.seen.message?.id, result: { text: '' } });
  return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
}

const json = { 'content-type': 'application/json' };
const ways: Record<string, (reply: Reply) => void> = {
  'as JSON with its length': ({ response, ...reply }) => {
    const text = answerOf({ response, ...reply }, BYTES);
    response.writeHead(200, { ...json, 'content-length': text.length }).end(text);
  },
  'as JSON in chunks': (reply) => {
    const text = answerOf(reply, BYTES);
    reply.response.writeHead(200, json);
    reply.response.write(text.slice(0, 30_000));
    setTimeout(() => reply.response.end(text.slice(30_000)), 5);
  },
  'as one event': (reply) => {
    const stream = reply.stream();
    stream.raw(`data: ${answerOf(reply, BYTES)}\n\n`);
    stream.end();
  },
  'as an event in pieces': (reply) => {
    const text = answerOf(reply, BYTES);
    const stream = reply.stream();
    stream.raw(`data: ${text.slice(0, 30_000)}`);
    setTimeout(() => {
      stream.raw(`${text.slice(30_000)}\n\n`);
      stream.end();
    }, 5);
  },
};

test.each(Object.entries(ways))(
  'an answer of the largest size passes, one of a byte more does not: %s',
  async (_, say) => {
    const server = world.keep(
      await new HttpFixture(
        legacyHttp((reply) => {
          if (reply.seen.message?.method !== 'tools/call') return false;
          say(reply);
          return true;
        }),
      ).listen(),
    );
    const upstream = await world.connect(http(server.url));
    const ask = (answerBytesMax: number) => {
      const id = upstream.nextId();
      const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo' } }));
      return upstream.requestRaw({ bytes, id, method: 'tools/call' }, { answerBytesMax });
    };
    expect((await ask(BYTES)).bytes.length).toBe(BYTES);
    await expect(ask(BYTES - 1)).rejects.toMatchObject({ kind: 'too_large' });
  },
);

test('an answer of the largest size passes, one of a byte more does not: on a pipe', async () => {
  const upstream = await world.connect(stdio('plain'));
  const ask = (id: number, answerBytesMax?: number) => {
    const params = { name: 'echo', arguments: { message: 'x'.repeat(1_000) } };
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    return upstream.requestRaw({ bytes, id, method: 'tools/call' }, answerBytesMax ? { answerBytesMax } : {});
  };
  const { length } = (await ask(101)).bytes;
  expect((await ask(102, length)).bytes.length).toBe(length);
  await expect(ask(103, length - 1)).rejects.toMatchObject({ kind: 'too_large' });
});

test('[wire:HOSTILE] healthy calls behind a line of 100 MB are answered: it is drained as fast as it comes', async () => {
  const upstream = await world.connect({
    id: 'huge',
    transport: 'stdio',
    command: 'sh',
    args: [fileURLToPath(new URL('../fixtures/servers/hostile-stdio.sh', import.meta.url)), 'huge'],
    cwd: tmpdir(),
  });
  const huge = upstream.request({ method: 'tools/call', params: { name: 'echo', arguments: {} } });
  // At four megabytes a second it would take twice as long as they may.
  const behind = [1, 2, 3].map(() => upstream.request({ method: 'tools/list' }, { timeoutMs: 12_000 }));
  await expect(huge).rejects.toMatchObject({ kind: 'too_large' });
  const lists = await Promise.all(behind);
  expect(lists.map(({ tools }) => (tools as unknown[]).length)).toEqual([11, 11, 11]);
});
