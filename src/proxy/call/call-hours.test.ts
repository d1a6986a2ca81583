import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SURFACES } from '../../contract/approval-surfaces.ts';
import type { Approval } from '../../gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const OFFICE = { from: '08:00', to: '18:00', time_zone: 'Europe/Brussels' };
const NOON = Date.parse('2026-11-17T12:00:00+01:00');
const EVENING = Date.parse('2026-11-17T18:00:00+01:00');
const policyOf = (allowlist: object) => JSON.stringify({ allowlist: { servers: ['s'], ...allowlist } });

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
let client: Client;
let time = NOON;
beforeAll(async () => {
  fixture = await startModernFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  time = NOON;
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy: policyOf({ operations: { echo: { hours: OFFICE, reason: 'people are there to look' } } }),
    surfaces: SURFACES,
    now: () => time,
  });
  client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  return async () => {
    await client.close();
    await gateway.close();
  };
});

const echo = () => client.callTool({ name: 's__echo', arguments: { text: 'hi' } });
const ruleOf = (result: Awaited<ReturnType<typeof echo>>) =>
  (result._meta?.['bindery/error'] as { rule?: string } | undefined)?.rule ?? 'ok';

test('a call outside the hours of its tool is denied, says when it is allowed again, and is recorded by its rule', async () => {
  time = EVENING;
  const { content, isError } = await echo();
  expect([content, isError, gateway.audit.at(-1)]).toMatchObject([
    [
      {
        text: 'POLICY_DENIED: people are there to look. The hours of the policy allow it again from 2026-11-18T08:00:00+01:00.',
      },
    ],
    true,
    { phase: 'single', decision: 'deny', rule: { rule: 'outside_hours', layer: 'project' }, outcome: 'denied' },
  ]);
});

test('the same tool is judged by the time of each call, and stays in the list', async () => {
  const seen: string[] = [];
  for (const at of [NOON, EVENING, NOON, EVENING - 1, EVENING]) {
    time = at;
    const { tools } = await client.listTools();
    seen.push(`${ruleOf(await echo())} ${tools.some(({ name }) => name === 's__echo')}`);
  }
  expect(seen).toEqual(['ok true', 'outside_hours true', 'ok true', 'ok true', 'outside_hours true']);
});

test('hours of the whole policy hold for every tool, resource and prompt, and all of them stay listed', async () => {
  gateway.setPolicy(policyOf({ hours: OFFICE }));
  const failure = (thrown: unknown) => String(thrown);
  const tried = async () => {
    const [resource] = (await client.listResources()).resources;
    const [prompt] = (await client.listPrompts()).prompts;
    return [
      ruleOf(await echo()),
      await client.readResource({ uri: resource?.uri ?? '' }).then(() => 'ok', failure),
      await client.getPrompt({ name: prompt?.name ?? '', arguments: { who: 'you' } }).then(() => 'ok', failure),
    ];
  };
  const inTime = await tried();
  time = EVENING;
  const denied = expect.stringContaining('POLICY_DENIED');
  expect([inTime, await tried()]).toEqual([
    ['ok', 'ok', 'ok'],
    ['outside_hours', denied, denied],
  ]);
});

test('a call that is approved after the hours is not sent', async () => {
  gateway.setPolicy(policyOf({ operations: { echo: { hours: OFFICE, approval_required: true } } }));
  const asked = new Promise<Approval>((resolve) => gateway.approvals.once('created', resolve));
  const call = echo();
  const { id } = await asked;
  time = EVENING;
  await gateway.approvals.decide(id, { decision: 'approve', by: 'admin', via: 'cli' });
  expect(ruleOf(await call)).toBe('outside_hours');
});
