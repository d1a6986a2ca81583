import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { RequestOptions, UpstreamError } from '../../wire/upstream.ts';
import { Connection } from './connection.ts';
import { CONNECTION_LIMITS as LIMITS } from './limits.ts';
import type { ClientIdentity } from './ports.ts';
import { type Script, ScriptedTransport } from './testing/scripted-transport.ts';

interface Wish {
  readonly era?: '2025' | '2026';
  readonly kind?: 'stdio' | 'http';
  readonly client?: Partial<ClientIdentity>;
}

/** A connection that has agreed on a revision, to a server that follows a script. */
function connect(script: Script, { era = '2026', kind = 'http', client = {} }: Wish = {}) {
  const transport = new ScriptedTransport(kind, script);
  const connection = new Connection({
    serverId: 's',
    client: { info: { name: 'me', version: '1' }, callbacks: {}, ...client },
    transport,
    timeoutMs: 1_000,
    maxTimeoutMs: 2_000,
  });
  const protocolVersion = era === '2026' ? '2026-07-28' : '2025-11-25';
  connection.agree({ era, protocolVersion, serverInfo: undefined, capabilities: {}, instructions: undefined });
  return { connection, transport };
}
const failure = (requested: Promise<unknown>) =>
  requested.then(
    () => 'answered',
    ({ kind, rpc }: UpstreamError) => [kind, rpc?.code],
  );
const HEADED = (header: string) => ({ type: 'object', properties: { q: { type: 'string', 'x-mcp-header': header } } });

test('a connection before the handshake counts as 2025 and has no server properties', () => {
  const connection = new Connection({
    serverId: 's',
    client: { info: { name: 'me', version: '1' }, callbacks: {} },
    transport: new ScriptedTransport('stdio'),
    timeoutMs: 1,
    maxTimeoutMs: 1,
  });
  const { era, protocolVersion, serverInfo, capabilities, instructions, sessionBound, session, transport } = connection;
  expect([era, protocolVersion, serverInfo, capabilities, instructions, sessionBound, session, transport]).toEqual([
    ...['2025', '', undefined, {}, undefined, false, undefined, 'stdio'],
  ]);
  expect([
    connection.busy,
    connection.isCalling,
    connection.hasAbandonedCalls,
    connection.closed,
    connection.getMaxListeners(),
  ]).toEqual([...[false, false, false, false, 0]]);
});

test('a request carries the metadata of its revision, a progress token if it may take long, and the given metadata', async () => {
  const sent = async (wish: Wish, method: string, params?: JsonObject, options: RequestOptions = {}) => {
    const { connection, transport } = connect(() => ({}), wish);
    await connection.request(params === undefined ? { method } : { method, params }, options);
    const [{ id, params: given, headers } = {}] = transport.sent;
    const meta = (given?._meta ?? {}) as Record<string, unknown>;
    const names = Object.keys(meta).map((name) => name.replace('io.modelcontextprotocol/', ''));
    return { given: given && { ...given, _meta: undefined }, names, hasToken: meta.progressToken === id, headers };
  };
  const modern = ['protocolVersion', 'clientCapabilities', 'clientInfo'];
  expect([
    await sent({ era: '2025' }, 'ping'),
    await sent({ era: '2025' }, 'tools/call', { name: 't', _meta: { own: 1 } }, { meta: { further: 2 } }),
    await sent({ era: '2025' }, 'ping', { _meta: 'no object' } as never, { onProgress: () => {} }),
    await sent({ era: '2026', kind: 'stdio' }, 'tools/list', {}),
  ]).toEqual([
    { given: undefined, names: [], hasToken: false, headers: undefined },
    { given: { name: 't' }, names: ['own', 'further', 'progressToken'], hasToken: true, headers: undefined },
    { given: {}, names: ['progressToken'], hasToken: true, headers: undefined },
    { given: {}, names: modern, hasToken: false, headers: undefined },
  ]);
  const { headers } = await sent({ era: '2026' }, 'tools/call', { name: 't' });
  expect(headers).toMatchObject({ 'mcp-method': 'tools/call', 'mcp-name': 't' });
  for (const method of ['resources/read', 'prompts/get', 'completion/complete'])
    expect((await sent({ era: '2025' }, method)).hasToken).toBe(true);
});

test('headers come from the given schema or the last list, only for 2026 tools', async () => {
  const tools = [{ name: 't', inputSchema: HEADED('Q') }];
  const script: Script = ({ method }) => (method === 'tools/list' ? { tools } : {});
  const headerOf = async (
    wish: Wish,
    options: RequestOptions = {},
    params: JsonObject = { name: 't', arguments: { q: 'x' } },
    method = 'tools/call',
  ) => {
    const { connection, transport } = connect(script, wish);
    await connection.request({ method: 'tools/list' });
    await connection.request({ method, params }, options);
    const headers = transport.sent[1]?.headers ?? {};
    return Object.keys(headers).filter((name) => name.startsWith('Mcp-Param-'));
  };
  expect([
    await headerOf({}),
    await headerOf({}, { inputSchema: HEADED('Other') }),
    await headerOf({}, { inputSchema: { type: 'object' } }),
    await headerOf({}, {}, { name: 't', arguments: 'x' }),
    await headerOf({}, {}, { arguments: { q: 'x' } }),
    await headerOf({ era: '2025' }),
    await headerOf({}, {}, { name: 't', arguments: { q: 'x' } }, 'prompts/get'),
  ]).toEqual([['Mcp-Param-Q'], ['Mcp-Param-Other'], [], [], [], [], []]);
});

test('after a header mismatch all pages of tools are listed again, and the call is retried once', async () => {
  const calls: unknown[] = [];
  const relearn = (
    isHealed: boolean,
    pages: number,
    more: { kind?: 'stdio' | 'http'; method?: string; cursor?: string } = {},
  ) => {
    calls.length = 0;
    const script: Script = ({ method, params }) => {
      if (method === 'tools/list') {
        const page = Number(params?.cursor ?? 0);
        calls.push(`list ${page}`);
        const last = page + 1 >= pages;
        return {
          tools: last ? [{ name: 't', inputSchema: HEADED('New') }] : [],
          ...(last ? {} : { nextCursor: more.cursor ?? String(page + 1) }),
        };
      }
      calls.push('call');
      return isHealed && calls.length > 1 ? {} : { rpc: { code: -32020, message: 'header mismatch' } };
    };
    const { connection, transport } = connect(script, { kind: more.kind ?? 'http' });
    const params = { name: 't', arguments: { q: 'x' } };
    return failure(
      connection.request({ method: more.method ?? 'tools/call', params }, { inputSchema: HEADED('Old') }),
    ).then((outcome) => [
      outcome,
      [...calls],
      Object.keys(transport.sent.at(-1)?.headers ?? {}).filter((name) => /Param/.test(name)),
    ]);
  };
  const mismatch = ['rpc', -32020];
  expect([
    await relearn(true, 1),
    await relearn(true, 2),
    await relearn(true, 3, { cursor: '0' }),
    await relearn(false, 1),
    await relearn(true, 1, { kind: 'stdio' }),
    await relearn(true, 1, { method: 'prompts/get' }),
  ]).toEqual([
    ['answered', ['call', 'list 0', 'call'], ['Mcp-Param-New']],
    ['answered', ['call', 'list 0', 'list 1', 'call'], ['Mcp-Param-New']],
    ['answered', ['call', 'list 0', 'list 0', 'call'], []],
    [mismatch, ['call', 'list 0', 'call'], ['Mcp-Param-New']],
    [mismatch, ['call'], []],
    [mismatch, ['call'], []],
  ]);
});

test('an answer is its result; an error is the server’s, with our words if it has none; anything else is a bad answer', async () => {
  const answered = async (answer: object) => {
    const { connection, transport } = connect(() => undefined, { era: '2025' });
    const requested = connection.request({ method: 'ping' });
    await new Promise(setImmediate);
    transport.say({ id: transport.sent[0]?.id, ...answer });
    return requested.catch(({ kind, message, rpc }: UpstreamError) => [kind, message, rpc?.code]);
  };
  expect([
    await answered({ result: { a: 1 } }),
    await answered({ error: { code: -1, message: 'no' } }),
    await answered({ error: { code: -1, message: '' } }),
    await answered({ result: 7 }),
  ]).toEqual([
    { a: 1 },
    ['rpc', 'no', -1],
    ['rpc', 'the server answered with error -1', -1],
    ['bad_answer', 'the answer to ping is malformed', undefined],
  ]);
});

test('progress is reported with its members, and invalid progress is ignored', async () => {
  const { connection, transport } = connect(() => undefined, { era: '2025', kind: 'stdio' });
  const seen: unknown[] = [];
  const requested = connection.request({ method: 'tools/call', params: {} }, { onProgress: (one) => seen.push(one) });
  await new Promise(setImmediate);
  const progressToken = transport.sent[0]?.id;
  const tell = (params: object) =>
    transport.say({ method: 'notifications/progress', params: { progressToken, ...params } });
  tell({ progress: 1 });
  tell({ progress: 2, total: 4, message: 'half' });
  tell({ progress: 3, total: 'four', message: 5 });
  tell({ progress: 'x' });
  transport.say({ id: progressToken as number, result: {} });
  await requested;
  expect(seen).toEqual([{ progress: 1 }, { progress: 2, total: 4, message: 'half' }, { progress: 3 }]);
});

test('input for a 2026 server is requested and sent; a caller that answers itself gets the question', async () => {
  const asked: unknown[] = [];
  const form = async ({ params }: { params: JsonObject }) => {
    asked.push(params.message);
    return { action: 'accept' };
  };
  const question = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } };
  const script: Script = ({ params }) =>
    params?.inputResponses
      ? { got: params.inputResponses }
      : { resultType: 'input_required', inputRequests: { a: question } };
  const request = async (options: RequestOptions, wish: Wish = {}, method = 'tools/call') => {
    const { connection } = connect(script, { client: { callbacks: { elicitation: { form } } }, ...wish });
    return connection
      .request({ method, params: { name: 't' } }, options)
      .catch((error: UpstreamError) => [error.kind, error.rpc?.code]);
  };
  const required = { resultType: 'input_required', inputRequests: { a: question } };
  expect([
    await request({}),
    await request({ signal: new AbortController().signal }),
    await request({ onServerRequest: async ({ id, method }) => ({ action: 'decline', by: `${method} ${typeof id}` }) }),
    await request({ answerInput: false }),
    await request({}, { era: '2025' }),
    await request({}, {}, 'tools/list'),
    await request({}, { client: {} }),
  ]).toEqual([
    { got: { a: { action: 'accept' } } },
    { got: { a: { action: 'accept' } } },
    { got: { a: { action: 'decline', by: 'elicitation/create number' } } },
    required,
    required,
    required,
    ['bad_answer', -32021],
  ]);
  expect(asked).toEqual(['[server s asks] Who?', '[server s asks] Who?']);
});

test('a page that a 2025 server requires is shown if possible, otherwise the caller gets the error', async () => {
  const data = { elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://a.example/', message: 'Go' }] };
  const run = async (wish: Wish, options: RequestOptions = {}) => {
    let shown = 0;
    const url = async () => {
      shown += 1;
      transport.say({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } });
      return { action: 'accept' };
    };
    const script: Script = () => (shown === 0 ? { rpc: { code: -32042, message: 'page', data } } : { content: [] });
    const { connection, transport } = connect(script, {
      era: '2025',
      client: { callbacks: { elicitation: { url } } },
      ...wish,
    });
    return [
      await failure(connection.request({ method: 'tools/call', params: {} }, options)),
      shown,
      transport.sent.length,
    ];
  };
  expect([
    await run({}),
    await run({}, { answerInput: false }),
    await run({ client: {} }),
    await run({ era: '2026' }),
  ]).toEqual([
    ['answered', 1, 2],
    [['rpc', -32042], 0, 1],
    [['rpc', -32042], 0, 1],
    [['rpc', -32042], 0, 1],
  ]);
});

test('a request for roots before any call waits for one if the client declares roots, and is answered by the callback otherwise', async () => {
  const ask = async (client: Partial<ClientIdentity>, method = 'roots/list') => {
    const { connection, transport } = connect(() => undefined, { era: '2025', kind: 'stdio', client });
    transport.say({ id: 'q', method });
    await new Promise(setImmediate);
    const early = transport.sent.length;
    void connection
      .request({ method: 'tools/call', params: {} }, { onServerRequest: async () => ({ roots: ['theirs'] }) })
      .catch(() => {});
    await new Promise(setImmediate);
    const answer = transport.sent.find(({ id }) => id === 'q');
    return [early, answer?.result ?? answer?.error?.code];
  };
  const roots = async () => ({ roots: ['ours'] });
  expect([
    await ask({ capabilities: { roots: {} } }),
    await ask({ capabilities: { roots: {} } }, 'sampling/createMessage'),
    await ask({ capabilities: {} }),
    await ask({ callbacks: { roots } }),
  ]).toEqual([
    [0, { roots: ['theirs'] }],
    [1, -32601],
    [1, -32601],
    [1, { roots: ['ours'] }],
  ]);
});

test('a connection reports notifications, idleness, trouble and its end, each once', async () => {
  const { connection, transport } = connect(({ method }) => {
    if (method === 'tools/list') throw new TypeError('socket');
    return {};
  });
  const heard: string[] = [];
  for (const event of ['notification', 'idle', 'close', 'end', 'trouble'] as const)
    connection.on(event, (what?: { method?: string; kind?: string }) =>
      heard.push(`${event} ${what?.method ?? what?.kind ?? ''}`.trim()),
    );
  transport.say({ method: 'notifications/tools/list_changed' });
  transport.say({ method: 'notifications/subscriptions/acknowledged' });
  await connection.request({ method: 'tools/call', params: {} });
  await connection.request({ method: 'tools/list' }).catch(() => {});
  await connection.notify({ method: 'notifications/x' });
  await connection.close();
  await connection.close();
  expect(heard).toEqual(['notification notifications/tools/list_changed', 'idle', 'trouble lost', 'end']);
  expect([transport.closes, transport.methods.at(-1), connection.closed]).toEqual([1, 'notifications/x', true]);
  const lost = connect(() => ({}));
  const ended: string[] = [];
  for (const event of ['close', 'end'] as const) lost.connection.on(event, () => ended.push(event));
  lost.transport.onClose({ kind: 'lost' } as UpstreamError);
  expect(ended).toEqual(['close', 'end']);
});

test('a connection closes after its last request, after the grace period, or immediately if `hurry` is set', async () => {
  const closed = async (graceMs: number, hurry?: AbortSignal) => {
    const { connection, transport } = connect(() => undefined);
    const requested = failure(connection.request({ method: 'tools/call', params: {} }));
    await new Promise(setImmediate);
    let isClosed = false;
    const closing = connection.closeWhenIdle(graceMs, hurry).then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    const atOnce = isClosed;
    if (graceMs > 1_000) transport.say({ id: transport.sent[0]?.id, result: {} });
    await closing;
    return [atOnce, await requested];
  };
  const { connection } = connect(() => undefined);
  let isClosed = false;
  void connection.closeWhenIdle(5_000).then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  expect(isClosed).toBe(true);
  expect([await closed(0), await closed(5_000), await closed(5_000, AbortSignal.abort())]).toEqual([
    [true, ['closed', undefined]],
    [false, 'answered'],
    [true, ['closed', undefined]],
  ]);
});

test('ids never equal those of running requests', () => {
  const { connection } = connect(() => undefined);
  const tried: number[] = [];
  connection.exchanges.isPending = (id) => tried.push(id as number) < 3;
  const id = connection.nextId();
  expect([tried.length, new Set(tried).size, tried.at(-1) === id, Number.isSafeInteger(id)]).toEqual([
    3,
    3,
    true,
    true,
  ]);
});

test('progress without a listener extends the call', async () => {
  const { connection, transport } = connect(() => undefined, { era: '2025' });
  const requested = failure(connection.request({ method: 'tools/call', params: {} }));
  await new Promise(setImmediate);
  const id = transport.sent[0]?.id;
  transport.say({ method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
  transport.say({ id, result: {} });
  expect(await requested).toBe('answered');
});

test('an endless list of tools is read up to its limit, and a caller who leaves stops it', async () => {
  const stop = new AbortController();
  const run = async (leavesAt: number) => {
    let pages = 0;
    const { connection } = connect(({ method }) => {
      if (method !== 'tools/list') return { rpc: { code: -32020, message: 'header mismatch' } };
      pages += 1;
      if (pages === leavesAt) stop.abort();
      return { tools: [], nextCursor: `${pages}` };
    });
    const outcome = await failure(
      connection.request({ method: 'tools/call', params: { name: 't' } }, { signal: stop.signal }),
    );
    return [outcome, pages];
  };
  expect([await run(0), await run(3)]).toEqual([
    [['rpc', -32020], LIMITS.listPagesMax],
    [['cancelled', undefined], 3],
  ]);
});

test('a question to a person ends with the request that it belongs to', async () => {
  const signals: AbortSignal[] = [];
  const form = ({ signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<JsonObject>(() => {});
  };
  const inputRequests = { a: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } } };
  const { connection } = connect(() => ({ resultType: 'input_required', inputRequests }), {
    client: { callbacks: { elicitation: { form } } },
  });
  const stop = new AbortController();
  void connection.request({ method: 'tools/call', params: { name: 't' } }, { signal: stop.signal }).catch(() => {});
  await new Promise(setImmediate);
  const before = signals[0]?.aborted;
  stop.abort();
  expect([before, signals[0]?.aborted]).toEqual([false, true]);
});
