import { expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import { readRoundState } from '../../gateway/session/round-state.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { InputRequired } from '../approvals/approval-ports.ts';
import { RpcFailure } from '../message/answers.ts';
import type { ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { CLIENT, codeOf, exchangeOf, OfflineGateway, requestOf } from '../testing/offline-gateway.ts';

const CALL = { name: 's__t', arguments: { a: 1, b: 2 } };
const call = (world: OfflineGateway, more: object = {}, params: object = CALL) =>
  world.request('tools/call', params, more);
const ALLOWED = (operation: object = {}) => ({ allowlist: { servers: ['s'], operations: { t: operation } } });

test('a call goes out with the deadline of policy, the schema of its tool, and the limit of answers', async () => {
  const world = new OfflineGateway();
  world.setPolicy(ALLOWED({ timeout_ms: 1_234 }));
  await call(world);
  world.setPolicy(ALLOWED());
  await call(world);
  const options = world.upstream.sent.map(({ options: { timeoutMs, answerBytesMax } }) => [timeoutMs, answerBytesMax]);
  expect(options).toEqual([
    [1_234, 1_000_000],
    [undefined, 1_000_000],
  ]);
  expect('timeoutMs' in (world.upstream.sent[1]?.options ?? {})).toBe(false);
});

test('arguments that policy judged go out as they were judged; others go out byte by byte', async () => {
  const world = new OfflineGateway();
  const sentArguments = () => world.upstream.sent.at(-1)?.params.arguments;
  const written = async () => {
    const text = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"s__t","arguments":{"n": 1.0}}}';
    await world.gateway.handle(CLIENT, readClientMessage(Buffer.from(text)) as ClientRequest, exchangeOf());
    return /"arguments":(\{[^}]*\})/.exec(world.upstream.sent.at(-1)?.text ?? '')?.[1];
  };
  await call(world);
  const asWritten = sentArguments();
  const bytes = [await written()];
  world.setPolicy(ALLOWED({ arguments: { type: 'object' } }));
  await call(world);
  const judged = sentArguments();
  bytes.push(await written());
  await call(world, {}, { name: 's__t' });
  expect([asWritten, judged, sentArguments(), bytes]).toEqual([
    CALL.arguments,
    CALL.arguments,
    undefined,
    ['{"n": 1.0}', '{"n":1}'],
  ]);
});

test('the scope of a connection is set for clients that can be asked or receive logs', async () => {
  const world = new OfflineGateway();
  const scope = async (more: object) => {
    await call(world, more);
    return world.upstream.sent.at(-1)?.options.scope;
  };
  const askable = { capabilities: { roots: {} } };
  const shared = [await scope({}), await scope(askable), await scope({ logLevel: 'info' })];
  world.own = [
    { server: 's', upstream: {} as never },
    { server: 's', upstream: world.upstream as never },
  ];
  world.upstream.era = '2026';
  const modern = { ...askable, era: '2026' as const, protocolVersion: '2026-07-28' };
  const own = [await scope(modern)];
  world.upstream.era = '2025';
  own.push(await scope(askable), await scope({}));
  expect([shared, own]).toEqual([
    [undefined, 'shared', 'shared'],
    ['own', undefined, undefined],
  ]);
});

test('a call whose caller has to sign in is sent once more after that, and never a third time', async () => {
  const asked: string[] = [];
  let unwraps = 0;
  const signIns = {
    unwrap: (request: object) => {
      unwraps += 1;
      return { ...request, unwrapped: true };
    },
    canMend: (thrown: unknown, server: string) => server === 's' && (thrown as UpstreamError).kind === 'auth',
    requireSignIn: async (_client: object, request: { unwrapped?: boolean }, _exchange: object, server: string) => {
      asked.push(`${server} ${request.unwrapped ?? false}`);
    },
    waiting: () => [],
  };
  const world = new OfflineGateway({ signIns: signIns as never });
  let failures = 0;
  const failing = (times: number, kind: 'auth' | 'lost') => {
    failures = 0;
    world.upstream.sent.length = 0;
    world.upstream.answer = () => {
      failures += 1;
      if (failures <= times) throw new UpstreamError(kind, 'no', { signIn: true });
      return '{"content":[]}';
    };
  };
  const outcome = async () => [codeOf(await call(world)), world.upstream.sent.length, asked.splice(0)];
  failing(0, 'auth');
  const well = await outcome();
  failing(1, 'auth');
  const mended = await outcome();
  failing(2, 'auth');
  const twice = await outcome();
  failing(1, 'lost');
  expect([well, mended, twice, await outcome()]).toEqual([
    ['ok', 1, []],
    ['ok', 2, ['s false']],
    ['AUTH_REQUIRED', 2, ['s false']],
    ['UPSTREAM_ERROR', 1, []],
  ]);
  expect(unwraps).toBe(4);
});

test('a connection that has to be waited for is, and one that cannot be had fails the call', async () => {
  const world = new OfflineGateway();
  const { connect } = world;
  world.connect = () => Promise.resolve(connect());
  const waited = codeOf(await call(world));
  world.connect = () => Promise.reject(new UpstreamError('refused', 'down'));
  expect([waited, codeOf(await call(world)), world.connected]).toEqual([
    'ok',
    'SERVER_UNAVAILABLE',
    ['s session-1', 's session-1'],
  ]);
  expect([world.limiter().lastFailure, world.limiter().breaker().failures]).toEqual(['down', 1]);
});

test('only a server’s own failure counts against it; an error answer, or a failure of ours, does not', async () => {
  const world = new OfflineGateway();
  const after = async (thrown: unknown) => {
    world.upstream.answer = () => {
      throw thrown;
    };
    const code = codeOf(await call(world));
    const { failures } = world.limiter().breaker();
    const { lastFailure } = world.limiter();
    world.limiter().reset();
    return [code, failures, lastFailure, world.log.lines.splice(0).map(({ message }) => message)];
  };
  expect([
    await after(new UpstreamError('timed_out', 'late')),
    await after(new UpstreamError('http', 'HTTP 404', { status: 404 })),
    await after(new BinderyError('UPSTREAM_ERROR', { detail: 'an answer of two kinds' })),
    await after(new TypeError('a bug')),
    await after(new RpcFailure(-32_000, 'no')),
  ]).toEqual([
    ['TIMED_OUT', 1, 'late', []],
    ['UPSTREAM_ERROR', 0, undefined, []],
    ['UPSTREAM_ERROR', 0, undefined, []],
    ['UPSTREAM_ERROR', 0, undefined, ['a call failed']],
    ['rpc -32000', 0, undefined, []],
  ]);
  expect(world.limiter().running).toBe(0);
});

test('failures of one client’s own process count once, those of a shared connection each time', async () => {
  const failuresOf = async (transport: 'http' | 'stdio', isOwn: boolean) => {
    const world = new OfflineGateway();
    Object.assign(world.upstream, { transport });
    world.own = isOwn ? [{ server: 's', upstream: world.upstream as never }] : [];
    world.upstream.answer = () => {
      throw new UpstreamError('lost', 'it crashed');
    };
    for (const key of ['one', 'one', 'two']) await call(world, { key });
    return world.limiter().breaker().failures;
  };
  expect([
    await failuresOf('stdio', true),
    await failuresOf('stdio', false),
    await failuresOf('http', true),
    await failuresOf('http', false),
  ]).toEqual([2, 3, 3, 3]);
});

test('a call reaches a server of the other revision in the form of that revision', async () => {
  const metaOf = async (client: '2025' | '2026', server: '2025' | '2026') => {
    const world = new OfflineGateway();
    world.upstream.era = server;
    await call(world, client === '2026' ? { era: client, protocolVersion: '2026-07-28' } : {});
    const meta = world.upstream.sent[0]?.params._meta as object | undefined;
    return Object.keys(meta ?? {}).some((name) => name.endsWith('protocolVersion'));
  };
  expect([await metaOf('2025', '2026'), await metaOf('2026', '2025'), await metaOf('2025', '2025')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a question of ours in the middle of a call is its result, and counts neither for nor against the server', async () => {
  const world = new OfflineGateway();
  world.upstream.answer = () => {
    throw new InputRequired({ resultType: 'input_required', inputRequests: {} });
  };
  const { result } = await call(world);
  expect([result, world.audit.at(-1)]).toMatchObject([
    { resultType: 'input_required', inputRequests: {} },
    { phase: 'end', outcome: 'ok', result_type: 'input_required' },
  ]);
});

test('pages that an error sends a person to have the name of the server, and other data stays as it is', async () => {
  const world = new OfflineGateway();
  const pages = { elicitations: [{ mode: 'url', url: 'https://a.example/', message: 'Go' }] };
  const dataOf = async (code: number) => {
    world.upstream.answer = () => {
      throw new RpcFailure(code, 'no', { data: pages });
    };
    const { error } = await call(world);
    return (error?.data as typeof pages | undefined)?.elicitations[0]?.message;
  };
  expect([await dataOf(-32_042), await dataOf(-32_000)]).toEqual(['[server s asks] Go', 'Go']);
  world.profiles = [{ name: 'default', names: 'bare', servers: ['s'] }];
  const { error } = await call(world, {}, { name: 't' });
  expect(error?.data).toEqual(pages);
});

test('structured content that breaks the promise of its tool is recorded as that, unless the call failed anyway', async () => {
  const world = new OfflineGateway();
  const [offer] = world.offers;
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } } };
  const tools = offer?.tools.map((tool) => ({ ...tool, definition: { ...tool.definition, outputSchema } })) ?? [];
  world.setOffers({ ...offer, tools } as never);
  const recorded = async (answer: object) => {
    world.upstream.answer = () => JSON.stringify(answer);
    await call(world);
    return [world.audit.at(-1)?.outcome, world.audit.at(-1)?.schema_mismatch];
  };
  expect([
    await recorded({ structuredContent: { n: 1 } }),
    await recorded({ structuredContent: { n: 'x' } }),
    await recorded({ structuredContent: { n: 'x' }, isError: true }),
  ]).toEqual([
    ['ok', undefined],
    ['ok', true],
    ['tool_error', undefined],
  ]);
});

test('a call between revisions is translated, each way, and within one it is not', async () => {
  const sent = async (client: '2025' | '2026', server: '2025' | '2026') => {
    const world = new OfflineGateway();
    world.upstream.era = server;
    const { result } = await call(world, { era: client });
    const meta = (world.upstream.sent[0]?.params._meta ?? {}) as Record<string, unknown>;
    return [result.resultType, Object.keys(meta).some((name) => name.startsWith('io.modelcontextprotocol/'))];
  };
  expect([
    await sent('2025', '2025'),
    await sent('2025', '2026'),
    await sent('2026', '2025'),
    await sent('2026', '2026'),
  ]).toEqual([
    [undefined, false],
    [undefined, true],
    ['complete', false],
    [undefined, false],
  ]);
});

test('a call is noted under its id for its client, its arguments and its trace; times of a record are whole and not negative', async () => {
  const world = new OfflineGateway();
  const exchange = exchangeOf();
  await world.request('tools/call', CALL, {}, exchange);
  const { queue_us = -1, upstream_us = -1, total_us = -1 } = world.audit[1] ?? {};
  expect([exchange.noted, world.kept, world.audit.map(({ call_id }) => call_id)]).toEqual([
    ['call-1'],
    ['raw call-1 {"a":1,"b":2}', 'trace call-1'],
    ['call-1', 'call-1'],
  ]);
  const micros = [queue_us, upstream_us, total_us];
  expect([micros.every(Number.isInteger), Math.min(...micros) >= 0, total_us >= upstream_us]).toEqual([
    true,
    true,
    true,
  ]);
});

test('a task is recorded for its caller only if the call could become one', async () => {
  const noted: string[] = [];
  const tasks = {
    note: async (server: string, { caller }: { caller: string }) => void noted.push(`${server} ${caller}`),
  };
  const world = new OfflineGateway({ tasks: tasks as never });
  const [offer] = world.offers;
  world.setOffers({ ...offer, capabilities: { tools: {}, tasks: {} } } as never);
  await call(world);
  const plain = noted.length;
  await call(world, {}, { ...CALL, task: {} });
  const withTask = world.upstream.sent.at(-1)?.params.task;
  // A client that could not ask for it later gets the answer when it is done.
  await call(world, { era: '2026' }, { ...CALL, task: {} });
  await world.request('prompts/get', { name: 's__p', task: {} });
  expect([plain, noted, withTask, world.upstream.sent.at(-2)?.params.task]).toEqual([0, ['s key:1'], {}, undefined]);
});

test('the state of a server that asks within an approved call travels inside ours', async () => {
  const wrapped: string[] = [];
  const approve = async () => ({
    approval: { id: 'apr_1', decided_by: null, decided_via: 'console' },
    use: async () => true,
    wrapState: (upstream: string) => {
      wrapped.push(upstream);
      return `ours(${upstream})`;
    },
  });
  const world = new OfflineGateway({ approvals: { approve, unwrap: (request: object) => request } as never });
  world.setPolicy(ALLOWED({ approval_required: true }));
  world.upstream.era = '2026';
  const answered = async (text: string) => {
    world.upstream.answer = () => text;
    return (await call(world, { era: '2026' })).result.requestState;
  };
  const upstreamOf = (state: string | undefined) => readRoundState(state ?? '', [Buffer.alloc(32, 1)])?.upstream;
  const [first, second, complete] = [
    await answered('{"resultType":"input_required","requestState":"theirs"}'),
    await answered('{"resultType":"input_required"}'),
    await answered('{"resultType":"complete","requestState":"not a question"}'),
  ];
  expect([[first, second, complete], wrapped.map(upstreamOf), world.audit[0]?.approver]).toEqual([
    [`ours(${wrapped[0]})`, `ours(${wrapped[1]})`, 'not a question'],
    ['theirs', undefined],
    '',
  ]);
  world.setPolicy(ALLOWED());
  const unapproved = await answered('{"resultType":"input_required","requestState":"theirs"}');
  expect(upstreamOf(unapproved as string)).toBe('theirs');
});

test('the client gets an error if a call cannot be recorded; a failure of ours is also logged', async () => {
  const world = new OfflineGateway();
  const failing = async (thrown: Error) => {
    world.beforeAppend = () => {
      throw thrown;
    };
    return [codeOf(await call(world)), world.log.lines.splice(0).map(({ message }) => message)];
  };
  expect([await failing(new BinderyError('STORE_UNAVAILABLE')), await failing(new TypeError('a bug'))]).toEqual([
    ['STORE_UNAVAILABLE', []],
    ['INTERNAL', ['a call failed']],
  ]);
});

test('a call that cannot be judged is refused and recorded; a failure of ours is logged', async () => {
  const world = new OfflineGateway();
  world.setPolicy(ALLOWED({ arguments: { type: 'object' } }));
  const ambiguous = await call(world, {}, { name: 's__t', arguments: { a: 1, A: 2 } });
  const quiet = world.log.lines.length;
  const broken = new OfflineGateway({
    approvalSurfaces: () => {
      throw new TypeError('a bug');
    },
  });
  broken.setPolicy(ALLOWED({ approval_required: true }));
  await call(broken);
  expect([codeOf(ambiguous), quiet, broken.log.lines.map(({ message }) => message)]).toEqual([
    'rpc -32600',
    0,
    ['policy could not judge a call'],
  ]);
  expect([...world.audit, ...broken.audit].map(({ rule, outcome }) => [rule?.rule, outcome])).toEqual([
    ['invalid_request', 'denied'],
    ['invalid_request', 'denied'],
  ]);
});

test('a call whose client leaves while it waits for a place was cancelled, and is never sent', async () => {
  const world = new OfflineGateway({}, { concurrencyMax: 1 });
  world.limiter().acquire({ tool: 'other', concurrencyMax: undefined }, new AbortController().signal);
  const exchange = exchangeOf();
  const waiting = world.gateway.handle(CLIENT, requestOf('tools/call', CALL), exchange);
  exchange.signal.abort();
  const answer = JSON.parse(Buffer.from(await waiting).toString());
  expect([codeOf(answer), world.audit.map(({ phase, outcome }) => [phase, outcome]), world.upstream.sent]).toEqual([
    'CANCELLED',
    [['single', 'cancelled']],
    [],
  ]);
});

test('an approval that an equal call used first is not used again if policy no longer asks', async () => {
  let uses = 0;
  const approve = async () => ({
    approval: { id: 'apr_1', decided_by: 'ada', decided_via: 'console' },
    use: async () => {
      uses += 1;
      if (uses > 3) throw new Error('it is used without end');
      world.setPolicy(ALLOWED());
      return false;
    },
    wrapState: () => '',
  });
  const world: OfflineGateway = new OfflineGateway({
    approvals: { approve, unwrap: (request: object) => request } as never,
  });
  world.setPolicy(ALLOWED({ approval_required: true }));
  expect([codeOf(await call(world)), uses, world.audit[0]?.approval_id, world.limiter().running]).toEqual([
    'ok',
    2,
    undefined,
    0,
  ]);
});

test('a call that waited is recorded with the time at which it was let pass or refused', async () => {
  const timeOf = async (decides: 'approve' | 'deny') => {
    const approve = async () => {
      world.now += 1_000;
      if (decides === 'deny') throw new BinderyError('APPROVAL_DENIED');
      return undefined;
    };
    const world: OfflineGateway = new OfflineGateway({
      approvals: { approve, unwrap: (request: object) => request } as never,
    });
    world.setPolicy(ALLOWED({ approval_required: true }));
    await call(world);
    return world.audit[0]?.time;
  };
  expect([await timeOf('approve'), await timeOf('deny')]).toEqual(Array(2).fill('2026-11-15T00:00:01.000Z'));
});

test('a 2026 server gets the headers that the schema of its tool asks for', async () => {
  const world = new OfflineGateway();
  const [offer] = world.offers;
  const inputSchema = { type: 'object', properties: { a: { type: 'integer', 'x-mcp-header': 'A' } } };
  const tools = offer?.tools.map((tool) => ({ ...tool, definition: { ...tool.definition, inputSchema } })) ?? [];
  world.setOffers({ ...offer, tools } as never);
  world.upstream.era = '2026';
  await call(world, { era: '2026' });
  expect(world.upstream.sent[0]?.paramHeaders).toEqual({ 'Mcp-Param-A': '1' });
});

test('a call that waits at another node is gone on with there, and its answer is the answer', async () => {
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":7,"result":{"content":[],"from":"elsewhere"}}');
  const answer = async () => ({ bytes, digest: {}, isError: false, isRpcError: false, resultType: undefined });
  const held = { take: () => answer, continuesCall: () => false, refuseChangedArguments() {} };
  const world = new OfflineGateway({ held: held as never });
  expect([(await call(world)).result.from, world.upstream.sent]).toEqual(['elsewhere', []]);
});
