import { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { openSession, requestModern } from '../../../test/support/raw-client.ts';
import { until } from '../../../test/support/running-bindery.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { type RunningFixture, startModernFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const policy = JSON.stringify({
  allowlist: { servers: ['s'], operations: { run: { approval_required: true } } },
});
const max = GATEWAY_LIMITS.approvalsPendingPerCallerMax;

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server = new McpServer({ name: 'runner', version: '1' });
    server.registerTool('run', { inputSchema: z.looseObject({}) }, async () => ({ content: [] }));
    return server;
  });
});
afterAll(() => fixture.close());
const open = async (approvalWaitMs: number) => {
  gateway = await startTestGateway({
    servers: [{ id: 's', transport: 'http', url: fixture.url }],
    policy,
    approvalWaitMs,
  });
};
beforeEach(() => () => gateway.close());

const pending = () => gateway.store.list({ status: 'pending' }, 1_000, 0);
const codeOf = ({ result }: { result?: unknown }) =>
  (result as { _meta?: Record<string, { code: string }> })._meta?.['bindery/error']?.code;
const params = (n: number) => ({ name: 's__run', arguments: { n } });

test('a question whose client has left gives its place to one that is asked now', async () => {
  await open(60_000);
  const gone = new AbortController();
  const calls = Array.from({ length: max }, (_, n) =>
    requestModern(gateway.url, 'tools/call', params(n), { signal: gone.signal }).catch(() => 'gone'),
  );
  await until('all are asked', () => pending().length === max);
  gone.abort();
  await Promise.all(calls);
  await until('nobody waits any more', () => gateway.approvals.waiting === 0);
  const answer = requestModern(gateway.url, 'tools/call', params(max));
  await until('the new one is asked', () => gateway.approvals.waiting === 1);
  const expired = gateway.store.list({ status: 'expired' }, 10, 0);
  expect([pending().length, expired.length, pending().at(-1)?.arguments]).toEqual([max, 1, { n: max }]);
  gateway.approvals.stopWaiting();
  expect(codeOf(await answer)).toBe('APPROVAL_PENDING');
});

test('questions of clients that have to retry keep their places until the session ends', async () => {
  await open(1);
  const [full, other] = [await openSession(gateway.url), await openSession(gateway.url)];
  const ask = async (session: typeof full, n: number) => codeOf(await session.request('tools/call', params(n)));
  const first = await Promise.all(Array.from({ length: max }, (_, n) => ask(full, n)));
  expect(new Set(first)).toEqual(new Set(['APPROVAL_PENDING']));
  expect([await ask(full, max), await ask(other, max)]).toEqual(['TOO_MANY_APPROVALS', 'APPROVAL_PENDING']);
  await full.end();
  // Another session is not in need of a place, so what was left stays for whoever comes with the same call.
  expect([await ask(other, 0), pending().length]).toEqual(['APPROVAL_PENDING', max + 1]);
});
