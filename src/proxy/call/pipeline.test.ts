import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callHeaders } from '../../../test/support/call-tool.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { createFixtureServer, type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const policyOf = (operations: object, more: object = {}) =>
  JSON.stringify({ allowlist: { servers: ['s'], operations, ...more } });
const ASKED = { asked: { approval_required: true } };

let reached: string[] = [];
let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server: McpServer = createFixtureServer();
    server.registerTool('asked', { inputSchema: z.object({ path: z.string() }) }, async ({ path }) => {
      reached.push(path);
      return { content: [{ type: 'text', text: path }] };
    });
    return server;
  });
});
afterAll(() => fixture.close());
beforeEach(async () => {
  reached = [];
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: policyOf(ASKED),
    approvalWaitMs: 5_000,
  });
  return () => gateway.close();
});

async function connect(mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  return client;
}
type Result = Awaited<ReturnType<Client['callTool']>>;
const codeOf = (result: Result) => (result._meta?.['bindery/error'] as { code?: string } | undefined)?.code ?? 'ok';
const ask = (client: Client, path: string) => client.callTool({ name: 's__asked', arguments: { path } });
const question = () => new Promise<Approval>((resolve) => gateway.approvals.once('created', resolve));
const approve = ({ id }: Approval, via: 'console' | 'cli' | 'client' = 'console') =>
  gateway.approvals.decide(id, { decision: 'approve', by: 'admin', via });

describe('what is recorded', () => {
  test('calls, reads, prompts and searches are; lists, pings and completions are not [gateway:U1]', async () => {
    const client = await connect('legacy');
    await client.listTools();
    await client.listPrompts();
    await client.listResources();
    await client.ping();
    await client
      .complete({ ref: { type: 'ref/prompt', name: 's__greet' }, argument: { name: 'who', value: '' } })
      .catch(() => {});
    expect(gateway.audit).toEqual([]);
    await client.callTool({ name: 's__echo', arguments: { text: 'x' } });
    await client.readResource({ uri: 'note://1' });
    await client.getPrompt({ name: 's__greet', arguments: { who: 'you' } });
    await client.callTool({ name: 'find_tools', arguments: { query: 'echo' } });
    expect(gateway.audit.map(({ kind, phase, outcome }) => [kind, phase, outcome])).toEqual([
      ['call', 'begin', undefined],
      ['call', 'end', 'ok'],
      ['read', 'begin', undefined],
      ['read', 'end', 'ok'],
      ['prompt', 'begin', undefined],
      ['prompt', 'end', 'ok'],
      ['search', 'single', 'ok'],
    ]);
    await client.close();
  });

  test('whatever names nothing there is, or is said wrongly to the search, is one denied entry with that rule [gateway:U3]', async () => {
    const client = await connect();
    await client.callTool({ name: 's__gone', arguments: {} }).catch(() => {});
    await client.callTool({ name: 'call_tool', arguments: { name: 's__gone' } });
    await client.callTool({ name: 'call_tool', arguments: { name: 's__echo', arguments: { text: 1 } } });
    await client.callTool({ name: 'find_tools', arguments: {} });
    await client.getPrompt({ name: 's__gone' }).catch(() => {});
    await client.readResource({ uri: 'https://me:hush@gone.example/?token=hush' }).catch(() => {});
    expect(gateway.audit.map(({ kind, name, rule, outcome, via }) => [kind, name, rule?.rule, outcome, via])).toEqual([
      ['call', 's__gone', 'unknown_tool', 'denied', undefined],
      ['call', 's__gone', 'unknown_tool', 'denied', 'call_tool'],
      ['call', 's__echo', 'invalid_arguments', 'denied', 'call_tool'],
      ['search', 'find_tools', 'invalid_arguments', 'denied', undefined],
      ['prompt', 's__gone', 'unknown_prompt', 'denied', undefined],
      // The only server with resources may know more than it lists: it is asked, and the password is masked.
      ['read', 'https://***@gone.example/?token=***', 'server_listed', undefined, undefined],
      ['read', undefined, undefined, 'upstream_error', undefined],
    ]);
    await client.close();
  });

  test('ambiguous arguments are refused, and the attempt is recorded without them [gateway:R5] [gateway:U1]', async () => {
    const body = (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"s__asked","arguments":${args},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}}}}`;
    const codes: unknown[] = [];
    for (const args of ['{"path":"/ok","path":"/etc"}', '{"path":"\\ud800"}']) {
      const response = await fetch(gateway.url, {
        method: 'POST',
        headers: callHeaders('s__asked'),
        body: body(args),
      });
      codes.push(((await response.json()) as { error: { code: number } }).error.code);
    }
    expect([codes, reached]).toEqual([[-32600, -32602], []]);
    const { call_id: _id, time: _time, ...record } = gateway.audit[0] ?? ({} as never);
    expect([gateway.audit.length, record]).toEqual([
      2,
      {
        kind: 'call',
        phase: 'single',
        caller: expect.any(String),
        client: { name: 'raw', version: '1' },
        profile: 'default',
        server: 's',
        tool: 'asked',
        name: 's__asked',
        decision: 'deny',
        rule: { rule: 'invalid_request' },
        outcome: 'denied',
      },
    ]);
  });

  test('an unreachable server is named, without its address or the reason [gateway:E1] [gateway:E2]', async () => {
    const gone = await startModernFixture();
    const alone = await startTestGateway({ servers: [{ id: 'g', transport: 'http', url: gone.url }] });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(alone.url)));
    await client.callTool({ name: 'g__echo', arguments: { text: 'x' } });
    await gone.close();
    const texts = new Set<string>();
    for (let count = 0; count < 4; count += 1) {
      const { content } = await client.callTool({ name: 'g__echo', arguments: { text: 'x' } });
      texts.add((content as { text: string }[])[0]?.text ?? '');
    }
    await client.close();
    await alone.close();
    expect(
      [...texts].filter(
        (text) =>
          !/^(SERVER_UNAVAILABLE: The server cannot be reached\.|UPSTREAM_ERROR: The server or the connection to it failed\.) /.test(
            text,
          ),
      ),
    ).toEqual([]);
  });

  test('a call that its client gives up while a person is asked is cancelled, and the question stays open [gateway:L2] [gateway:V8]', async () => {
    const client = await connect('legacy');
    const created = question();
    const giveUp = new AbortController();
    const call = client
      .callTool({ name: 's__asked', arguments: { path: '/a' } }, { signal: giveUp.signal })
      .catch(() => 'gone');
    const { id } = await created;
    giveUp.abort();
    expect(await call).toBe('gone');
    for (let count = 0; count < 200 && gateway.audit.length === 0; count += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(gateway.audit).toMatchObject([{ phase: 'single', tool: 'asked', outcome: 'cancelled' }]);
    expect((await approve({ id } as Approval)).status).toBe('approved');
    await client.close();
  });

  test('an answer waits for its record, but earlier messages do not [gateway:A2]', async () => {
    const client = await connect('legacy');
    const order: string[] = [];
    let finish: () => void = () => {};
    const reachedEnd = new Promise<void>((resolve) => {
      gateway.beforeAppend(async ({ phase }) => {
        if (phase !== 'end') return;
        order.push('end is being written');
        resolve();
        await new Promise<void>((done) => {
          finish = done;
        });
        order.push('end is written');
      });
    });
    let seen = 0;
    const bothSeen = new Promise<void>((resolve) => {
      const onprogress = () => {
        seen += 1;
        if (seen === 2) resolve();
      };
      void client
        .callTool({ name: 's__slow', arguments: { steps: 2, pauseMs: 5 } }, { onprogress })
        .then(() => order.push('answer'));
    });
    // Both have arrived, and the answer has not: its record is still being written.
    await Promise.all([reachedEnd, bothSeen]);
    order.push('progress has arrived');
    finish();
    for (let count = 0; count < 200 && order.length < 4; count += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(order).toEqual(['end is being written', 'progress has arrived', 'end is written', 'answer']);
    await client.close();
  });

  test.each(['begin', 'end'] as const)(
    'where the %s cannot be written nothing leaves, and the caller is told so [gateway:R1] [gateway:E2]',
    async (failing) => {
      const client = await connect();
      gateway.setPolicy(policyOf({}));
      gateway.beforeAppend(({ phase }) => {
        if (phase === failing) throw new BinderyError('STORE_UNAVAILABLE');
      });
      const result = await ask(client, '/secret-answer');
      expect([codeOf(result), reached, JSON.stringify(result.content).includes('/secret-answer')]).toEqual([
        'STORE_UNAVAILABLE',
        failing === 'begin' ? [] : ['/secret-answer'],
        false,
      ]);
      expect(JSON.stringify(result)).toContain(failing === 'begin' ? 'Nothing was sent' : 'The call was sent');
      await client.close();
    },
  );

  test('a refusal that cannot be recorded is answered with that error [gateway:R1]', async () => {
    const client = await connect();
    gateway.setPolicy(policyOf({}, { forbidden: ['echo'] }));
    gateway.beforeAppend(() => {
      throw new BinderyError('STORE_UNAVAILABLE');
    });
    expect(codeOf(await client.callTool({ name: 's__echo', arguments: { text: 'x' } }))).toBe('STORE_UNAVAILABLE');
    await client.close();
  });
});

describe('a policy that changes while a person is asked [gateway:P8]', () => {
  test.each([
    ['forbids the tool', policyOf(ASKED, { forbidden: ['asked'] }), 'forbidden'],
    ['drops the server', JSON.stringify({ allowlist: { servers: [] } }), 'server_not_listed'],
    [
      'takes no such argument any more',
      policyOf({ asked: { approval_required: true, arguments: { properties: { path: { const: '/other' } } } } }),
      'arguments',
    ],
    ['is broken', '{', 'policy_invalid'],
  ])(
    'and %s: the person’s yes does not let the call through [gateway:P8] [gateway:A10]',
    async (_what, changed, rule) => {
      const client = await connect();
      const created = question();
      const call = ask(client, '/a');
      const asked = await created;
      gateway.setPolicy(changed);
      await approve(asked);
      const result = await call;
      expect([codeOf(result), reached]).toEqual(['POLICY_DENIED', []]);
      expect(gateway.audit).toMatchObject([{ phase: 'single', decision: 'deny', rule: { rule }, outcome: 'denied' }]);
      await client.close();
    },
  );

  test('and no longer asks, or asks for more: the call is sent under the current policy [gateway:P8]', async () => {
    const client = await connect();
    const first = question();
    const free = ask(client, '/free');
    const asked = await first;
    gateway.setPolicy(policyOf({}));
    await approve(asked);
    expect([codeOf(await free), reached]).toEqual(['ok', ['/free']]);
    expect(gateway.audit[0]).toMatchObject({ phase: 'begin', decision: 'allow', approval_id: asked.id });
    await client.close();
  });

  test('and takes no word from the client: a yes that was given there does not count [gateway:P8] [gateway:R8]', async () => {
    const client = await connect();
    const created = question();
    const call = ask(client, '/a');
    const asked = await created;
    gateway.setPolicy(policyOf({ asked: { approval_required: true, surfaces: ['console'] } }));
    await approve(asked, 'client');
    expect([codeOf(await call), reached]).toEqual(['APPROVAL_DENIED', []]);
    await client.close();
  });

  test('a call that runs keeps its decision [gateway:P8]', async () => {
    const client = await connect('legacy');
    const begun = new Promise<void>((resolve) => {
      gateway.beforeAppend(({ phase }) => {
        if (phase === 'begin') resolve();
      });
    });
    const call = client.callTool({ name: 's__slow', arguments: { steps: 3, pauseMs: 20 } });
    await begun;
    gateway.setPolicy(policyOf({}, { forbidden: ['slow'] }));
    expect(codeOf(await call)).toBe('ok');
    expect(codeOf(await client.callTool({ name: 's__slow', arguments: { steps: 1, pauseMs: 1 } }))).toBe(
      'POLICY_DENIED',
    );
    await client.close();
  });
});

describe('a server that policy does not list [gateway:P4]', () => {
  test('shows no prompts and resources either, and none is reached [gateway:P4] [gateway:E4]', async () => {
    const client = await connect('legacy');
    expect((await client.listPrompts()).prompts.length + (await client.listResources()).resources.length).toBe(2);
    gateway.setPolicy(JSON.stringify({ allowlist: { servers: ['other'] } }));
    expect([(await client.listPrompts()).prompts, (await client.listResources()).resources]).toEqual([[], []]);
    const denied = { code: -32603, data: { code: 'POLICY_DENIED', server: 's' } };
    await expect(client.readResource({ uri: 'note://1' })).rejects.toMatchObject(denied);
    await expect(client.getPrompt({ name: 's__greet', arguments: { who: 'x' } })).rejects.toMatchObject(denied);
    const completion = { ref: { type: 'ref/prompt' as const, name: 's__greet' }, argument: { name: 'who', value: '' } };
    await expect(client.complete(completion)).rejects.toMatchObject(denied);
    await expect(client.subscribeResource({ uri: 'note://1' })).rejects.toMatchObject(denied);
    expect(gateway.audit).toMatchObject([
      { kind: 'read', phase: 'single', decision: 'deny', rule: { rule: 'server_not_listed', line: 1 } },
      { kind: 'prompt', phase: 'single', decision: 'deny', rule: { rule: 'server_not_listed', line: 1 } },
    ]);
    await client.close();
  });
});

describe('no person is asked about a call that could not be sent', () => {
  test('because policy denies it, its breaker is open or its definition changed [gateway:V3]', async () => {
    const client = await connect();
    let questions = 0;
    gateway.approvals.on('created', () => {
      questions += 1;
    });
    gateway.setPolicy(policyOf(ASKED, { forbidden: ['asked'] }));
    expect(codeOf(await ask(client, '/denied'))).toBe('POLICY_DENIED');
    gateway.setPolicy(policyOf(ASKED));
    const limiter = gateway.gateway.ports.limiterOf('s');
    for (let count = 0; count < 5; count += 1) {
      const of = { tool: 'asked', concurrencyMax: undefined };
      await limiter.acquire(of, new AbortController().signal);
      limiter.release(of, 'failed', 'refused');
    }
    expect(codeOf(await ask(client, '/open'))).toBe('BREAKER_OPEN');
    limiter.reset();
    const offer = gateway.offers.get('s');
    if (!offer) throw new Error('the server is not known');
    gateway.setOffer({ ...offer, tools: offer.tools.map((tool) => ({ ...tool, status: 'changed' })) });
    expect([
      codeOf(await ask(client, '/changed')),
      codeOf(await client.callTool({ name: 'call_tool', arguments: { name: 's__asked', arguments: { path: '/x' } } })),
      questions,
      reached,
    ]).toEqual(['DEFINITION_CHANGED', 'DEFINITION_CHANGED', 0, []]);
    await client.close();
  });
});
