import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const policyOf = (allowlist: object) => JSON.stringify({ allowlist: { servers: ['*'], ...allowlist } });

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
let client: Client;
beforeAll(async () => {
  fixture = await startModernFixture();
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: policyOf({ writes: 'deny' }),
    surfaces: SURFACES,
  });
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
});
afterAll(async () => {
  await client.close();
  await gateway.close();
  await fixture.close();
});

const listed = async () => (await client.listTools()).tools.map(({ name }) => name);
const ruleOf = (result: Awaited<ReturnType<typeof client.callTool>>) =>
  (result._meta?.['bindery/error'] as { rule?: string } | undefined)?.rule ?? 'reached its server';

test('with writes: deny only tools that their server calls read-only are listed and called', async () => {
  gateway.setPolicy(policyOf({ writes: 'deny' }));
  expect(await listed()).toEqual(['s__echo']);
  expect([
    ruleOf(await client.callTool({ name: 's__echo', arguments: { text: 'hi' } })),
    ruleOf(await client.callTool({ name: 's__fail', arguments: {} })),
  ]).toEqual(['reached its server', 'writes']);
});

test('an operation says for itself whether its tool only reads', async () => {
  gateway.setPolicy(
    policyOf({ writes: 'deny', operations: { 's/fail': { read_only: true }, echo: { read_only: false } } }),
  );
  expect(await listed()).toEqual(['s__fail']);
});

test('with writes: ask a person is asked about every other tool, and the arguments are bound to the answer', async () => {
  gateway.setPolicy(policyOf({ writes: 'ask' }));
  expect(ruleOf(await client.callTool({ name: 's__echo', arguments: { text: 'hi' } }))).toBe('reached its server');
  const asked = new Promise<Approval>((resolve) => gateway.approvals.once('created', resolve));
  const call = client.callTool({ name: 's__fail', arguments: {} });
  const { id, server, tool, reason } = await asked;
  expect([server, tool, reason]).toEqual(['s', 'fail', 'its server does not say that the tool only reads']);
  await gateway.approvals.decide(id, { decision: 'approve', by: 'admin', via: 'cli' });
  expect(ruleOf(await call)).toBe('reached its server');
});
