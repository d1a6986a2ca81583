import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startConformanceFixture } from '../conformance/server-suite.ts';
import { type Earlier, openSession, type RpcAnswer, requestModern } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnown,
} from '../support/running-bindery.ts';

const stdioServer = fileURLToPath(new URL('../fixtures/servers/stdio-server.ts', import.meta.url));
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const ANSWERS: Record<string, object> = {
  'elicitation/create': {
    action: 'accept',
    content: { name: 'Ada', username: 'ada', email: 'ada@example.org', ok: true },
  },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } },
  'roots/list': { roots: [{ uri: 'file:///home/ada', name: 'home' }] },
};

const ending: (() => unknown)[] = [];
let home: BinderyHome;
let bindery: RunningBindery;

beforeAll(async () => {
  const [legacy, modern] = await Promise.all([
    startConformanceFixture('2025-11-25'),
    startConformanceFixture('2026-07-28'),
  ]);
  ending.push(
    () => legacy.process.kill(),
    () => modern.process.kill(),
  );
  home = await createHome({
    mcp: {
      servers: {
        legacy: { transport: 'http', url: legacy.url },
        modern: { transport: 'http', url: modern.url },
        pipe: { transport: 'stdio', command: process.execPath, args: [stdioServer] },
      },
    },
    gateway: { exposure: 'all' },
  });
  ending.unshift(() => home.remove());
  bindery = await startBindery(home);
  ending.unshift(() => bindery.stop());
  await untilKnown(bindery, 'legacy', 'modern', 'pipe');
});

afterAll(async () => {
  for (const end of ending) await end();
});

/** Calls a tool as a 2025 client that answers what it is asked; what it was asked, and what came of it. */
async function callAsLegacy(name: string, args: object, capabilities: object, answers = ANSWERS) {
  const session = await openSession(bindery.mcpUrl, { capabilities });
  const asked: string[] = [];
  const answer = await session.request(
    'tools/call',
    { name, arguments: args },
    {
      onEarlier: ({ id, method }) => {
        if (id === undefined) return;
        asked.push(method);
        void session.send({ id, result: answers[method] });
      },
    },
  );
  return { asked: asked.toSorted(), ...described(answer) };
}

describe('a 2025 client with a 2026 server [gateway:E6]', () => {
  test.each<[string, string, object, string[], string]>([
    ['a form', 'test_input_required_result_elicitation', {}, ['elicitation/create'], 'Hello, Ada!'],
    ['a page to visit', 'ask_by_url', {}, ['elicitation/create'], 'page: accept'],
    [
      'a model',
      'test_input_required_result_sampling',
      {},
      ['sampling/createMessage'],
      'The model said: {"type":"text","text":"Paris"}',
    ],
    ['its roots', 'test_input_required_result_list_roots', {}, ['roots/list'], 'Roots: file:///home/ada'],
    [
      'twice, with state',
      'test_input_required_result_multi_round',
      {},
      ['elicitation/create', 'elicitation/create'],
      'Both steps are done.',
    ],
    ['ten times', 'ask_again_and_again', { rounds: 10 }, Array(10).fill('elicitation/create'), '10 rounds'],
  ])('is asked for %s', async (_what, tool, args, asked, text) => {
    expect(await callAsLegacy(`modern__${tool}`, args, EVERYTHING)).toEqual({ asked, text });
  });

  test('is asked everything of a round at once', async () => {
    const { asked, text } = await callAsLegacy('modern__test_input_required_result_multiple_inputs', {}, EVERYTHING);
    expect([asked, JSON.parse(text ?? '')]).toEqual([
      ['elicitation/create', 'roots/list', 'sampling/createMessage'],
      {
        name: expect.objectContaining({ name: 'Ada' }),
        greeting: { type: 'text', text: 'Paris' },
        roots: [{ uri: 'file:///home/ada', name: 'home' }],
      },
    ]);
  });

  test('is not asked an eleventh time', async () => {
    expect(await callAsLegacy('modern__ask_again_and_again', { rounds: 11 }, EVERYTHING)).toEqual({
      asked: Array(10).fill('elicitation/create'),
      code: 'UPSTREAM_ERROR',
      text: expect.stringContaining('more than 10 times'),
    });
  });

  test.each<[string, string, object]>([
    ['sampling', 'test_input_required_result_sampling', { elicitation: {} }],
    ['elicitation', 'test_input_required_result_elicitation', { sampling: {} }],
    ['elicitation', 'ask_by_url', { elicitation: {} }],
    ['roots', 'test_input_required_result_list_roots', {}],
  ])('that cannot do %s is told so, and nothing is asked or invented', async (capability, tool, capabilities) => {
    expect(await callAsLegacy(`modern__${tool}`, {}, capabilities)).toEqual({
      asked: [],
      code: 'CLIENT_CAPABILITY_MISSING',
      text: expect.stringContaining(capability),
    });
  });
});

test('a 2026 client that lacks a capability gets the server’s own error [gateway:E6]', async () => {
  const { error } = await requestModern(bindery.mcpUrl, 'tools/call', {
    name: 'modern__test_missing_capability',
    arguments: {},
  });
  expect(error).toEqual({
    code: -32021,
    message: expect.any(String),
    data: { requiredCapabilities: { sampling: expect.anything() } },
  });
});

interface Asked {
  readonly resultType: string;
  readonly inputRequests: Record<string, { method: string; params: object }>;
  readonly requestState: string;
}

function call(
  name: string,
  args: object,
  more: object = {},
  client: { name?: string; capabilities?: object } = {},
): Promise<RpcAnswer> {
  return requestModern(
    bindery.mcpUrl,
    'tools/call',
    { name, arguments: args, ...more },
    { capabilities: EVERYTHING, ...client },
  );
}

/** The answers to everything that was asked, with the state that it was asked with. */
function answersTo({ inputRequests, requestState }: Asked, answers = ANSWERS) {
  const inputResponses = Object.fromEntries(
    Object.entries(inputRequests).map(([key, { method }]) => [key, answers[method]]),
  );
  return { inputResponses, requestState };
}

describe('a 2026 client with a 2025 server that asks in mid-call [gateway:E7]', () => {
  test.each<[string, string, object, string, string]>([
    ['a person', 'test_elicitation', { message: 'Who?' }, 'elicitation/create', 'User response: action=accept'],
    ['a model', 'test_sampling', { prompt: 'What?' }, 'sampling/createMessage', 'LLM response: Paris'],
  ])(
    'is asked for %s by a result, and its retry goes on with the same call',
    async (_what, tool, args, method, text) => {
      const asked = (await call(`legacy__${tool}`, args)).result as Asked;
      const answered = await call(`legacy__${tool}`, args, answersTo(asked));
      expect({
        type: asked.resultType,
        methods: Object.values(asked.inputRequests).map((question) => question.method),
        state: asked.requestState,
        text: described(answered).text,
        resultType: (answered.result as Asked).resultType,
      }).toEqual({
        type: 'input_required',
        methods: [method],
        state: expect.stringMatching(/^bh1\.[\w-]+\.[\w-]{22}\.[0-9a-f]{64}\.[\w-]{43}$/),
        text: expect.stringContaining(text),
        resultType: 'complete',
      });
    },
  );

  test('over stdio as well, in a process of its own [gateway:R2]', async () => {
    const asked = (await call('pipe__ask', {})).result as Asked;
    const answered = await call('pipe__ask', {}, answersTo(asked));
    expect(JSON.parse(described(answered).text ?? '')).toMatchObject({ id: 'q1', result: { action: 'accept' } });
  });

  test('is asked again what it did not answer', async () => {
    const first = (await call('legacy__test_sampling', { prompt: 'What?' })).result as Asked;
    const second = (await call('legacy__test_sampling', { prompt: 'What?' }, { requestState: first.requestState }))
      .result as Asked;
    const answered = await call('legacy__test_sampling', { prompt: 'What?' }, answersTo(second));
    expect([second.resultType, second.inputRequests, described(answered).text]).toEqual([
      'input_required',
      first.inputRequests,
      'LLM response: Paris',
    ]);
  });

  test('finds nothing under a state that is used, forged, or of another tool', async () => {
    const asked = (await call('legacy__test_sampling', { prompt: 'What?' })).result as Asked;
    const otherTool = await call('legacy__test_elicitation', { message: 'x' }, answersTo(asked));
    const forged = await call(
      'legacy__test_sampling',
      { prompt: 'What?' },
      { ...answersTo(asked), requestState: `${asked.requestState.slice(0, -3)}AAA` },
    );
    const right = await call('legacy__test_sampling', { prompt: 'What?' }, answersTo(asked));
    const again = await call('legacy__test_sampling', { prompt: 'What?' }, answersTo(asked));
    expect([otherTool, forged, right, again].map((answer) => described(answer).code)).toEqual([
      'INVALID_ARGUMENTS',
      'INTERRUPTED',
      undefined,
      'INTERRUPTED',
    ]);
  });

  test('that cannot be asked is not: the server hears that there is no such method', async () => {
    const { text, code } = described(await call('pipe__ask', {}, {}, { capabilities: {} }));
    expect([code, JSON.parse(text ?? '')]).toEqual([
      undefined,
      { jsonrpc: '2.0', id: 'q1', error: { code: -32601, message: expect.any(String) } },
    ]);
  });

  test('whose call was held when the gateway restarted is told that it was interrupted', async () => {
    const asked = (await call('legacy__test_sampling', { prompt: 'What?' })).result as Asked;
    await bindery.stop();
    bindery = await startBindery(home);
    expect(described(await call('legacy__test_sampling', { prompt: 'What?' }, answersTo(asked))).code).toBe(
      'INTERRUPTED',
    );
  });
});

describe('what servers log during a call [gateway:L3]', () => {
  const linesOf = (messages: readonly Earlier[]) =>
    messages.filter(({ method }) => method === 'notifications/message').length;

  test.each(['legacy', 'modern'])('of a %s server is told to a 2025 client from its level on', async (server) => {
    const session = await openSession(bindery.mcpUrl);
    const lines: number[] = [];
    for (const level of ['info', 'error']) {
      await session.request('logging/setLevel', { level });
      const earlier: Earlier[] = [];
      const params = { name: `${server}__test_tool_with_logging`, arguments: {} };
      await session.request('tools/call', params, { onEarlier: (message) => void earlier.push(message) });
      lines.push(linesOf(earlier));
    }
    expect(lines).toEqual([3, 0]);
  });

  test.each(['legacy', 'modern'])(
    'of a %s server is told to a 2026 client that names a level, and to no other',
    async (server) => {
      const lines: number[] = [];
      for (const level of [undefined, 'info', 'error']) {
        const earlier: Earlier[] = [];
        const _meta = level ? { 'io.modelcontextprotocol/logLevel': level } : {};
        const params = { name: `${server}__test_tool_with_logging`, arguments: {}, _meta };
        await requestModern(bindery.mcpUrl, 'tools/call', params, {
          onEarlier: (message) => void earlier.push(message),
        });
        lines.push(linesOf(earlier));
      }
      expect(lines).toEqual([0, 3, 0]);
    },
  );
});

describe('many clients that are asked at once', () => {
  test('answer their own questions and nobody else’s [gateway:R2] [gateway:E6] [gateway:E7]', async () => {
    const secrets = Array.from({ length: 24 }, (_, index) => `secret of ${index}`);
    const answersOf = (secret: string) => ({
      'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: secret } },
      'elicitation/create': { action: 'accept', content: { name: secret, username: secret, email: secret } },
    });
    const texts = await Promise.all(
      secrets.map(async (secret, index) => {
        const answers = answersOf(secret);
        if (index % 4 === 0)
          return (await callAsLegacy('modern__test_input_required_result_elicitation', {}, EVERYTHING, answers)).text;
        if (index % 4 === 1)
          return (await callAsLegacy('legacy__test_sampling', { prompt: secret }, EVERYTHING, answers)).text;
        const client = { name: `client-${index % 3}` };
        const tool = index % 4 === 2 ? 'legacy__test_sampling' : 'legacy__test_elicitation';
        const args = { prompt: secret, message: secret };
        const asked = (await call(tool, args, {}, client)).result as Asked;
        if (!asked.inputRequests) return `was not asked: ${JSON.stringify(asked)}`;
        const question = JSON.stringify(asked.inputRequests);
        const text = described(await call(tool, args, answersTo(asked, answers), client)).text;
        return question.includes(secret) ? text : `was asked ${question}`;
      }),
    );
    expect(texts).toEqual(secrets.map((secret) => expect.stringContaining(secret)));
    expect(
      texts.map((text, index) =>
        secrets.filter((secret, other) => other !== index && new RegExp(`${secret}\\b`).test(text ?? '')),
      ),
    ).toEqual(secrets.map(() => []));
  });
});

test('the SDK’s client answers questions of servers of both revisions in each of its modes [gateway:E6] [gateway:E7]', async () => {
  const heard: Record<string, string[]> = {};
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client(
      { name: 'sdk', version: '1.0.0' },
      { capabilities: { elicitation: {}, sampling: {}, roots: {} }, versionNegotiation: { mode } },
    );
    client.setRequestHandler('elicitation/create', () => ANSWERS['elicitation/create'] as never);
    client.setRequestHandler('sampling/createMessage', () => ANSWERS['sampling/createMessage'] as never);
    await client.connect(new StreamableHTTPClientTransport(new URL(bindery.mcpUrl)));
    const texts: string[] = [];
    for (const [name, args] of [
      ['legacy__test_sampling', { prompt: 'What?' }],
      ['modern__test_input_required_result_elicitation', {}],
    ] as const) {
      const result = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
      texts.push(result.content[0]?.text ?? '');
    }
    await client.close();
    heard[mode] = texts;
  }
  const expected = ['LLM response: Paris', 'Hello, Ada!'];
  expect(heard).toEqual({ legacy: expected, auto: expected });
});

function described({ result, error }: RpcAnswer): { text: string | undefined; code?: string } {
  const { content, _meta } = (result ?? {}) as {
    content?: { text?: string }[];
    _meta?: { 'bindery/error'?: { code: string } };
  };
  const code = _meta?.['bindery/error']?.code;
  return { text: content?.[0]?.text ?? (error && JSON.stringify(error)), ...(code ? { code } : {}) };
}
