import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession } from '../../../test/support/raw-client.ts';
import { type RunningFixture, startSessionFixture } from '../testing/fixture-server.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const capabilities = { elicitation: { form: {} }, tasks: { requests: { elicitation: { create: {} } } } };
const research = {
  name: 'simulate-research-query',
  arguments: { topic: 'tides', ambiguous: false },
  task: { ttl: 60_000 },
};

let fixture: RunningFixture;
let gateway: Awaited<ReturnType<typeof startTestGateway>>;

beforeAll(async () => {
  fixture = await startSessionFixture();
  gateway = await startTestGateway({
    servers: [
      { id: 'everything', transport: 'stdio', command: process.execPath, args: [everything, 'stdio'], cwd: '/' },
      { id: 'notes', transport: 'http', url: fixture.url },
    ],
    profiles: [
      { name: 'default', names: 'qualified' },
      { name: 'alone', names: 'qualified', servers: ['everything'] },
      { name: 'bare', names: 'bare', servers: ['everything'] },
    ],
  });
});
afterAll(async () => {
  await gateway.close();
  await fixture.close();
});

test.each([
  ['alone', 'everything__'],
  ['bare', ''],
])(
  'a task of the only server of a profile (%s) is begun, followed and brought home [gateway:R11]',
  async (profile, prefix) => {
    const session = await openSession(`${gateway.url}/${profile}`, { capabilities });
    expect(session.introduction.capabilities).toMatchObject({ tasks: { list: {} } });
    const begun = await session.request('tools/call', { ...research, name: `${prefix}${research.name}` });
    const { taskId } = (begun.result as { task: { taskId: string } }).task;
    expect(await session.request('tasks/get', { taskId })).toMatchObject({ result: { taskId, status: 'working' } });
    expect(await session.request('tasks/list')).toMatchObject({ result: { tasks: [{ taskId }] } });
    const result = (await session.request('tasks/result', { taskId })).result as { content: { text: string }[] };
    expect(result.content[0]?.text).toContain('tides');
  },
);

test('if policy denies a server, it denies its tasks, too [gateway:R11]', async () => {
  const session = await openSession(`${gateway.url}/alone`, { capabilities });
  const begun = await session.request('tools/call', { ...research, name: `everything__${research.name}` });
  const { taskId } = (begun.result as { task: { taskId: string } }).task;
  gateway.setPolicy('{"allowlist":{"servers":["notes"]}}');
  const refused = await session.request('tasks/get', { taskId });
  gateway.setPolicy('{"allowlist":{"servers":["*"]}}');
  expect(refused.error?.data).toMatchObject({ code: 'POLICY_DENIED' });
  expect(await session.request('tasks/get', { taskId })).toMatchObject({ result: { taskId } });
});

test('another session does not see the task', async () => {
  const [owner, other] = [
    await openSession(`${gateway.url}/alone`, { capabilities }),
    await openSession(`${gateway.url}/alone`, { capabilities }),
  ];
  const begun = await owner.request('tools/call', { ...research, name: `everything__${research.name}` });
  const { taskId } = (begun.result as { task: { taskId: string } }).task;
  expect(await other.request('tasks/list')).toMatchObject({ result: { tasks: [] } });
  expect(await other.request('tasks/get', { taskId })).toHaveProperty('error');
});

test('a task on a connection that callers share is its caller’s alone [gateway:WHO12] [gateway:R11]', async () => {
  const open = (caller: string) =>
    openSession(`${gateway.url}/alone`, {
      capabilities: { tasks: {} },
      headers: { authorization: `Bearer ${caller}` },
    });
  const [ada, adaElsewhere, grace] = [await open('ada'), await open('ada'), await open('grace')];
  const begun = await ada.request('tools/call', { ...research, name: `everything__${research.name}` });
  const { taskId } = (begun.result as { task: { taskId: string } }).task;
  expect([
    await adaElsewhere.request('tasks/get', { taskId }),
    await grace.request('tasks/get', { taskId }),
    await grace.request('tasks/cancel', { taskId }),
    await grace.request('tasks/result', { taskId }),
    await adaElsewhere.request('tasks/list'),
    await grace.request('tasks/list'),
  ]).toEqual([
    expect.objectContaining({ result: expect.objectContaining({ taskId }) }),
    ...Array.from({ length: 3 }, () => expect.objectContaining({ error: { code: -32602, message: 'Task not found' } })),
    expect.objectContaining({ result: expect.objectContaining({ tasks: [expect.objectContaining({ taskId })] }) }),
    expect.objectContaining({ result: expect.objectContaining({ tasks: [] }) }),
  ]);
});

test('a profile with several servers has no tasks, and a call is answered when it is done', async () => {
  const session = await openSession(gateway.url, { capabilities });
  expect(session.introduction.capabilities).not.toHaveProperty('tasks');
  expect(await session.request('tasks/get', { taskId: 'x' })).toMatchObject({ error: { code: -32601 } });
  const answer = await session.request('tools/call', {
    name: 'notes__echo',
    arguments: { text: 'hi' },
    task: { ttl: 1_000 },
  });
  expect(answer).toMatchObject({ result: { content: [{ type: 'text', text: 'hi' }] } });
});
