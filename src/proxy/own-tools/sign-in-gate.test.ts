import { afterEach, expect, test } from 'vitest';
import { HttpFixture, modernHttp, type Reply } from '../../../test/fixtures/servers/http-server.ts';
import { callTool } from '../../../test/support/call-tool.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const URL_CLIENT = { elicitation: { url: {} } };
const AT = 'http://127.0.0.1/sign-in';

/** A server that wants a credential of each caller and refuses calls as often as it is told, and a caller that calls it. */
async function openServer({ refusals, isPerUser = true }: { refusals: number; isPerUser?: boolean }) {
  let left = refusals;
  const server = await new HttpFixture(
    modernHttp((reply: Reply) => {
      if (reply.seen.message?.method !== 'tools/call' || left === 0) return false;
      left -= 1;
      reply.json({}, 401);
      return true;
    }),
  ).listen();
  const begun: string[] = [];
  const gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: server.url }],
    signIns: {
      port: {
        isPerUser: () => isPerUser,
        waiting: () => [],
        begin: async (id, caller) => {
          begun.push(`${id} ${caller}`);
          return { id: 'sign-in', url: AT, done: Promise.resolve() };
        },
      },
      authorizer: {
        authorization: () => undefined,
        challenged: () => Promise.reject(new UpstreamError('auth', 'sign-in required', { status: 401, signIn: true })),
      },
    },
  });
  opened.push(
    () => server.close(),
    () => gateway.close(),
  );
  const call = async (params: object = {}, capabilities: object = URL_CLIENT) => {
    const answer = await callTool(new URL(gateway.url).origin, 's__echo', { a: 1 }, { params, capabilities });
    return answer.result ?? { _meta: { 'bindery/error': answer.error?.data } };
  };
  /** What the server was sent, answered or not. */
  const sent = () => server.of('tools/call').map(({ message }) => message?.params);
  return { call, begun, sent };
}

const answered = (action: string, more: object = {}) => ({ inputResponses: { bindery_sign_in: { action }, ...more } });
const codeOf = (result: { _meta?: Record<string, { code: string }> }) => result._meta?.['bindery/error']?.code ?? 'ok';

test('a client that opens addresses is asked to, and the call is sent again once the person has signed in', async () => {
  const { call, begun, sent } = await openServer({ refusals: 2 });
  const asked = await call();
  const done = await call(answered('accept'));
  expect([asked.inputRequests, codeOf(done), sent().length, begun]).toEqual([
    {
      bindery_sign_in: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Sign in to s, so that Bindery can use it for you.', url: AT },
      },
    },
    'ok',
    3,
    ['s local', 's local'],
  ]);
});

test('a server that refuses after the sign-in is not sent the call a third time', async () => {
  const { call, begun, sent } = await openServer({ refusals: 100 });
  expect([codeOf(await call(answered('accept'))), sent().length, begun.length]).toEqual(['AUTH_REQUIRED', 2, 1]);
});

test('the server is not shown the answer to our question, and none that it did not ask for', async () => {
  const { call, sent } = await openServer({ refusals: 0 });
  const theirs = { theirs: { action: 'accept' } };
  const codes = [
    codeOf(await call({ ...answered('accept'), requestState: '' })),
    codeOf(await call({ ...answered('accept', theirs), requestState: 'theirs' })),
    codeOf(await call({ inputResponses: theirs })),
  ];
  const seen = sent().map((params) => [params?.inputResponses, params?.requestState]);
  expect([codes, seen]).toEqual([['ok', 'INVALID_ARGUMENTS', 'INVALID_ARGUMENTS'], [[undefined, undefined]]]);
});

test.each([
  ['says no', answered('decline'), URL_CLIENT],
  ['closes the question', answered('cancel'), URL_CLIENT],
  ['cannot open addresses', {}, { elicitation: { form: {} } }],
  ['cannot be asked anything', {}, {}],
])(
  'a caller whose client %s is told where to sign in, and the call is not sent again',
  async (_what, params, capabilities) => {
    const { call, sent } = await openServer({ refusals: 100 });
    const refused = await call(params, capabilities);
    expect([codeOf(refused), JSON.stringify(refused).includes(AT), sent().length]).toEqual(['AUTH_REQUIRED', true, 1]);
  },
);

test('a server with a shared credential asks no caller to sign in', async () => {
  const { call, begun, sent } = await openServer({ refusals: 100, isPerUser: false });
  expect([codeOf(await call(answered('accept'))) === 'ok', begun, sent().length]).toEqual([false, [], 1]);
});
