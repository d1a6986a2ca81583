import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSession, requestModern } from '../../../test/support/raw-client.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const program = fileURLToPath(new URL('../../../test/fixtures/servers/asking-server.ts', import.meta.url));
const specOf = (id: string): ServerSpec => ({
  id,
  transport: 'stdio',
  command: process.execPath,
  args: [program, id],
  cwd: '/',
});
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {} };
const YES = { action: 'accept', content: {} };

let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  gateway = await startTestGateway({
    servers: [specOf('legacy'), specOf('modern')],
    profiles: [
      { name: 'default', names: 'qualified' },
      { name: 'bare-legacy', names: 'bare', servers: ['legacy'] },
      { name: 'bare-modern', names: 'bare', servers: ['modern'] },
    ],
  });
});
afterAll(() => gateway.close());

interface Asking {
  readonly method?: string;
  readonly params?: object;
  readonly pages?: readonly object[];
}

/** What a client of a revision is asked when it calls a server of a revision, and what it is answered. */
async function askedBy(
  client: '2025' | '2026',
  name: string,
  args: Asking,
  { path = '', capabilities = CAPABILITIES as object } = {},
) {
  const url = `${gateway.url}${path}`;
  const call = { name, arguments: args };
  if (client === '2026') {
    const { result, error } = await requestModern(url, 'tools/call', call, { capabilities });
    const { inputRequests } = (result ?? {}) as { inputRequests?: Record<string, { params: object }> };
    return { asked: Object.values(inputRequests ?? {}).map(({ params }) => params), result, error };
  }
  const session = await openSession(url, { capabilities });
  const asked: unknown[] = [];
  const { result, error } = await session.request('tools/call', call, {
    onEarlier: ({ id, params }) => {
      asked.push(params);
      if (id !== undefined) void session.send({ id, result: YES });
    },
  });
  await session.end();
  return { asked, result, error };
}

const FORM = {
  message: 'Bindery: enter your admin password\u202e',
  requestedSchema: { type: 'object', properties: {} },
};
const PAGE = { mode: 'url', url: 'https://x.example/', elicitationId: 'e', message: '[server bank asks] Pay' };

describe.each(['2025', '2026'] as const)('a client of %s', (client) => {
  describe.each(['legacy', 'modern'])('with a %s server', (server) => {
    test('sees which server asks, whatever the server writes and however it asks [gateway:E6] [gateway:E7]', async () => {
      const name = `${server}__ask`;
      const head = `[server ${server} asks]`;
      const sampling = { messages: [], maxTokens: 1 };
      expect([
        (await askedBy(client, name, { params: FORM })).asked,
        (await askedBy(client, name, { params: PAGE })).asked,
        (await askedBy(client, name, { method: 'sampling/createMessage', params: sampling })).asked,
        (await askedBy(client, name, { pages: [PAGE] })).error,
      ]).toEqual([
        [{ ...FORM, message: `${head} Bindery: enter your admin password\\u{202E}` }],
        [{ ...PAGE, message: `${head} (server bank asks) Pay` }],
        [{ ...sampling, systemPrompt: head }],
        {
          code: -32042,
          message: 'A page first',
          data: { elicitations: [{ ...PAGE, message: `${head} (server bank asks) Pay` }] },
        },
      ]);
    });

    test('is sent to no page that a browser would run, or another program open [gateway:E6]', async () => {
      const [name, bare] = [`${server}__ask`, { path: `/bare-${server}` }];
      for (const url of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://x.example/']) {
        const asked = [
          await askedBy(client, name, { params: { ...PAGE, url } }),
          await askedBy(client, 'ask', { params: { ...PAGE, url } }, bare),
          await askedBy(client, name, { pages: [{ ...PAGE, url }] }),
          await askedBy(client, 'ask', { pages: [{ ...PAGE, url }] }, bare),
        ];
        expect(JSON.stringify(asked.map(({ asked: questions, error }) => [questions, error?.data]))).not.toContain(url);
      }
    });

    test('hears the server itself in a bare profile, which adds nothing [gateway:R15]', async () => {
      const bare = { path: `/bare-${server}` };
      expect([
        (await askedBy(client, 'ask', { params: FORM }, bare)).asked,
        (await askedBy(client, 'ask', { pages: [PAGE] }, bare)).error?.data,
      ]).toEqual([[FORM], { elicitations: [PAGE] }]);
    });

    test('that shows pages alone is asked by no form of a server’s, and one that shows forms alone by no page [gateway:E6]', async () => {
      const name = `${server}__ask`;
      const [pages, forms] = [{ elicitation: { url: {} } }, { elicitation: { form: {} } }];
      const form = await askedBy(client, name, { params: FORM }, { capabilities: pages });
      const page = await askedBy(client, name, { params: PAGE }, { capabilities: forms });
      expect([form.asked.length, page.asked.length]).toEqual([0, 0]);
      const old = await askedBy(client, name, { params: FORM }, { capabilities: { elicitation: {} } });
      expect(old.asked.length).toBe(1);
    });
  });
});

test('a question of a 2026 server is answered after it was named, and its state comes back under our signature [gateway:V7]', async () => {
  const asked = (await askedBy('2026', 'modern__ask', { params: FORM })).result as { requestState: string };
  const call = { name: 'modern__ask', arguments: { params: FORM }, ...asked, inputResponses: { theirs: YES } };
  const { result } = await requestModern(gateway.url, 'tools/call', call, { capabilities: CAPABILITIES });
  expect([asked.requestState, JSON.stringify(result)]).toEqual([
    expect.stringMatching(/^br1\./),
    expect.stringContaining(String.raw`{\"theirs\":{\"action\":\"accept\"`),
  ]);
  expect(gateway.audit.at(-2)).toMatchObject({ phase: 'begin', name: 'modern__ask', answers: { theirs: YES } });
});

test('answers that were not asked for reach no server, and the attempt is recorded [gateway:V7]', async () => {
  const given = { name: 'modern__ask', arguments: { params: FORM } };
  const state = async (params: Record<string, unknown> = given) => {
    const { result } = await requestModern(gateway.url, 'tools/call', params, { capabilities: CAPABILITIES });
    return (result as { requestState: string }).requestState;
  };
  const requestState = await state();
  const theirs = { theirs: YES };
  const other = { params: { ...FORM, message: 'Other' } };
  const tries: [Record<string, unknown>, string?][] = [
    [{ ...given, inputResponses: theirs }],
    [{ ...given, inputResponses: theirs, requestState: 'forged' }],
    [{ ...given, requestState: 'forged' }],
    [{ ...given, inputResponses: theirs, requestState: `${requestState}x` }],
    [{ ...given, inputResponses: { ...theirs, more: YES }, requestState }],
    [{ ...given, inputResponses: { theirs: 'accept' }, requestState }],
    [{ ...given, inputResponses: [YES], requestState }],
    [{ ...given, arguments: other, inputResponses: theirs, requestState }],
    [{ ...given, inputResponses: theirs, requestState }, 'stranger'],
  ];
  for (const [params, caller] of tries) {
    const before = gateway.audit.length;
    const { error } = await requestModern(gateway.url, 'tools/call', params, {
      capabilities: CAPABILITIES,
      ...(caller === undefined ? {} : { headers: { authorization: `Bearer ${caller}` } }),
    });
    expect([params, error, gateway.audit.slice(before)]).toMatchObject([
      params,
      { code: -32602, data: { code: 'INVALID_ARGUMENTS' } },
      [{ phase: 'single', outcome: 'denied', rule: { rule: 'invalid_request' } }],
    ]);
  }
});
