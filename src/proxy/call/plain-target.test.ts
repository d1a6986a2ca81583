import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client, ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { plainTarget } from './plain-target.ts';

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startModernFixture();
  gateway = await startTestGateway({ servers: [{ id: 's', transport: 'http', url: fixture.url }] });
});
afterAll(async () => {
  await gateway.close();
  await fixture.close();
});

const client: Client = {
  key: 'k',
  caller: 'local',
  profile: 'default',
  era: '2025',
  protocolVersion: '2025-11-25',
  session: undefined,
  capabilities: {},
  info: undefined,
};
const target = (params: object = {}, more: Partial<Client> = {}, method = 'tools/call') => {
  const message = { jsonrpc: '2.0', id: 1, method, params: { name: 's__echo', arguments: {}, ...params } };
  const request = readClientMessage(Buffer.from(JSON.stringify(message))) as ClientRequest;
  return plainTarget(gateway.gateway, { ...client, ...more }, request);
};
const withPolicy = (operation: object, servers = ['s']) => {
  gateway.setPolicy(JSON.stringify({ allowlist: { servers, operations: { 's/echo': operation } } }));
  return target();
};

test('a call that any process may serve alike has a server; whatever is asked, counted, refused or unknown has none', () => {
  expect({
    plain: target(),
    otherMethod: target({}, {}, 'prompts/get'),
    unknown: target({ name: 's__nothing' }),
    noName: target({ name: 7 }),
    search: target({ name: 'find_tools' }),
    canBeAsked: target({}, { capabilities: { elicitation: {} } }),
    allowed: withPolicy({}),
    timed: withPolicy({ timeout_ms: 5 }),
    rated: withPolicy({ rate_per_minute: 5 }),
    limited: withPolicy({ max_concurrency: 5 }),
    approved: withPolicy({ approval_required: true }),
    denied: withPolicy({}, []),
  }).toEqual({ plain: 's', allowed: 's', timed: 's' });
});
