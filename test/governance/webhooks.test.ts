import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Approval } from '../../src/gateway/approval/approval.ts';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { type BinderyHome, createHome, type RunningBindery, startBindery } from '../support/running-bindery.ts';
import { isSigned, startWebhookReceiver } from '../support/webhook-receiver.ts';

const SECRET = 'a secret of the receiver';
const policy = { servers: ['s'], operations: { echo: { approval_required: true } } };
let fixture: RunningFixture;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
let home: BinderyHome;
let bindery: RunningBindery | undefined;

beforeAll(async () => {
  fixture = await startModernFixture();
});
afterAll(() => fixture.close());
afterEach(async () => {
  await bindery?.stop();
  bindery = undefined;
  await receiver.close();
  await home.remove();
});

async function start(webhook: object): Promise<RunningBindery> {
  await home.writeConfig({
    version: 1,
    mcp: { servers: { s: { transport: 'http', url: fixture.url } } },
    gateway: { approval: { wait_ms: 100 }, approvals: { webhooks: [webhook] } },
  });
  await writeFile(`${home.cwd}/project_mcp.json`, JSON.stringify({ allowlist: policy }));
  bindery = await startBindery({ ...home, env: { ...home.env, HOOK_SECRET: SECRET } });
  await untilListed(bindery.url, 's__fail', {});
  return bindery;
}

async function open(): Promise<void> {
  receiver = await startWebhookReceiver();
  home = await createHome({});
}

const hook = () => ({ url: receiver.url, secret_env: 'HOOK_SECRET', allow_private: true });
const ask = (text: string) => callTool(bindery?.url ?? '', 's__echo', { text });

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let count = 0; count < 500; count += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not happen');
}

test('a question is told once, signed, with secrets masked, however often the same call comes back', async () => {
  await open();
  await start(hook());
  await ask('password=hunter2hunter2');
  await ask('password=hunter2hunter2');
  await until(() => receiver.received.length > 0);
  await ask('password=hunter2hunter2');
  const [first] = receiver.received;
  if (!first) throw new Error('nothing was received');
  const message = JSON.parse(first.body) as { type: string; data: Approval };
  expect([receiver.received.length, isSigned(first, SECRET), isSigned(first, 'another')]).toEqual([1, true, false]);
  expect(first.headers['webhook-id']).toBe(message.data.id);
  expect(first.body).not.toContain('hunter2');
  expect(message).toMatchObject({
    type: 'approval.created',
    data: { server: 's', tool: 'echo', name: 's__echo', profile: 'default' },
  });
});

test('a delivery that failed is retried until the receiver takes it, also after a restart', async () => {
  await open();
  receiver.statuses.push(503, 429);
  const running = await start(hook());
  await ask('again');
  await until(() => receiver.received.length === 1);
  await running.stop('SIGKILL');
  bindery = undefined;
  await start(hook());
  await until(() => receiver.received.length === 3);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
});

test('a refusal of the receiver and a redirect are final, and are logged', async () => {
  await open();
  receiver.statuses.push(302, 404);
  const running = await start(hook());
  await ask('one');
  await until(() => running.stderr().includes('it answered 302'));
  await ask('two');
  await until(() => running.stderr().includes('it answered 404'));
  await ask('three');
  await until(() => receiver.received.length === 3);
});

test('a question that was decided meanwhile is not told any more', async () => {
  await open();
  receiver.statuses.push(503);
  const running = await start(hook());
  await ask('decided');
  await until(() => receiver.received.length === 1);
  const { body } = await running.api('GET', '/v1/approvals?status=pending');
  const [question] = (body as { items: Approval[] }).items;
  await running.api('POST', `/v1/approvals/${question?.id}/decision`, { decision: 'deny' });
  await ask('other');
  await until(() => receiver.received.length === 2);
  expect(receiver.received.map(({ body: text }) => JSON.parse(text).data.arguments.text)).toEqual(['decided', 'other']);
});

test('a private address is not dialled unless the config allows it', async () => {
  await open();
  const running = await start({ ...hook(), url: receiver.url.replace('http:', 'https:'), allow_private: false });
  await ask('private');
  await until(() => running.stderr().includes('is not public'));
  expect(receiver.received).toEqual([]);
});

test.each([
  ['no secret', { url: 'https://hooks.example/x' }, 'either secret_env or secret_file'],
  ['two secrets', { url: 'https://hooks.example/x', secret_env: 'A', secret_file: 'b' }, 'either secret_env or'],
  ['plain HTTP', { url: 'http://hooks.example/x', secret_env: 'A' }, 'begins with https://'],
])('a webhook with %s is refused by name', async (_title, webhook, reason) => {
  await open();
  const running = await start(webhook);
  await until(() => running.stderr().includes(reason));
  expect(running.stderr()).toContain('gateway.approvals');
});
