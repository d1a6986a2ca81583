import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { http, stdio, textOf, until, World } from './fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from './fixtures/servers/http-server.ts';

const world = new World();
afterAll(() => world.close());

const callOf = (word: string) => ({ method: 'tools/call', params: { name: 'echo', arguments: { word } } });
const wordOf = ({ seen }: Reply) => (JSON.parse(seen.body) as ReturnType<typeof callOf>).params.arguments.word;
const resultOf = (word: string) => ({ content: [{ type: 'text', text: word }] });
const outcomeOf = (answer: Promise<object>) => answer.then(textOf, (error: { kind: string }) => error.kind);

interface Asked {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly word: string } };
}

function responseText(message: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** A server of its own sockets: `onCall` writes what it likes; all else is answered well. */
async function rawMcp(onCall: (socket: Socket, asked: Asked, connection: number) => void): Promise<string> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    const number = connections;
    let text = '';
    sockets.add(socket.on('error', () => {}));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = bodyEnd(text); end > 0; end = bodyEnd(text)) {
        const [head = '', body = ''] = text.slice(0, end).split('\r\n\r\n');
        text = text.slice(end);
        const asked: Asked = body === '' ? {} : JSON.parse(body);
        if (head.startsWith('GET')) socket.write('HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n');
        else if (asked.id === undefined) socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
        else if (asked.method === 'tools/call') onCall(socket, asked, number);
        else if (asked.method === 'initialize') {
          const { protocolVersion } = asked.params ?? {};
          const serverInfo = { name: 'raw', version: '1' };
          socket.write(responseText({ id: asked.id, result: { protocolVersion, serverInfo, capabilities: {} } }));
        } else socket.write(responseText({ id: asked.id, error: { code: -32601, message: 'no' } }));
      }
    });
  });
  world.keep({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Where the first request of a text ends; 0 where it has not come whole. */
function bodyEnd(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const end = head + 4 + Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return end <= text.length ? end : 0;
}

test('[wire:HOSTILE] an answer that was written before its request came is no answer, and its connection is closed', async () => {
  let last = 0;
  const url = await rawMcp((socket, { id = 0, params }, connection) => {
    const right = responseText({ id, result: resultOf(`${params?.arguments?.word} on ${connection}`) });
    // Whoever counts on would guess the id of the second call.
    const guess = responseText({ id: last + 1, result: resultOf('an answer to somebody else') });
    last = id;
    socket.write(params?.arguments?.word === 'second' ? guess : right);
  });
  const upstream = await world.connect(http(url), {}, '2025');
  const first = await outcomeOf(upstream.request(callOf('first')));
  const used = Number(first.slice('first on '.length));
  const second = await outcomeOf(upstream.request(callOf('second')));
  const third = await outcomeOf(upstream.request(callOf('third')));
  expect([second, Number(third.slice('third on '.length)) > used]).toEqual(['bad_answer', true]);
});

test('[wire:HOSTILE] answers that come late, again and again, never reach another call', async () => {
  let last = 0;
  const url = await rawMcp((socket, { id = 0, params }) => {
    socket.write(responseText({ id, result: resultOf(params?.arguments?.word ?? '') }));
    for (const next of [last + 1, id + 1, id + (id - last)])
      setImmediate(() => socket.write(responseText({ id: next, result: resultOf('late') })));
    last = id;
  });
  const upstream = await world.connect(http(url), {}, '2025');
  const wrong: string[] = [];
  const caller = async (name: string) => {
    for (let call = 0; call < 150; call += 1) {
      const outcome = await outcomeOf(upstream.request(callOf(`${name} ${call}`)));
      if (outcome !== `${name} ${call}` && outcome !== 'bad_answer' && outcome !== 'lost') wrong.push(outcome);
    }
  };
  await Promise.all(['ada', 'grace', 'mary'].map(caller));
  expect(wrong).toEqual([]);
});

test('[wire:HOSTILE] the answer to one request on the stream of another is not taken', async () => {
  const waiting = new Map<string, Reply>();
  const server = world.keep(
    await new HttpFixture(
      legacyHttp((reply) => {
        if (reply.seen.message?.method !== 'tools/call') return false;
        waiting.set(wordOf(reply), reply);
        return true;
      }),
    ).listen(),
  );
  const upstream = await world.connect(http(server.url));
  const [one, two] = ['one', 'two'].map((word) => outcomeOf(upstream.request(callOf(word))));
  await until(() => waiting.size === 2);
  const [first, second] = ['one', 'two'].map((word) => waiting.get(word) as Reply) as [Reply, Reply];
  // As JSON on the stream of the other one, then as an event on it.
  const stream = second.stream();
  stream.send({ id: first.seen.message?.id, result: resultOf('for the other') });
  stream.send({ id: second.seen.message?.id, result: resultOf('second') });
  stream.end();
  expect(await two).toBe('second');
  first.json({ jsonrpc: '2.0', id: first.seen.message?.id, result: resultOf('first') });
  expect(await one).toBe('first');
});

test.each(['over HTTP', 'over stdio'])('[wire:HOSTILE] ids and progress tokens cannot be guessed, %s', async (way) => {
  const server = world.keep(await new HttpFixture(legacyHttp()).listen());
  const spec = way === 'over HTTP' ? http(server.url) : stdio('plain');
  const upstream = await world.connect(spec);
  const ids = Array.from({ length: 500 }, () => upstream.nextId());
  const steps = ids.slice(1).map((id, at) => id - (ids[at] as number));
  expect({
    distinct: new Set(ids).size,
    areSafe: ids.every((id) => Number.isSafeInteger(id) && id >= 0),
    neighbours: steps.filter((step) => Math.abs(step) < 2 ** 16).length,
    distinctSteps: new Set(steps).size,
  }).toEqual({ distinct: 500, areSafe: true, neighbours: 0, distinctSteps: 499 });
  if (way === 'over stdio') return;
  for (let call = 0; call < 3; call += 1) await upstream.request(callOf('x'));
  const sent = server.of('tools/call').map(({ message }) => ({
    id: message?.id as number,
    token: (message?.params?._meta as { progressToken?: number } | undefined)?.progressToken,
  }));
  expect(sent.every(({ id, token }) => id === token && id > 1_000)).toBe(true);
});
