import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestGateway } from '../../src/proxy/testing/test-gateway.ts';
import { SqliteTaskOwners } from '../../src/store/registry/task-owner-store.ts';
import { HttpFixture, type HttpHandler, legacyHttp, modernHttp, type Reply } from '../fixtures/servers/http-server.ts';
import { openSession } from '../support/raw-client.ts';

type Era = '2025' | '2026';

const META: Readonly<Record<Era, string>> = {
  '2025': '"_meta":{"own":1}',
  '2026':
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"own":1}',
};
const CAPABILITIES = {
  tools: {},
  resources: {},
  prompts: {},
  completions: {},
  tasks: { list: {}, requests: { tools: { call: {} } } },
};
const LISTS: Readonly<Record<string, object>> = {
  'tools/list': { tools: ['echo', 'secret'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
  'resources/list': { resources: [{ uri: 'note://1', name: 'one' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/list': { prompts: [{ name: 'greet' }] },
  'tools/call': { content: [] },
  'resources/read': { contents: [] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
  'tasks/get': { taskId: 't', status: 'working' },
};

/** A server that answers everything and remembers it. */
function answering(era: Era): HttpHandler {
  const answers = (reply: Reply): boolean => {
    const { message } = reply.seen;
    const method = message?.method ?? '';
    const complete = era === '2026' ? { resultType: 'complete' } : {};
    const modern = era === '2026' ? { ttlMs: 0, cacheScope: 'private' } : {};
    if (method === (era === '2026' ? 'initialize' : 'server/discover')) return false;
    if (method === 'initialize') {
      const { protocolVersion } = message?.params ?? {};
      reply.result({ protocolVersion, serverInfo: { name: 'files', version: '1' }, capabilities: CAPABILITIES });
    } else if (method === 'server/discover') {
      reply.result({ ...complete, ...modern, supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES });
    } else if (LISTS[method]) reply.result({ ...complete, ...modern, ...LISTS[method] });
    else return false;
    return true;
  };
  return era === '2026' ? modernHttp(answers) : legacyHttp(answers);
}

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

async function start(server: Era, client: Era, protocolVersion = '2025-11-25') {
  const fixture = await new HttpFixture(answering(server)).listen();
  const taskDatabase = new DatabaseSync(':memory:');
  new SqliteTaskOwners(taskDatabase, Date.now).claim('files', 't', 'local');
  const gateway = await startTestGateway({
    servers: [{ id: 'files', transport: 'http', url: fixture.url, oauth: false }],
    policy: JSON.stringify({ allowlist: { servers: ['files'], tools: { files: ['echo'] } } }),
    taskDatabase,
  });
  ending.push(gateway.close, () => fixture.close());
  const session = client === '2025' ? await openSession(gateway.url, { protocolVersion }) : undefined;
  return {
    gateway,
    /** What reached the server, as it was written. */
    reached: (method: string) => fixture.of(method).map(({ body }) => body),
    send: async (body: string, method: string, name?: string) => {
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session
            ? { 'mcp-session-id': session.id }
            : { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) }),
        },
        body,
      });
      return (await response.json()) as { id: unknown; error?: { code: number; message: string }; result?: unknown };
    },
  };
}

/** Each method with what it is about, and members that a parser without case takes for it. */
const SPELLINGS: readonly {
  method: string;
  name?: string;
  member: string;
  value: string;
  others: readonly string[];
}[] = [
  {
    method: 'tools/call',
    name: 'files__echo',
    member: '"name":"files__echo","arguments":{}',
    value: '"secret"',
    others: ['"Name"', '"NAME"', '"n\\u0061mE"', '"name"', '"\\u006eame"'],
  },
  {
    method: 'tools/call',
    name: 'files__echo',
    member: '"name":"files__echo","arguments":{}',
    value: '{"path":"/etc"}',
    others: ['"Arguments"', '"argument\u017f"', '"argument\\u017f"', '"arguments"'],
  },
  {
    method: 'resources/read',
    name: 'note://1',
    member: '"uri":"note://1"',
    value: '"note://2"',
    others: ['"URI"', '"Uri"', '"ur\u0131"'],
  },
  {
    method: 'prompts/get',
    name: 'files__greet',
    member: '"name":"files__greet"',
    value: '"other"',
    others: ['"Name"'],
  },
  {
    method: 'completion/complete',
    member: '"ref":{"type":"ref/prompt","name":"files__greet"},"argument":{"name":"a","value":"b"}',
    value: '{"type":"ref/prompt","name":"other"}',
    others: ['"Ref"', '"REF"'],
  },
  { method: 'tasks/get', name: 't', member: '"taskId":"t"', value: '"u"', others: ['"taskid"', '"tas\u212aId"'] },
];

const ATTEMPTS = ['tools/call', 'resources/read', 'prompts/get'];

describe.each<[client: Era, server: Era]>([
  ['2025', '2025'],
  ['2026', '2026'],
  ['2025', '2026'],
  ['2026', '2025'],
])('a client of %s before a server of %s', (client, server) => {
  test('cannot say beside a member what another parser would take for it, and every try is recorded [gateway:E8] [gateway:U1]', async () => {
    const { gateway, reached, send } = await start(server, client);
    for (const { method, name, member, value, others } of SPELLINGS) {
      const head = `"jsonrpc":"2.0","id":1,"method":"${method}"`;
      const params = `{${member},${META[client]}}`;
      const bodies = [
        ...others.map((other) => `{${head},"params":{${member},${other}:${value},${META[client]}}}`),
        `{${head},"params":${params},"Params":{"name":"secret"}}`,
        `{"PARAMS":{"name":"secret"},${head},"params":${params}}`,
        `{${head},"Method":"tools/call","params":${params}}`,
        `{${head},"ID":2,"params":${params}}`,
        `{${head},"params":{${member},${META[client].replace('"own"', '"ProgressToken":1,"own"')}}}`,
        `{${head},"params":{${member},${META[client]},"_Meta":{"progressToken":1}}}`,
      ];
      gateway.audit.length = 0;
      for (const body of bodies) {
        const { id, error } = await send(body, method, name);
        const message = expect.stringMatching(
          /^Invalid request: the member ".+" (of \S+ )?is a duplicate, or differs from another member only in case$/,
        );
        expect([body, id, error]).toEqual([body, body.includes('"ID"') ? null : 1, { code: -32600, message }]);
      }
      expect([method, reached(method)]).toEqual([method, []]);
      const recorded = gateway.audit.map(({ outcome, rule, arguments: args }) => [outcome, rule?.rule, args]);
      const refused = ['denied', 'invalid_request', undefined];
      expect([method, recorded]).toEqual([method, ATTEMPTS.includes(method) ? bodies.map(() => refused) : []]);
    }
  });

  test('passes on what its methods define, and nothing that stands beside it [gateway:R5]', async () => {
    const { reached, send } = await start(server, client);
    const isTranslated = client !== server;
    for (const { method, name, member } of SPELLINGS) {
      if (isTranslated && method === 'tasks/get') continue;
      const params = `{"x":1,${member},"nested":{"name":"secret"},${META[client]}}`;
      const body = `{"more":{"method":"tools/call"},"jsonrpc":"2.0","id":"one","method":"${method}","params":${params},"z":2}`;
      expect([method, await send(body, method, name)]).toEqual([
        method,
        expect.objectContaining({ id: 'one', result: expect.anything() }),
      ]);
      const sent = reached(method).at(-1) ?? '';
      const message = JSON.parse(sent) as { id: unknown; params: Record<string, Record<string, unknown>> };
      const given = Object.keys(JSON.parse(`{${member}}`));
      expect([method, Object.keys(message), Object.keys(message.params).sort()]).toEqual([
        method,
        ['jsonrpc', 'id', 'method', 'params'],
        [...given, '_meta'].sort(),
      ]);
      expect([method, message.params._meta?.own, message.id]).toEqual([method, 1, expect.any(Number)]);
    }
    expect(JSON.parse(reached('completion/complete')[0] as string).params.ref).toEqual({
      type: 'ref/prompt',
      name: 'greet',
    });
  });
});

test('a batch with a member that can be read in two ways is refused as a whole, and that is recorded [gateway:A15] [gateway:E8]', async () => {
  const { gateway, reached, send } = await start('2025', '2025', '2025-03-26');
  const call = (more: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files__echo","arguments":{}${more}}}`;
  expect(await send(`[${call('')},${call(',"Name":"secret"')}]`, 'tools/call')).toMatchObject({
    error: { code: -32600 },
  });
  expect([reached('tools/call'), gateway.audit.map(({ name, rule }) => [name, rule?.rule])]).toEqual([
    [],
    [['files__echo', 'invalid_request']],
  ]);
});

test('a call whose headers say something else is refused, and that is recorded', async () => {
  const { gateway, reached, send } = await start('2026', '2026');
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files__echo",${META['2026']}}}`;
  expect(await send(body, 'tools/call', 'files__other')).toMatchObject({ error: { code: -32020 } });
  expect([reached('tools/call'), gateway.audit.map(({ name, rule }) => [name, rule?.rule])]).toEqual([
    [],
    [['files__echo', 'invalid_request']],
  ]);
});

describe('an answer that can be read in two ways', () => {
  test.each([
    ['"result":{"content":[],"isError":false,"IsError":true}', 'UPSTREAM_ERROR'],
    ['"result":{"content":[],"isError":false,"isError":true}', 'UPSTREAM_ERROR'],
    ['"result":{"content":[],"resulttype":"input_required"}', 'UPSTREAM_ERROR'],
    ['"result":{"content":[]},"Result":{"content":[]}', 'UPSTREAM_ERROR'],
    ['"result":{"content":[]},"Id":7', 'UPSTREAM_ERROR'],
    ['"result":{"content":[]},"Method":"sampling/createMessage"', 'UPSTREAM_ERROR'],
    ['"result":{"content":[],"other":1}', undefined],
  ])('does not reach the client: %s', async (answer, code) => {
    const fixture = await new HttpFixture(
      legacyHttp(({ seen: { message }, response }) => {
        if (message?.method !== 'tools/call') return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"jsonrpc":"2.0","id":${message.id},${answer}}`);
        return true;
      }),
    ).listen();
    const gateway = await startTestGateway({
      servers: [{ id: 'files', transport: 'http', url: fixture.url, oauth: false }],
    });
    ending.push(gateway.close, () => fixture.close());
    const session = await openSession(gateway.url);
    const { result } = await session.request('tools/call', { name: 'files__echo', arguments: {} });
    const failed = (result as { _meta?: { 'bindery/error'?: { code: string } } })._meta?.['bindery/error'];
    const recorded = gateway.audit.at(-1)?.outcome;
    expect([failed?.code, recorded]).toEqual(code ? [code, 'upstream_error'] : [undefined, 'ok']);
  });
});
