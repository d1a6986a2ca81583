import { afterAll, expect, test } from 'vitest';
import { http, stdio, textOf, until, World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from '../fixtures/servers/http-server.ts';
import { RawHttpServer, type RawRequest, rawResponse } from '../fixtures/servers/raw-http-server.ts';

const world = new World();
afterAll(() => world.close());

const callOf = (word: string) => ({ method: 'tools/call', params: { name: 'echo', arguments: { word } } });
const wordOf = ({ seen }: Reply) => (JSON.parse(seen.body) as ReturnType<typeof callOf>).params.arguments.word;
const resultOf = (word: string) => ({ content: [{ type: 'text', text: word }] });
const outcomeOf = (answer: Promise<object>) => answer.then(textOf, (error: { kind: string }) => error.kind);

const rawMcp = async (onCall: (request: RawRequest, word: string) => void) => {
  const server = new RawHttpServer((request) => {
    if (request.method !== 'tools/call') return false;
    onCall(request, (request.params.arguments as { word: string }).word);
    return true;
  });
  return world.keep(await server.listen()).url;
};

test('[wire:HOSTILE] an answer that was written before its request came is no answer, and its connection is closed', async () => {
  let last = 0;
  const url = await rawMcp(({ socket, id, connection }, word) => {
    const right = rawResponse({ id, result: resultOf(`${word} on ${connection}`) });
    // Whoever counts on would guess the id of the second call.
    const guess = rawResponse({ id: last + 1, result: resultOf('an answer to somebody else') });
    last = id;
    socket.write(word === 'second' ? guess : right);
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
  const url = await rawMcp(({ socket, id }, word) => {
    socket.write(rawResponse({ id, result: resultOf(word) }));
    for (const next of [last + 1, id + 1, id + (id - last)])
      setImmediate(() => socket.write(rawResponse({ id: next, result: resultOf('late') })));
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
