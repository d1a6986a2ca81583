import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import { acquireBuffer } from '../../wire/buffer-pool.ts';
import { WIRE_LIMITS } from '../../wire/limits.ts';
import { scanEnvelope } from '../../wire/messages.ts';
import { isAskable } from '../../wire/server-question.ts';
import type { CallUpstream, RawAnswer } from '../../wire/upstream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { CLIENT, exchangeOf, requestOf, ScriptedUpstream } from '../testing/offline-gateway.ts';
import { forwardRaw, rawOptions } from './forward-raw.ts';
import type { ForwardOptions } from './outgoing-call.ts';
import { mirroredArguments, type Rewrite } from './outgoing-request.ts';
import { progressTokenOf } from './progress.ts';
import { decodedResult, forwardedResult } from './upstream-answer.ts';

const OPTIONS = {
  answerBytesMax: 1_000,
  asker: 's',
  signRound: (asked: readonly string[], state: string | undefined) => `signed ${asked} ${state}`,
} as unknown as ForwardOptions;
const HEADED = { type: 'object', properties: { q: { type: 'string', 'x-mcp-header': 'Q' } } };

interface Wish {
  readonly era?: '2025' | '2026';
  readonly rewrite?: Rewrite;
  readonly params?: object;
  readonly capabilities?: JsonObject;
  readonly options?: Partial<ForwardOptions>;
}

/** A call that goes out, what its server saw of it, and what came back. */
async function pass(answer: string, wish: Wish = {}) {
  const upstream = new ScriptedUpstream(wish.era);
  upstream.answer = () => answer;
  const request = requestOf('tools/call', wish.params ?? { name: 's__t', arguments: { q: 'x' } });
  const call = {
    client: { ...CLIENT, capabilities: wish.capabilities ?? { elicitation: { form: {}, url: {} } } },
    request,
    exchange: exchangeOf(),
    rewrite: wish.rewrite ?? { name: 't' },
    options: { ...OPTIONS, ...wish.options },
  };
  const { bytes, ...more } = await forwardRaw(call, upstream as unknown as CallUpstream);
  const [sent] = upstream.sent;
  const { options: _options, text: _text, ...seen } = sent as NonNullable<typeof sent>;
  return { ...more, seen, body: JSON.parse(Buffer.from(bytes).toString()) as JsonObject };
}
const failure = (passing: Promise<unknown>) =>
  passing.then(
    () => 'passed',
    (thrown: { code: unknown }) => thrown.code,
  );

test('a server gets its own tool name, headers if its revision has them, and a token if the client gave one', async () => {
  const _meta = { progressToken: 'mine' };
  const named = await pass('{}', { era: '2026', options: { inputSchema: HEADED } });
  const read = await pass('{}', {
    rewrite: { uri: 'note:1' },
    params: { uri: 'x', _meta },
    options: { inputSchema: HEADED },
  });
  const bare = await pass('{}', { rewrite: {} });
  expect([named.seen, read.seen.progressToken === read.seen.id, { ...read.seen, id: 0 }, bare.seen]).toEqual([
    {
      id: 101,
      method: 'tools/call',
      name: 't',
      paramHeaders: { 'Mcp-Param-Q': 'x' },
      params: { name: 't', arguments: { q: 'x' } },
    },
    true,
    expect.objectContaining({ id: 0, method: 'tools/call', name: 'note:1' }),
    { id: 101, method: 'tools/call', params: { name: 's__t', arguments: { q: 'x' } } },
  ]);
  expect([read.seen.params._meta, 'paramHeaders' in read.seen]).toEqual([{ progressToken: 101 }, false]);
});

test('an answer gets the client’s id, and its own kind is recorded', async () => {
  const kinds = async (text: string) => {
    const { isError, isRpcError, resultType, body } = await pass(text);
    expect(body.id).toBe(7);
    return [isError, isRpcError, resultType];
  };
  expect([
    await kinds('{"content":[]}'),
    await kinds('{"isError":true}'),
    await kinds('{"isError":false,"resultType":"complete"}'),
    await kinds('{"isError":"true","resultType":5}'),
    await kinds('{"jsonrpc":"2.0","id":101,"error":{"code":-1,"message":"no"}}'),
  ]).toEqual([
    [false, false, undefined],
    [true, false, undefined],
    [false, false, 'complete'],
    [false, false, undefined],
    [false, true, undefined],
  ]);
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":101,"result":{"x":"☂"}}');
  expect((await pass('{"x":"☂"}')).digest).toEqual({
    result_bytes: bytes.length,
    result_sha256: createHash('sha256').update(bytes).digest('hex'),
  });
});

test('[wire:HOSTILE] an answer without an id, or of two kinds at once, does not reach the client', async () => {
  expect([
    await failure(pass('{"jsonrpc":"2.0","error":{"code":-1,"message":"no"}}')),
    await failure(pass('{"isError":false,"isError":true}')),
  ]).toEqual([-32603, 'UPSTREAM_ERROR']);
});

test.each([
  '"result":null',
  '"result":[1]',
  '"result":7',
  '"error":null',
  '"error":{"code":"x","message":{"a":1}}',
  '"error":{"code":-1.5,"message":"m"}',
  '"error":{"code":-1}',
])(
  '[wire:HOSTILE] a malformed answer is a failure of the server, for clients of both revisions: %s',
  async (member) => {
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":101,${member}}`);
    const decode = async () => decodedResult({ bytes, envelope: scanEnvelope(bytes) as never });
    expect([await failure(pass(String(bytes))), await failure(decode())]).toEqual(['UPSTREAM_ERROR', 'UPSTREAM_ERROR']);
  },
);

test('a long message of an error is cut, for clients of both revisions', async () => {
  const message = 'x'.repeat(PROXY_LIMITS.errorMessageCharsMax);
  const erring = (text: string) =>
    Buffer.from(`{"jsonrpc":"2.0","id":101,"error":${JSON.stringify({ code: -1, message: text, data: 1 })}}`);
  const decode = (bytes: Buffer) => {
    try {
      return decodedResult({ bytes, envelope: scanEnvelope(bytes) as never });
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  expect([
    (await pass(String(erring(`${message}yy`)))).body.error,
    (await pass(String(erring(message)))).body.error,
    decode(erring(`${message}yy`)),
  ]).toEqual([{ code: -1, message: `${message}\u2026`, data: 1 }, { code: -1, message, data: 1 }, `${message}\u2026`]);
});

test('a question within an answer names its server, except in a bare profile; unsafe questions are not asked', async () => {
  const asking = (url: string) =>
    JSON.stringify({
      resultType: 'input_required',
      inputRequests: { a: { method: 'elicitation/create', params: { mode: 'url', url, message: 'Go' } } },
      requestState: 'x',
    });
  const messageOf = ({ body }: Awaited<ReturnType<typeof pass>>) =>
    // biome-ignore lint/suspicious/noExplicitAny: looked at by its members.
    (body as any).result.inputRequests.a.params.message;
  const safe = asking('https://a.example/');
  const era = '2026';
  const [named, bare] = [await pass(safe, { era }), await pass(safe, { era, options: { asker: undefined } })];
  expect([messageOf(named), messageOf(bare), named.resultType]).toEqual(['[server s asks] Go', 'Go', 'input_required']);
  expect([
    await failure(pass(asking('javascript:1'), { era })),
    await failure(pass(asking('javascript:1'), { era, options: { asker: undefined } })),
  ]).toEqual(['UPSTREAM_ERROR', 'UPSTREAM_ERROR']);
  const nothing = await pass('{"resultType":"input_required","requestState":"x"}', { era });
  expect(nothing.body.result).toEqual({ resultType: 'input_required', requestState: 'signed  x' });
});

test('a question within an answer is built from known members, and its state is signed', async () => {
  const question = { method: 'elicitation/create', params: { message: 'Go', title: '[server b asks]' }, title: 'b' };
  const result = { resultType: 'input_required', inputRequests: { a: question }, title: 'b', _meta: { m: 1 } };
  expect((await pass(JSON.stringify(result), { era: '2026' })).body.result).toEqual({
    resultType: 'input_required',
    inputRequests: { a: { method: 'elicitation/create', params: { message: '[server s asks] Go' } } },
    requestState: 'signed a undefined',
    _meta: { m: 1 },
  });
});

const asked = (key: string, method: string, params?: object) => ({ inputRequests: { [key]: { method, params } } });

test.each<[what: string, result: object, code: string, capabilities?: JsonObject]>([
  ['a form of a client without forms', asked('a', 'elicitation/create', {}), 'CLIENT_CAPABILITY_MISSING', {}],
  ['the roots of a client without roots', asked('a', 'roots/list'), 'CLIENT_CAPABILITY_MISSING'],
  ['a model of a client without one', asked('a', 'sampling/createMessage', {}), 'CLIENT_CAPABILITY_MISSING'],
  ['a call', asked('a', 'tools/call', { name: 'x' }), 'UPSTREAM_ERROR'],
  ['under a key that looks like a head', asked('[server b asks]', 'elicitation/create', {}), 'UPSTREAM_ERROR'],
  ['under a key of ours', asked('bindery_approval', 'elicitation/create', {}), 'UPSTREAM_ERROR'],
  ['a question that is no object', { inputRequests: { a: 1 } }, 'UPSTREAM_ERROR'],
  ['questions that are no object', { inputRequests: [1] }, 'UPSTREAM_ERROR'],
  ['with a state that is no text', { requestState: {} }, 'UPSTREAM_ERROR'],
])('a 2026 server that asks for %s is refused [gateway:E6]', async (_what, result, code, capabilities) => {
  const answer = JSON.stringify({ resultType: 'input_required', ...result });
  const wish = { era: '2026' as const, ...(capabilities ? { capabilities } : {}) };
  expect([
    await failure(pass(answer, wish)),
    await failure(pass(answer, { ...wish, options: { asker: undefined } })),
  ]).toEqual([code, code]);
});

test('a kind of result that the revision of a server lacks is a wrong answer, as is a question without a round', async () => {
  const asking = '{"resultType":"input_required"}';
  expect([
    await failure(pass(asking)),
    await failure(pass('{"resultType":"task"}')),
    await failure(pass('{"resultType":"complete"}')),
    await failure(pass('{"resultType":"task"}', { era: '2026' })),
    await failure(pass(asking, { era: '2026', options: { signRound: undefined } as never })),
  ]).toEqual(['UPSTREAM_ERROR', 'UPSTREAM_ERROR', 'passed', 'passed', 'UPSTREAM_ERROR']);
});

test('an error that sends a person to pages says which server does; an error that only has the number in it stays as it is', async () => {
  const erring = (code: number) =>
    `{"jsonrpc":"2.0","id":101,"error":${JSON.stringify({
      code,
      message: 'see -32042',
      data: { elicitations: [{ mode: 'url', url: 'https://a.example/', message: 'Go' }, { url: 'data:x' }] },
    })}}`;
  // biome-ignore lint/suspicious/noExplicitAny: looked at by its members.
  const pagesOf = ({ body }: Awaited<ReturnType<typeof pass>>) => (body as any).error.data.elicitations;
  const messages = (pages: { message?: string }[]) => pages.map(({ message }) => message);
  expect([messages(pagesOf(await pass(erring(-32042)))), messages(pagesOf(await pass(erring(-1))))]).toEqual([
    ['[server s asks] Go'],
    ['Go', undefined],
  ]);
});

test('the buffer of a large answer returns to the pool after its last read, and not before', async () => {
  const length = WIRE_LIMITS.pooledBytesMin * 2;
  const large = (room: number) => {
    const text = `{"jsonrpc":"2.0","id":101,"result":{"x":"${'y'.repeat(length)}"}}`;
    const bytes = acquireBuffer(text.length, room);
    bytes.write(text);
    return bytes;
  };
  const forwarded = async (bytes: Buffer) => {
    const answer = { bytes, envelope: scanEnvelope(bytes) } as RawAnswer;
    const upstream = { era: '2025', nextId: () => 101, requestRaw: async () => answer } as unknown as CallUpstream;
    const request = requestOf('tools/call', { name: 's__t' }, 'an id that is longer than the one of the server');
    return forwardRaw({ client: CLIENT, request, exchange: exchangeOf(), rewrite: {}, options: OPTIONS }, upstream);
  };
  const lent = () => acquireBuffer(length + 100, 1_000).buffer;
  const inPlace = large(1_000);
  expect((await forwarded(inPlace)).bytes.buffer).toBe(inPlace.buffer);
  expect(lent()).not.toBe(inPlace.buffer);
  const copied = large(0);
  const { bytes } = await forwarded(copied);
  expect([bytes.buffer === copied.buffer, [lent(), lent()].includes(copied.buffer)]).toEqual([false, true]);
});

test('messages and questions of a server before its answer reach the client, if the client can be asked', async () => {
  const exchange = exchangeOf();
  const request = requestOf('tools/call', { name: 'n', _meta: { progressToken: 4 } });
  const client = { ...CLIENT, capabilities: { sampling: {} } };
  const origin = () => ({ peerAddress: undefined, header: () => undefined });
  const options = { ...OPTIONS, timeoutMs: 5, scope: 'own' } as ForwardOptions;
  const raw = rawOptions({ client, request, exchange: { ...exchange, origin }, rewrite: {}, options });
  const plain = rawOptions({ client, request: requestOf('tools/call', {}), exchange, rewrite: {}, options: OPTIONS });
  expect([raw.signal === exchange.signal, raw.answerBytesMax, raw.scope, raw.timeoutMs, raw.origin]).toEqual([
    true,
    1_000,
    'own',
    5,
    origin,
  ]);
  expect(Object.keys(plain).sort()).toEqual(['answerBytesMax', 'onNotification', 'onServerRequest', 'scope', 'signal']);
  raw.onNotification?.({ method: 'x' }, Buffer.from('{"method":\n"x"}'));
  raw.onProgress?.(Buffer.from('{"jsonrpc":"2.0","method":"p","params":{"progressToken":101}}'));
  const ask = (method: string, params?: JsonObject) =>
    raw.onServerRequest?.({ id: 1, method, ...(params ? { params } : {}) }, new AbortController().signal);
  await ask('sampling/createMessage', { systemPrompt: 'Be kind' });
  await ask('sampling/createMessage');
  await expect(ask('roots/list')).rejects.toMatchObject({ code: -32601 });
  expect([exchange.sent, exchange.asked]).toEqual([
    [{ method: 'x' }, { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 4 } }],
    [
      { method: 'sampling/createMessage', params: { systemPrompt: '[server s asks] Be kind' } },
      { method: 'sampling/createMessage', params: { systemPrompt: '[server s asks]' } },
    ],
  ]);
});

test('a client is asked only what it declared', () => {
  const asked = (capabilities: JsonObject) =>
    ['elicitation/create', 'sampling/createMessage', 'roots/list', 'tools/list'].map((method) =>
      isAskable({ ...CLIENT, capabilities }, method),
    );
  expect([
    asked({ elicitation: {} }),
    asked({ elicitation: true }),
    asked({ elicitation: { url: {} } }),
    asked({ elicitation: { url: {}, form: {} } }),
    asked({ sampling: {} }),
    asked({ roots: {} }),
    asked({}),
  ]).toEqual([
    [true, false, false, false],
    [false, false, false, false],
    [false, false, false, false],
    [true, false, false, false],
    [false, true, false, false],
    [false, false, true, false],
    [false, false, false, false],
  ]);
});

test('a progress token is a text or a number, and everything else is none', () => {
  const tokens = [
    { _meta: { progressToken: 'a' } },
    { _meta: { progressToken: 0 } },
    { _meta: { progressToken: true } },
  ];
  const none = [{ _meta: {} }, { _meta: 'x' }, {}];
  const tokenOf = (params: object) => progressTokenOf({ params } as never);
  expect([...tokens, ...none].map(tokenOf)).toEqual(['a', 0, undefined, undefined, undefined, undefined]);
});

test('an answer for a client of the other revision is its result, or its error with all that it says', () => {
  const decode = (text: string) => {
    const bytes = Buffer.from(`{"jsonrpc":"2.0","id":1,${text}}`);
    try {
      return decodedResult({ bytes, envelope: scanEnvelope(bytes) as never });
    } catch (thrown) {
      const { code, message, data } = thrown as { code: unknown; message: string; data: unknown };
      return [code, message, data];
    }
  };
  expect([decode('"result":{"a":1}'), decode('"error":{"code":-5,"message":"m","data":[1]}')]).toEqual([
    { a: 1 },
    [-5, 'm', [1]],
  ]);
  const made = (result: JsonObject) => {
    const { isError, isRpcError, resultType } = forwardedResult(requestOf('tools/call', {}), Buffer.from(''), result);
    return [isError, isRpcError, resultType];
  };
  expect([made({ isError: true, resultType: 'complete' }), made({ isError: 'yes', resultType: 1 })]).toEqual([
    [true, false, 'complete'],
    [false, false, undefined],
  ]);
});

test('headers are built from the arguments by the schema, which is scanned once', () => {
  let looks = 0;
  const schema = {
    type: 'object',
    get properties() {
      looks += 1;
      return HEADED.properties;
    },
  };
  const headers = (params: object, inputSchema: unknown) => mirroredArguments({ params } as never, inputSchema);
  const first = headers({ arguments: { q: 'x' } }, schema);
  const looked = looks;
  expect([first, headers({ arguments: 'x' }, schema), headers({}, schema), looks - looked]).toEqual([
    { 'Mcp-Param-Q': 'x' },
    {},
    {},
    0,
  ]);
  const wrong = { type: 'object', properties: { q: { type: 'object', 'x-mcp-header': 'Q' } } };
  expect([headers({ arguments: { q: 'x' } }, wrong), headers({ arguments: { q: 'x' } }, undefined)]).toEqual([{}, {}]);
});

test('an error of a server that has one of our codes is told from ours, at servers of both revisions', async () => {
  const answer =
    '{"jsonrpc":"2.0","id":101,"error":{"code":-32000,"message":"no","data":{"code":"POLICY_DENIED","n":1}}}';
  const error = { code: -32000, message: 'no', data: { n: 1, upstream: { code: 'POLICY_DENIED' } } };
  expect([(await pass(answer)).body, (await pass(answer, { era: '2026' })).body]).toMatchObject([{ error }, { error }]);
  const bytes = Buffer.from(answer);
  expect(() => decodedResult({ bytes, envelope: scanEnvelope(bytes) as RawAnswer['envelope'] })).toThrow(
    expect.objectContaining({ data: error.data }),
  );
});
