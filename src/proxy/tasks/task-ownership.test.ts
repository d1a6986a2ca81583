import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { HttpFixture, legacyHttp } from '../../../test/fixtures/servers/http-server.ts';
import { openSession } from '../../../test/support/raw-client.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server that begins the task `task-1` at every call, and trims the ids that it is asked for. */
async function startServer(): Promise<HttpFixture> {
  const capabilities = { tools: {}, tasks: { list: {}, requests: { tools: { call: {} } } } };
  const tool = { name: 'run', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } };
  const fixture = await new HttpFixture(
    legacyHttp((reply) => {
      const { method, params } = reply.seen.message ?? {};
      if (method === 'initialize')
        reply.result({ protocolVersion: '2025-11-25', serverInfo: { name: 'db', version: '1' }, capabilities });
      else if (method === 'tools/list') reply.result({ tools: [tool] });
      else if (method === 'tools/call') reply.result({ task: { taskId: 'task-1', status: 'working' } });
      else if (method?.startsWith('tasks/'))
        reply.result({ taskId: String(Object(params).taskId).trim(), status: 'completed', secret: 'of ada' });
      else return false;
      return true;
    }),
  ).listen();
  ends.push(() => fixture.close());
  return fixture;
}

async function startGateway(fixture: HttpFixture, taskDatabase: DatabaseSync) {
  const gateway = await startTestGateway({
    servers: [{ id: 'db', transport: 'http', url: fixture.url, oauth: false }],
    profiles: [{ name: 'default', names: 'qualified', servers: ['db'] }],
    taskDatabase,
  });
  ends.push(gateway.close);
  const open = (caller: string) =>
    openSession(gateway.url, { capabilities: { tasks: {} }, headers: { authorization: `Bearer ${caller}` } });
  return { gateway, ada: await open('ada'), bob: await open('bob') };
}

const METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel'];
const NOT_FOUND = { code: -32602, message: 'Task not found' };

test('after a restart only the owner can read a task, by its exact id; an unknown task has no owner [gateway:WHO12] [gateway:R11]', async () => {
  const [fixture, database] = [await startServer(), new DatabaseSync(':memory:')];
  const first = await startGateway(fixture, database);
  const call = { name: 'db__run', arguments: {}, task: { ttl: 60_000 } };
  expect(await first.ada.request('tools/call', call)).toMatchObject({ result: { task: { taskId: 'task-1' } } });
  const { ada, bob } = await startGateway(fixture, database);
  const before = fixture.seen.length;
  for (const method of METHODS) {
    for (const taskId of ['task-1', ' task-1', 'task-1 ', 'task-1\t', 'TASK-1', 'task-2', ''])
      expect([method, taskId, (await bob.request(method, { taskId })).error]).toEqual([method, taskId, NOT_FOUND]);
    expect((await ada.request(method, { taskId: ' task-1' })).error).toEqual(NOT_FOUND);
  }
  expect(fixture.seen.slice(before).filter(({ message }) => message?.method?.startsWith('tasks/'))).toEqual([]);
  for (const method of METHODS)
    expect(await ada.request(method, { taskId: 'task-1' })).toMatchObject({ result: { taskId: 'task-1' } });
});

test('a server that hands out the id of another caller’s task gave a bad answer: the first owner keeps it [gateway:WHO12]', async () => {
  const { gateway, ada, bob } = await startGateway(await startServer(), new DatabaseSync(':memory:'));
  const call = { name: 'db__run', arguments: {}, task: { ttl: 60_000 } };
  await ada.request('tools/call', call);
  gateway.audit.length = 0;
  expect((await bob.request('tools/call', call)).result).toMatchObject({
    isError: true,
    _meta: { 'bindery/error': { code: 'UPSTREAM_ERROR' } },
  });
  expect(gateway.audit).toMatchObject([
    { phase: 'begin', caller: 'bob', decision: 'allow' },
    { phase: 'end', outcome: 'upstream_error' },
  ]);
  for (const method of METHODS) {
    expect((await bob.request(method, { taskId: 'task-1' })).error).toEqual(NOT_FOUND);
    expect(await ada.request(method, { taskId: 'task-1' })).toMatchObject({ result: { taskId: 'task-1' } });
  }
  // Its own caller may get the id again.
  expect(await ada.request('tools/call', call)).toMatchObject({ result: { task: { taskId: 'task-1' } } });
});

test('requests about tasks are recorded, those that were refused too [gateway:U1] [gateway:R11]', async () => {
  const { gateway, ada, bob } = await startGateway(await startServer(), new DatabaseSync(':memory:'));
  await ada.request('tools/call', { name: 'db__run', arguments: {}, task: { ttl: 60_000 } });
  gateway.audit.length = 0;
  await bob.request('tasks/get', { taskId: 'task-1' });
  await ada.request('tasks/get', { taskId: 'task-1' });
  gateway.setPolicy('{"allowlist":{"servers":["other"]}}');
  await ada.request('tasks/get', { taskId: 'task-1' });
  const of = { server: 'db', tool: 'tasks/get', name: 'tasks/get', arguments: { taskId: 'task-1' } };
  expect(gateway.audit).toMatchObject([
    { ...of, phase: 'single', caller: 'bob', decision: 'deny', rule: { rule: 'task_not_found' }, outcome: 'denied' },
    { ...of, phase: 'begin', caller: 'ada', decision: 'allow' },
    { phase: 'end', outcome: 'ok', result_sha256: expect.any(String) },
    { ...of, phase: 'single', caller: 'ada', decision: 'deny', rule: { rule: 'policy_denied' } },
  ]);
});
