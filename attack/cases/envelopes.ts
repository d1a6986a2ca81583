import assert from 'node:assert/strict';
import { HttpFixture, legacyHttp, modernHttp } from '../../test/fixtures/servers/http-server.ts';
import { openSession, sessionAt } from '../../test/support/raw-client.ts';
import { type RunningBindery, until, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

const META_2026 =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';

/** Calls of an allowed tool that a case-insensitive parser reads as calls of another tool. */
function disguisedCalls(meta: string): string[] {
  const head = '"jsonrpc":"2.0","id":1,"method":"tools/call"';
  const allowed = `"name":"notes__echo","arguments":{},${meta}`;
  return [
    `{${head},"params":{${allowed},"Name":"write"}}`,
    `{${head},"params":{${allowed},"NAME":"write"}}`,
    `{${head},"params":{${allowed},"n\\u0061Me":"write"}}`,
    `{${head},"params":{${allowed},"\\u006eame":"write"}}`,
    `{${head},"params":{"Name":"write",${allowed}}}`,
    `{${head},"params":{${allowed},"Arguments":{"text":"other"}}}`,
    `{${head},"params":{${allowed},"argument\u017f":{"text":"other"}}}`,
    `{${head},"params":{${allowed}},"Params":{"name":"write"}}`,
    `{"PARAMS":{"name":"write"},${head},"params":{${allowed}}}`,
    `{${head},"Method":"resources/read","params":{${allowed}}}`,
    `{${head},"ID":7,"params":{${allowed}}}`,
  ];
}

async function post(
  bindery: RunningBindery,
  body: string,
  headers: Record<string, string>,
): Promise<{ readonly id: unknown; readonly code: number | undefined; readonly message: string }> {
  const response = await fetch(bindery.mcpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  });
  const { id, error } = (await response.json()) as { id: unknown; error?: { code: number; message: string } };
  return { id, code: error?.code, message: error?.message ?? '' };
}

/** The refusal has the id of the request, if there is one, and names the wrong member. */
function assertRefused({ id, code, message }: Awaited<ReturnType<typeof post>>, body: string): void {
  assert.deepEqual([id, code], [body.includes('"ID"') ? null : 1, -32600], body);
  assert.match(message, /the member ".+" .*is a duplicate, or differs from another member only in case/);
}

async function startWith({ home, write, up }: AttackTarget, entry: object): Promise<RunningBindery> {
  await home.writeConfig({ version: 1, mcp: { servers: { notes: entry } } });
  const allowlist = { servers: ['notes'], tools: { notes: ['echo'] } };
  const policy = await write('policy.json', JSON.stringify({ version: '1.0', allowlist }));
  const bindery = await up('--policy', policy);
  await untilKnown(bindery, 'notes');
  return bindery;
}

async function recordedRules(bindery: RunningBindery): Promise<(string | undefined)[]> {
  const { body } = await bindery.api('GET', '/v1/audit?limit=100');
  return (body as { items: { rule?: { rule: string } }[] }).items.map(({ rule }) => rule?.rule);
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'envelope-case-2025',
    title: 'members that differ in case do not reach a server of 2025, and each try is recorded',
    async run(target) {
      const server = target.recordingServer();
      const bindery = await startWith(target, server.entry);
      const session = await openSession(bindery.mcpUrl);
      const bodies = disguisedCalls('"_meta":{}');
      for (const body of bodies) assertRefused(await post(bindery, body, { 'mcp-session-id': session.id }), body);
      assert.deepEqual(await server.calls(), []);
      assert.deepEqual(
        await recordedRules(bindery),
        bodies.map(() => 'invalid_request'),
      );
      const params = { name: 'notes__echo', arguments: { text: 'x' }, extra: { name: 'write' } };
      await sessionAt(bindery.mcpUrl, session.id, {}, 10).send({ id: 9, method: 'tools/call', params, Extra: 1 });
      const [call = '{}', ...more] = await server.calls();
      const sent = JSON.parse(call) as { params: object };
      assert.deepEqual(
        [Object.keys(sent), sent.params, more],
        [['jsonrpc', 'id', 'method', 'params'], { name: 'echo', arguments: { text: 'x' } }, []],
      );
    },
  },
  {
    id: 'envelope-case-2026',
    title: 'members that differ in case do not reach a server of 2026, and each try is recorded',
    async run(target) {
      const server = await new HttpFixture(modernHttp()).listen();
      target.onEnd(() => server.close());
      const bindery = await startWith(target, { transport: 'http', url: server.url });
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'notes__echo' };
      const bodies = disguisedCalls(META_2026);
      for (const body of bodies) assertRefused(await post(bindery, body, headers), body);
      assert.deepEqual(server.of('tools/call'), []);
      assert.deepEqual(
        await recordedRules(bindery),
        bodies.map(() => 'invalid_request'),
      );
    },
  },
  {
    id: 'wrong-types',
    title: 'a call whose members have the wrong types is answered and recorded, and nothing breaks',
    async run(target) {
      const bindery = await startWith(target, target.recordingServer().entry);
      const session = await openSession(bindery.mcpUrl);
      const odd = { toString: 'x', valueOf: null };
      const requests: [string, object][] = [
        ['tools/call', { name: 'call_tool', arguments: { name: odd } }],
        ['tools/call', { name: 'call_tool', arguments: { name: 'notes__echo', arguments: [odd] } }],
        ['tools/call', { name: 'find_tools', arguments: { query: odd, server: odd } }],
        ['tools/call', { name: odd }],
        ['resources/read', { uri: odd }],
        ['prompts/get', { name: odd }],
      ];
      for (const [method, params] of requests) {
        const answer = JSON.stringify(await session.request(method, params));
        assert.doesNotMatch(answer, /internal/i, `${method} ${JSON.stringify(params)}`);
      }
      assert.equal((await recordedRules(bindery)).length, requests.length);
    },
  },
  {
    id: 'meta-unjudged',
    title: 'a caller passes nothing to a judged tool in `_meta`, and elsewhere what it passes is on record',
    async run(target) {
      const { home, write, up, onEnd } = target;
      const server = await new HttpFixture(legacyHttp(() => false)).listen();
      onEnd(() => server.close());
      await home.writeConfig({
        version: 1,
        mcp: { servers: { notes: { transport: 'http', url: server.url } } },
        gateway: { exposure: 'all' },
      });
      const _meta = { 'evil.example/run': 'rm -rf /', traceparent: { run: 'rm -rf /' } };
      const policy = (operations: object) =>
        write('policy.json', JSON.stringify({ version: '1.0', allowlist: { servers: ['notes'], operations } }));
      const bindery = await up('--policy', await policy({ echo: { arguments: { type: 'object' } } }));
      await untilKnown(bindery, 'notes');
      const session = await openSession(bindery.mcpUrl);
      const sent = async () => {
        await session.request('tools/call', { name: 'notes__echo', arguments: {}, _meta });
        return JSON.stringify(server.of('tools/call').at(-1)?.message?.params);
      };
      assert.doesNotMatch(await sent(), /rm -rf/);
      await policy({});
      await until('the rule is gone', async () => (await sent()).includes('rm -rf'));
      const { body } = await bindery.api('GET', '/v1/audit?kind=call');
      const [newest, ...older] = (body as { items: { meta?: object }[] }).items;
      assert.deepEqual(newest?.meta, { 'evil.example/run': _meta['evil.example/run'] });
      assert.equal(older.at(-1)?.meta, undefined);
    },
  },
];
