import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../test/fixtures/connect.ts';
import { callTool } from '../../../test/support/call-tool.ts';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const POLICY = JSON.stringify({ allowlist: { servers: ['s'], operations: { echo: { approval_required: true } } } });

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
    approvalWaitMs: 500,
  });
  return () => gateway.close();
});

const echo = (text: string) => callTool(new URL(gateway.url).origin, 's__echo', { text });

test('a denial is recorded with its approver, an unanswered question without one', async () => {
  gateway.approvals.once('created', ({ id }) =>
    gateway.approvals.decide(id, { decision: 'deny', by: 'ada', via: 'cli', reason: 'not today' }),
  );
  const denied = await echo('denied');
  const pending = await echo('pending');
  const recorded = gateway.audit.map(({ phase, approver, rule }) => ({ phase, approver, rule: rule?.rule }));
  expect([denied, pending].map(({ result }) => result._meta['bindery/error'].code)).toEqual([
    'APPROVAL_DENIED',
    'APPROVAL_PENDING',
  ]);
  expect([recorded, JSON.stringify(denied).includes('not today')]).toEqual([
    [
      { phase: 'single', approver: 'ada', rule: 'approval_denied' },
      { phase: 'single', approver: undefined, rule: 'approval_pending' },
    ],
    true,
  ]);
});

test('a question in a client is withdrawn after a decision elsewhere, and no call waits', async () => {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: { form: {} } } },
  );
  const asked: AbortSignal[] = [];
  client.setRequestHandler('elicitation/create', (_request, { mcpReq }) => {
    asked.push(mcpReq.signal);
    return new Promise(() => {});
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const created = new Promise<string>((resolve) => gateway.approvals.once('created', ({ id }) => resolve(id)));
  const call = client.callTool({ name: 's__echo', arguments: { text: 'hi' } });
  const id = await created;
  await until(() => asked.length > 0);
  await gateway.approvals.decide(id, { decision: 'approve', by: 'ada', via: 'cli' });
  expect((await call).content).toEqual([{ type: 'text', text: 'hi' }]);
  await until(() => asked[0]?.aborted === true);
  expect([asked.length, gateway.approvals.waiting]).toEqual([1, 0]);
  await client.close();
});

test('a retry with a question that was denied elsewhere does not ask it again', async () => {
  const asked: string[] = [];
  gateway.approvals.on('created', ({ id }) => asked.push(id));
  const call = async (params: object = {}) => {
    const more = { params, capabilities: { elicitation: { form: {} } } };
    return (await callTool(new URL(gateway.url).origin, 's__echo', { text: 'hi' }, more)).result;
  };
  const { requestState } = await call();
  await gateway.approvals.decide(asked[0] as string, { decision: 'deny', by: 'ada', via: 'cli' });
  const again = await call({ requestState });
  const anew = await call();
  expect([again._meta?.['bindery/error'].code, anew.resultType, asked.length]).toEqual([
    'APPROVAL_DENIED',
    'input_required',
    2,
  ]);
});
