import { getPriority } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONNECTION_LIMITS as LIMITS } from '../../src/host/connection/limits.ts';
import type { Host } from '../../src/host/host.ts';
import { http, stdio, textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, modernHttp } from '../fixtures/servers/http-server.ts';

const world = new World();
let host: Host;
const call = (name = 'echo', args: object = { message: 'fine' }) => ({
  method: 'tools/call',
  params: { name, arguments: args },
});
const serve = async (handler: ConstructorParameters<typeof HttpFixture>[0]) =>
  world.keep(await new HttpFixture(handler).listen());

/** Beside every hostile server stands a good one, which must not notice. */
const good = stdio('legacy', { id: 'good' });

beforeAll(async () => {
  host = world.host();
});
afterAll(() => world.close());

async function join(spec: Parameters<Host['apply']>[0][number]): Promise<void> {
  host.apply([good, spec]);
  await host.settled();
  expect(host.statusOf('good')?.state).toBe('ready');
}

async function isOtherWell(): Promise<boolean> {
  return textOf(await host.request('good', call())) === 'fine';
}

test('[wire:HOSTILE] a server that floods its stdout is given up, with the reason', async () => {
  await join(stdio('flood'));
  const flooded = host.request('flood', call());
  const others = Promise.all(Array.from({ length: 20 }, isOtherWell));
  await expect(flooded).rejects.toThrow('floods its stdout with lines that are no messages');
  expect(await others).toEqual(Array(20).fill(true));
  expect(host.statusOf('flood')?.lastError).toBe('the server floods its stdout with lines that are no messages');
});

test('[wire:HOSTILE] a server that floods with notifications is given up, with the reason', async () => {
  await join(stdio('flood-notifications'));
  const flooded = host.request('flood-notifications', call());
  const others = Promise.all(Array.from({ length: 20 }, isOtherWell));
  await expect(flooded).rejects.toThrow('floods the connection with messages that nobody asked for');
  expect(await others).toEqual(Array(20).fill(true));
});

test('[wire:HOSTILE] answers to ids that nobody asked with are dropped; the call times out', async () => {
  await join(stdio('wrong-ids'));
  await expect(host.request('wrong-ids', call(), { timeoutMs: 200 })).rejects.toMatchObject({ kind: 'timed_out' });
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/call') return false;
      reply.json({ jsonrpc: '2.0', id: 999_999, result: {} });
      return true;
    }),
  );
  await join(http(server.url));
  await expect(host.request('http', call())).rejects.toThrow('ended its answer without answering the request');
  expect(await isOtherWell()).toBe(true);
});

test('[wire:HOSTILE] a server that never answers fails at its start-up time and is tried again later', async () => {
  await join(stdio('never-answers', { startupTimeoutMs: 4_000 }));
  expect(host.statusOf('never-answers')).toMatchObject({
    state: 'error',
    lastError: 'the server did not start within 4000 ms',
  });
  expect(await isOtherWell()).toBe(true);
});

test('[wire:HOSTILE] an answer of 100 MB is refused and costs no more memory than the limit', async () => {
  await join(stdio('huge'));
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }, 5);
  const beside = host.request('huge', { method: 'tools/list' });
  await expect(host.request('huge', call())).rejects.toMatchObject({ kind: 'too_large' });
  expect([(await beside).tools !== undefined, host.statusOf('huge')?.state]).toEqual([true, 'ready']);
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/call') return false;
      reply.response.writeHead(200, { 'content-type': 'application/json' });
      reply.response.on('error', () => {});
      const block = Buffer.alloc(1024 * 1024, 0x78);
      let sent = 0;
      const more = () => {
        while (sent++ < 100 && !reply.response.destroyed)
          if (!reply.response.write(block)) return void reply.response.once('drain', more);
        reply.response.end();
      };
      more();
      return true;
    }),
  );
  await join(http(server.url));
  await expect(host.request('http', call())).rejects.toMatchObject({ kind: 'too_large' });
  clearInterval(watch);
  expect(peak).toBeLessThan(64 * 1024 * 1024);
  expect(await isOtherWell()).toBe(true);
});

test('[wire:HOSTILE] whoever waits for an answer that is too large is told before its end comes', async () => {
  await join(stdio('unfinished'));
  await expect(host.request('unfinished', call())).rejects.toMatchObject({ kind: 'too_large' });
  expect([host.statusOf('unfinished')?.state, await isOtherWell()]).toEqual(['ready', true]);
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/call') return false;
      const headers = { 'content-type': 'application/json', 'content-length': String(100 * 1024 * 1024) };
      reply.response.on('error', () => {}).writeHead(200, headers);
      reply.response.flushHeaders();
      return true;
    }),
  );
  await join(http(server.url));
  await expect(host.request('http', call())).rejects.toMatchObject({ kind: 'too_large' });
});

test('[wire:HOSTILE] a server that failed or that nobody waits for is started behind the others', async () => {
  await join(stdio('legacy', { id: 'failing' }));
  const niceness = async () => JSON.parse(textOf(await host.request('failing', call('niceness'))) ?? '');
  const own = getPriority();
  const first = await niceness();
  await expect(host.request('failing', call('exit'))).rejects.toMatchObject({ kind: 'lost' });
  const [atStart] = await niceness();
  const behind = Math.min(19, own + 10);
  expect([first, atStart]).toEqual([[own, own], behind]);
  const client = { info: { name: 'test', version: '1' }, callbacks: {} };
  const session = await host.openSession('failing', client, { isBackground: true });
  expect(JSON.parse(textOf(await session.request(call('niceness'))) ?? '')).toEqual([behind, behind]);
  await session.close();
});

test('[wire:HOSTILE] a list whose cursor goes in circles is refused after two pages', async () => {
  await join(stdio('cursor-loop'));
  expect(host.statusOf('cursor-loop')).toMatchObject({
    state: 'error',
    lastError: 'tools/list repeats a cursor',
    tools: 0,
  });
});

test('[wire:HOSTILE] a list without end is refused at a bound', async () => {
  let page = 0;
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/list') return false;
      const tools = Array.from({ length: 1000 }, (_, i) => ({ name: `t${page}-${i}`, inputSchema: {} }));
      reply.result({ tools, nextCursor: String(++page) });
      return true;
    }),
  );
  await join(http(server.url));
  expect([host.statusOf('http')?.lastError, page]).toEqual(['tools/list lists more than 10000 items', 11]);
});

test('[wire:HOSTILE] a list that is too large as a whole is refused, and a standing stream that brings nothing is left in peace', async () => {
  let page = 0;
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.verb === 'GET') {
        const stream = reply.stream();
        stream.raw('retry: 0\n\n');
        stream.end();
        return true;
      }
      if (reply.seen.message?.method !== 'tools/list') return false;
      reply.result({ tools: [{ name: 't', description: 'x'.repeat(8 * 1024 * 1024) }], nextCursor: String(++page) });
      return true;
    }),
  );
  await join(http(server.url));
  expect(host.statusOf('http')?.lastError).toBe('tools/list lists more than can be kept');
  expect([page, server.methods.filter((method) => method === 'GET').length < 20]).toEqual([4, true]);
});

test('[wire:HOSTILE] a schema that changes behind our back is reported as a change', async () => {
  await join(stdio('legacy', { id: 'changing' }));
  const changed = new Promise((resolve) => host.once('catalogue', (id, change) => resolve([id, change.tools.changed])));
  await host.request('changing', call('change'));
  expect(await changed).toEqual(['changing', ['going']]);
});

test('[wire:HOSTILE] a server that dies at every start is tried ever more rarely', async () => {
  const starts: number[] = [];
  const reasons = new Set<string>();
  const rare = world.host({ random: () => 0.5 });
  rare.on('status', ({ state, reason }) => {
    if (state === 'connecting') starts.push(performance.now());
    if (state === 'error') reasons.add(reason);
  });
  rare.apply([stdio('dies-at-start')]);
  await until(() => reasons.size === 2);
  expect([...reasons].map((reason) => /trying again in \d+ s/.exec(reason)?.[0])).toEqual([
    'trying again in 1 s',
    'trying again in 2 s',
  ]);
  expect(starts.length).toBe(2);
  await rare.close();
});

test('[wire:HOSTILE] a redirect to another origin is not followed, and no header goes there', async () => {
  const thief = await serve((reply) => reply.json({}));
  const server = await serve((reply) => void reply.response.writeHead(307, { location: thief.url }).end());
  await join(http(server.url, { headers: { Authorization: 'Bearer hunter2' } }));
  expect([host.statusOf('http')?.state, host.statusOf('http')?.lastError, thief.seen]).toEqual([
    'error',
    `the server redirects to another origin (${thief.origin}), which is not followed`,
    [],
  ]);
});

test('[wire:HOSTILE] tools with bad header annotations, without names or listed twice are left out with the reason', async () => {
  const schema = { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } };
  const server = await serve(
    modernHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/list') return false;
      const good = { name: 'good', inputSchema: { type: 'object' } };
      reply.result({
        resultType: 'complete',
        tools: [good, { name: 'bad', inputSchema: schema }, { inputSchema: {} }, good],
      });
      return true;
    }),
  );
  await join(http(server.url));
  const { tools, dropped } = host.catalogueOf('http');
  expect([tools.map(({ name }) => name), dropped]).toEqual([
    ['good'],
    [
      { name: 'bad', reason: 'a: x-mcp-header is allowed only on string, integer and boolean' },
      { name: '', reason: 'it has no name' },
      { name: 'good', reason: 'it is listed twice' },
    ],
  ]);
});

test('[wire:HOSTILE] a server that asks without end is answered a bounded number of times at once', async () => {
  const server = await serve(
    legacyHttp((reply) => {
      if (reply.seen.message?.method !== 'tools/call') return false;
      const stream = reply.stream();
      for (let i = 0; i < 100; i++) stream.send({ id: `q${i}`, method: 'sampling/createMessage', params: {} });
      stream.send({ id: reply.seen.message.id, result: { content: [] } });
      stream.end();
      return true;
    }),
  );
  let atOnce = 0;
  const never = () => {
    atOnce++;
    return new Promise<never>(() => {});
  };
  const upstream = await world.connect(http(server.url), { sampling: never });
  await upstream.request(call());
  await until(() => server.seen.filter(({ message }) => message?.error !== undefined).length === 68);
  expect(atOnce).toBe(32);
});

test('[wire:HOSTILE] servers that failed together come back one after the other', async () => {
  const firstSeen = new Map<string, number>();
  const server = await serve((reply) => {
    const id = reply.seen.path;
    if (!firstSeen.has(id)) firstSeen.set(id, performance.now());
    reply.response.destroy();
  });
  const ids = Array.from({ length: 8 }, (_, index) => `failing-${index}`);
  host.apply(ids.map((id) => http(`${server.origin}/${id}`, { id })));
  await host.settled();
  firstSeen.clear();
  await Promise.allSettled(ids.map((id) => host.connection(id)));
  const times = [...firstSeen.values()];
  expect(times.length).toBe(ids.length);
  // A machine that is busy makes it longer; only the turns that they take keep it from being shorter.
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan((ids.length - 2) * LIMITS.retriesApartMs);
});
