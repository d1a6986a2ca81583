import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { EdgeHead, EdgeResponse } from '../http/edge-exchange.ts';
import { EventStream } from '../http/event-stream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { PlainPosts } from './plain-posts.ts';

interface Running {
  readonly server: Server;
  readonly posts: PlainPosts | undefined;
  /** Requests that were served as plain ones. */
  readonly plain: string[];
  readonly sockets: Socket[];
}

const running: Running[] = [];
afterEach(() => {
  for (const { server, posts, sockets } of running.splice(0)) {
    server.close();
    server.closeAllConnections();
    posts?.destroy();
    for (const socket of sockets) socket.destroy();
  }
});

type Handler = (body: string, response: EdgeResponse, head: EdgeHead) => void;

/** One server whose handler is the same for plain posts and for Node's requests; with `plainly` false all are Node's. */
async function serve(handler: Handler, plainly = true, keepAliveTimeout = 5_000): Promise<Running> {
  const plain: string[] = [];
  const server = createServer({ keepAliveTimeout }, async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    handler(Buffer.concat(chunks).toString(), response, request);
  });
  const posts = plainly
    ? new PlainPosts(server, (post, response) => {
        const body = Buffer.from(post.body).toString();
        plain.push(body);
        handler(body, response, post);
      })
    : undefined;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const one = { server, posts, plain, sockets: [] };
  running.push(one);
  return one;
}

function open({ server, sockets }: Running): { socket: Socket; text: () => string } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  sockets.push(socket);
  return { socket, text: () => text.replaceAll(/Date: [^\r]+/g, 'Date: now') };
}

const plainPost = (body: string, more = '') =>
  `POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;
const chunkedPost = (body: string) =>
  `POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

async function until(what: () => boolean): Promise<void> {
  while (!what()) await wait(2);
}

const echo: Handler = (body, response) => {
  if (body.startsWith('empty')) response.writeHead(202).end();
  else if (body.startsWith('bytes'))
    response.writeHead(200, { 'content-length': 70_000 }).end(Buffer.alloc(70_000, 'b'));
  else if (body.startsWith('stream')) {
    const stream = new EventStream(response, { 'x-more': '1' });
    stream.send(Buffer.from('one'));
    stream.send(Buffer.from('two'));
    setImmediate(() => {
      stream.send(Buffer.from('three'));
      stream.end();
    });
  } else {
    response.setHeader('x-early', '1');
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    response.writeHead(body.startsWith('bad') ? 400 : 200, headers).end(body, 'latin1');
  }
};

test('the same bytes come back, whether Node reads a post or we do', async () => {
  const [ours, nodes] = [await serve(echo), await serve(echo, false)];
  const bodies = ['{"a":1}', '', 'bad one', 'bytes', 'stream', '{"b":2}'];
  for (const body of bodies) {
    const [mine, theirs] = [open(ours), open(nodes)];
    for (const { socket } of [mine, theirs]) socket.write(plainPost(body));
    const ends = { bytes: 'b', stream: '\r\n0\r\n\r\n' }[body] ?? `\r\n\r\n${body}`;
    const isWhole = (text: string) =>
      text.length > 100 && text.endsWith(ends) && (body !== 'bytes' || text.length > 70_000);
    await until(() => isWhole(mine.text()) && isWhole(theirs.text()));
    expect(mine.text()).toBe(theirs.text());
  }
  expect(ours.plain).toEqual(bodies);
});

test('an answer without a body says that it has none', async () => {
  const { socket, text } = open(await serve(echo));
  socket.write(plainPost('empty'));
  await until(() => text().endsWith('\r\n\r\n'));
  expect(text()).toBe(
    'HTTP/1.1 202 Accepted\r\nDate: now\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n',
  );
});

test('a request that is not plain goes to Node with its connection, in any order and any chunks, and no byte is lost', async () => {
  const request = fc.record({
    make: fc.constantFrom(plainPost, plainPost, chunkedPost, (body: string) =>
      plainPost(body, 'Connection: Keep-Alive\r\n'),
    ),
    body: fc.string({ unit: fc.constantFrom('a', 'b', '1'), minLength: 1, maxLength: 40 }),
    /** Whether the answer is awaited before the next is sent. */
    awaited: fc.constantFrom(true, true, true, false),
    cuts: fc.oneof({ weight: 4, arbitrary: fc.constant<number[]>([]) }, fc.array(fc.nat(300), { maxLength: 2 })),
  });
  const ours = await serve((body, response) =>
    response.writeHead(200, { 'content-length': body.length + 2 }).end(Buffer.from(`<${body}>`)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 6 }), async (requests) => {
      const { socket, text } = open(ours);
      const wanted: string[] = [];
      const answered = () => [...text().matchAll(/<([^>]*)>/g)].map(([, body]) => body);
      for (const { make, body, awaited, cuts } of requests) {
        const bytes = make(body);
        const places = cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b);
        for (const [index, place] of [0, ...places].entries()) {
          socket.write(bytes.slice(place, places[index]));
          if (index < places.length) await wait(1);
        }
        wanted.push(body);
        if (awaited) await until(() => answered().length === wanted.length);
      }
      await until(() => answered().length >= wanted.length);
      expect(answered()).toEqual(wanted);
      socket.destroy();
    }),
    { numRuns: 120 },
  );
  expect(ours.plain.length).toBeGreaterThan(50);
});

test('a client that sends a thousand requests at once does not hold up another', async () => {
  const served: string[] = [];
  const [flood, other] = await (async () => {
    const ours = await serve((body, response, { headers }) => {
      const name = String(headers['x-name'] ?? body);
      if (name === 'flood' && served.length === 0) other.socket.write(plainPost('other'));
      served.push(name);
      response.writeHead(200, { 'content-length': 1 }).end(Buffer.from('.'));
    });
    return [open(ours), open(ours)] as const;
  })();
  await Promise.all([once(flood.socket, 'connect'), once(other.socket, 'connect')]);
  flood.socket.write('GET / HTTP/1.1\r\nHost:x\r\nX-Name:flood\r\n\r\n'.repeat(1_000));
  await until(() => served.length === 1_001);
  expect(served.indexOf('other')).toBeLessThan(500);
  await until(() => flood.text().split('HTTP/1.1 200').length === 1_001);
});

test('a client without answers has few requests under way, and one that takes none is not read', async () => {
  const begun: Record<string, number> = { held: 0, unread: 0, other: 0 };
  const held: EdgeResponse[] = [];
  const ours = await serve((_, response, { headers }) => {
    const name = String(headers['x-name']);
    begun[name] = (begun[name] ?? 0) + 1;
    if (name === 'held') held.push(response);
    else response.writeHead(200).end(Buffer.alloc(name === 'unread' ? 1024 * 1024 : 1, '.'));
  });
  const [waits, unread, other] = [open(ours), open(ours), open(ours)];
  const get = (name: string) => `GET / HTTP/1.1\r\nHost:x\r\nX-Name:${name}\r\n\r\n`;
  unread.socket.pause();
  waits.socket.write(get('held').repeat(200));
  unread.socket.write(get('unread').repeat(1_000));
  for (let asked = 1; asked <= 300; asked += 1) {
    other.socket.write(get('other'));
    await until(() => begun.other === asked);
  }
  expect([begun.held, (begun.unread as number) < 100]).toEqual([PROXY_LIMITS.pipelinedMax, true]);
  for (let answered = 0; answered < 200; answered += 1) {
    await until(() => held.length > answered);
    held[answered]?.writeHead(200).end();
  }
  await until(() => waits.text().split('HTTP/1.1 200').length === 201);
});

test('the handler learns that a client left before its answer; an answered response closes once', async () => {
  const closed: string[] = [];
  const ours = await serve((body, response) => {
    response.once('close', () => closed.push(`${body} ${response.writableEnded}`));
    if (body === 'answered') response.writeHead(200).end();
  });
  const { socket, text } = open(ours);
  socket.write(plainPost('answered'));
  await until(() => text() !== '' && closed.length === 1);
  socket.write(plainPost('left'));
  await until(() => ours.plain.length === 2);
  socket.destroy();
  await until(() => closed.length === 2);
  expect(closed).toEqual(['answered true', 'left false']);
});

test('at the end idle connections are closed, and busy ones after their answer, which says so', async () => {
  const waiting: EdgeResponse[] = [];
  const ours = await serve((_, response) => waiting.push(response));
  const [idle, busy] = [open(ours), open(ours)];
  await Promise.all([once(idle.socket, 'connect'), once(busy.socket, 'connect')]);
  busy.socket.write(plainPost('x'));
  await until(() => waiting.length === 1);
  ours.posts?.close();
  await once(idle.socket, 'close');
  waiting[0]?.writeHead(200).end();
  await once(busy.socket, 'close');
  expect(busy.text()).toBe('HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
});

test('a connection that is not used again is closed; one on which nothing ever came is Node’s to judge', async () => {
  const ours = await serve(echo, true, 1);
  const [used, silent] = [open(ours), open(ours)];
  used.socket.write(plainPost('x'));
  await once(used.socket, 'close');
  await wait(300);
  silent.socket.write(plainPost('late'));
  await until(() => silent.text().includes('late'));
  expect([used.text().includes('timeout=0'), ours.plain]).toEqual([true, ['x']]);
});

test('a request that came while the loop was held up is answered, however late it is read', async () => {
  const ours = await serve(echo, true, 1);
  const script = `const socket = require('node:net').connect(${(ours.server.address() as AddressInfo).port}, '127.0.0.1');
    socket.on('data', (data) => process.stdout.write(data)).on('error', () => {}).on('close', () => process.exit());
    socket.write(process.argv[1]);
    setTimeout(() => socket.write(process.argv[2]), 500);`;
  const client = spawn(process.execPath, ['-e', script, plainPost('first'), plainPost('second')]);
  let text = '';
  client.stdout.on('data', (data) => {
    text += data;
  });
  await until(() => ours.plain.length === 1);
  // Past the time at which the connection would be closed; the second request comes meanwhile. Timers are next, sockets after them.
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500));
  await once(client, 'close');
  expect([ours.plain, text.includes('second')]).toEqual([['first', 'second'], true]);
});

test('a field that would break out of its line is refused', async () => {
  const thrown: unknown[] = [];
  const ours = await serve((_, response) => {
    try {
      response.writeHead(200, { 'content-length': 5, 'x-bad': 'a\r\nx: y' });
    } catch (error) {
      thrown.push((error as NodeJS.ErrnoException).code);
    }
    response.writeHead(500).end();
  });
  const { socket, text } = open(ours);
  socket.write(plainPost('x'));
  await until(() => text() !== '');
  expect([thrown, text().includes('x: y'), text().match(/content-length: \d+/gi)]).toEqual([
    ['ERR_INVALID_CHAR'],
    false,
    ['Content-Length: 0'],
  ]);
});
