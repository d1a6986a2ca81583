import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const POLICY = JSON.stringify({
  allowlist: {
    servers: ['s'],
    tools: { s: ['echo', 'slow'] },
    operations: { echo: { approval_required: true, reason: 'a person reads this', remember: 'session' } },
  },
});

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startModernFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: POLICY,
    surfaces: SURFACES,
    approvalWaitMs: 2_000,
  });
  return () => gateway.close();
});

async function connect(mode: 'auto' | 'legacy', answer?: (message: string) => ElicitResult): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities: answer ? { elicitation: { form: {} } } : {} },
  );
  if (answer) client.setRequestHandler('elicitation/create', (request) => answer(String(request.params.message)));
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  return client;
}
const echo = (client: Client, text: string) => client.callTool({ name: 's__echo', arguments: { text } });
const codeOf = (result: Awaited<ReturnType<typeof echo>>) =>
  (result._meta?.['bindery/error'] as { code?: string } | undefined)?.code ?? 'ok';
const asked = () => new Promise<Approval>((resolve) => gateway.approvals.once('created', resolve));

describe.each(['auto', 'legacy'] as const)('a client in mode %s', (mode) => {
  test('is asked if it can be, sees what it approves, and its decision is recorded [gateway:V6] [gateway:V7]', async () => {
    const shown: string[] = [];
    const client = await connect(mode, (message) => {
      shown.push(message);
      return { action: 'accept', content: { decision: 'approve' } };
    });
    const created = asked();
    expect((await echo(client, 'hi')).content).toEqual([{ type: 'text', text: 'hi' }]);
    expect(shown).toEqual([
      expect.stringMatching(/^Allow s\/echo\?\na person reads this\n\{\n {2}"text": "hi"\n\}\nDigest/),
    ]);
    const end = gateway.audit.at(-2);
    expect([(await created).status, end]).toMatchObject([
      'pending',
      { phase: 'begin', approval_id: (await created).id, approver: 'local' },
    ]);
    await client.close();
  });

  test('is refused if its person denies [gateway:V6] [gateway:V7]', async () => {
    const client = await connect(mode, () => ({ action: 'decline' }));
    expect(codeOf(await echo(client, 'no'))).toBe('APPROVAL_DENIED');
    await client.close();
  });

  test('waits for another surface if it cannot be asked, and is released at once [gateway:V8]', async () => {
    const client = await connect(mode);
    const created = asked();
    const call = echo(client, 'later');
    await gateway.approvals.decide((await created).id, { decision: 'approve', by: 'admin', via: 'cli' });
    expect((await call).content).toEqual([{ type: 'text', text: 'later' }]);
    await client.close();
  });

  test('has to retry without a decision, and the question outlives the wait [gateway:V8]', async () => {
    const client = await connect(mode);
    const created = asked();
    expect(codeOf(await echo(client, 'slow person'))).toBe('APPROVAL_PENDING');
    await gateway.approvals.decide((await created).id, { decision: 'approve', by: 'admin', via: 'cli' });
    expect((await echo(client, 'slow person')).content).toEqual([{ type: 'text', text: 'slow person' }]);
    await client.close();
  });

  test('is asked once for equal calls, and one yes lets one of them pass [gateway:V2]', async () => {
    const client = await connect(mode);
    const created: Approval[] = [];
    gateway.approvals.on('created', (approval) => created.push(approval));
    const calls = [echo(client, 'twice'), echo(client, 'twice')];
    while (created.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(created).toHaveLength(1);
    await gateway.approvals.decide(created[0]?.id as string, { decision: 'approve', by: 'admin', via: 'cli' });
    const codes = (await Promise.all(calls)).map(codeOf);
    expect([codes.sort(), created.length]).toEqual([['APPROVAL_PENDING', 'ok'], 2]);
    await client.close();
  });

  test('has waited for a person neither in the queue nor at the server', async () => {
    const client = await connect(mode);
    const created = asked();
    const call = echo(client, 'slowly approved');
    const { id } = await created;
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 60));
    const waitedUs = (performance.now() - from) * 1_000;
    await gateway.approvals.decide(id, { decision: 'approve', by: 'admin', via: 'cli' });
    expect(codeOf(await call)).toBe('ok');
    const { queue_us = 0, upstream_us = 0, total_us = 0 } = gateway.audit.at(-1) ?? {};
    expect(total_us - queue_us - upstream_us).toBeGreaterThan(Math.trunc(waitedUs) - 10);
  });

  test('is not asked again in a session that remembers the answer [gateway:V9]', async () => {
    let questions = 0;
    const client = await connect(mode, () => {
      questions += 1;
      return { action: 'accept', content: { decision: 'approve', remember: 'session' } };
    });
    await echo(client, 'a');
    expect([codeOf(await echo(client, 'b')), questions]).toEqual(['ok', 1]);
    // The record of the second call names the approval of the first.
    const named = gateway.audit.filter(({ phase }) => phase === 'begin').map(({ approval_id }) => approval_id);
    expect(named.slice(-2)).toEqual([expect.stringMatching(/^apr_/), named.at(-2)]);
    await client.close();
  });
});

test('a retry with another argument, or a state that was changed, is refused [gateway:V7]', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const call = async (args: object, more: object = {}) => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 's__echo', arguments: args, _meta: meta, ...more },
    };
    const headers = {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 's__echo',
    };
    const response = await fetch(gateway.url, { method: 'POST', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: a raw answer, looked at by its members.
    return ((await response.json()) as { result: any }).result;
  };
  const { requestState } = await call({ text: 'one' });
  const yes = { inputResponses: { bindery_approval: { action: 'accept', content: { decision: 'approve' } } } };
  expect((await call({ text: 'two' }, { ...yes, requestState }))._meta['bindery/error'].code).toBe('APPROVAL_MISMATCH');
  expect(
    (await call({ text: 'one' }, { ...yes, requestState: `${requestState.slice(0, -2)}xx` }))._meta['bindery/error']
      .code,
  ).toBe('APPROVAL_MISMATCH');
  expect((await call({ text: 'one' }, { ...yes, requestState })).content).toEqual([{ type: 'text', text: 'one' }]);
  // The approval was used: an old yes asks anew.
  expect((await call({ text: 'one' }, { ...yes, requestState })).resultType).toBe('input_required');
});

test('denied tools are not listed, and calling one says so [gateway:E3]', async () => {
  const client = await connect('auto');
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['s__echo', 's__slow']);
  expect(codeOf(await client.callTool({ name: 's__fail', arguments: {} }))).toBe('POLICY_DENIED');
  expect(gateway.audit.at(-1)).toMatchObject({
    phase: 'single',
    decision: 'deny',
    outcome: 'denied',
    rule: { rule: 'tool_not_listed', layer: 'project' },
  });
  await client.close();
});
