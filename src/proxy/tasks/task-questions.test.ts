import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { answerOf, CLIENT, exchangeOf, OFFER, OfflineGateway } from '../testing/offline-gateway.ts';

const EXTENSION = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const CLIENT_2026 = { ...CLIENT, era: '2026' as const, capabilities: { ...EXTENSION, elicitation: {} } };
const FORM = { method: 'elicitation/create', params: { message: 'Who?', note: 'Bindery asks' } };
const YES = { action: 'accept', content: { password: 'hunter2', name: 'Ada' } };
const asking = (inputRequests: unknown): JsonObject => ({ taskId: 't-1', status: 'input_required', inputRequests });

/** A 2026 server whose tasks ask what `task` says. */
function taskWorld(task: JsonObject = asking({ a: FORM })) {
  const world = new OfflineGateway({
    tasks: { check: () => {}, note: async () => true, ownList: () => undefined } as never,
  });
  world.setOffers({ ...OFFER, era: '2026', capabilities: { tools: {}, ...EXTENSION } });
  world.upstream.era = '2026';
  world.upstream.answer = () => JSON.stringify({ resultType: 'complete', ...task });
  const request = (method: string, params: object, client: object = {}) =>
    world.request(method, { taskId: 't-1', ...params }, { ...CLIENT_2026, ...client });
  const shown = async () =>
    ((await request('tasks/get', {})) as { result: { inputRequests: Record<string, { params: object }> } }).result
      .inputRequests;
  return { world, request, shown };
}

test('a question of a task names its server, is built from known members, and its answer reaches the server and the record [gateway:V7] [gateway:E6]', async () => {
  const { world, request, shown } = taskWorld();
  const questions = await shown();
  const [key = ''] = Object.keys(questions);
  expect([key, questions]).toEqual([
    expect.stringMatching(/^a\.[\w-]{43}$/),
    { [key]: { method: 'elicitation/create', params: { message: '[server s asks] Who?' } } },
  ]);
  // A client that polls sees one question, not two.
  expect(await shown()).toEqual(questions);
  await request('tasks/update', { inputResponses: { [key]: YES }, requestState: 'http://evil.example/' });
  expect(world.upstream.sent.at(-1)?.params).toEqual({ taskId: 't-1', inputResponses: { a: YES } });
  expect(world.audit.at(-2)).toMatchObject({
    phase: 'begin',
    tool: 'tasks/update',
    answers: { a: { action: 'accept', content: { password: expect.not.stringContaining('hunter2'), name: 'Ada' } } },
  });
});

test('answers that the task did not ask this caller for reach no server, and each try is recorded [gateway:V7] [gateway:E8]', async () => {
  const { world, request, shown } = taskWorld();
  const [key = ''] = Object.keys(await shown());
  const tries: [object, object?][] = [
    [{ inputResponses: { a: YES } }],
    [{ inputResponses: { [`${key}x`]: YES } }],
    [{ inputResponses: { [key.replace('a.', 'b.')]: YES } }],
    [{ inputResponses: { [key]: YES, bindery_approval: YES } }],
    [{ inputResponses: { [key]: 'accept' } }],
    [{ inputResponses: [YES] }],
    [{ inputResponses: { [key]: { action: 'decline', Action: 'accept' } } }],
    [{ inputResponses: { [key]: { action: '\ud800' } } }],
    [{ inputResponses: { [key]: YES }, taskId: 't-2' }],
    [{ inputResponses: { [key]: YES } }, { caller: 'key:2' }],
  ];
  const before = world.upstream.sent.length;
  for (const [params, client] of tries) {
    world.audit.length = 0;
    const { error } = await request('tasks/update', params, client);
    expect([params, error?.data, world.audit]).toMatchObject([
      params,
      { code: 'INVALID_ARGUMENTS' },
      [{ phase: 'single', decision: 'deny', rule: { rule: 'invalid_arguments' }, outcome: 'denied' }],
    ]);
    expect(world.audit[0]).not.toHaveProperty('answers');
  }
  expect(world.upstream.sent.length).toBe(before);
});

test.each([
  ['a method that clients lack', { a: { method: 'tools/call', params: {} } }],
  ['a method that this client did not declare', { a: { method: 'sampling/createMessage', params: {} } }],
  ['a page that is not safe', { a: { ...FORM, params: { mode: 'url', message: 'x', url: 'javascript:alert(1)' } } }],
  ['a key of ours', { bindery_approval: FORM }],
  ['a list', [FORM]],
])('a task that asks with %s shows no question [gateway:E6]', async (_what, inputRequests) => {
  const { request } = taskWorld(asking(inputRequests));
  const answer = await request('tasks/get', {});
  expect([answer.result, 'error' in answer]).toEqual([undefined, true]);
});

test('a result that is no question and no task cannot ask, in any spelling [gateway:E6]', async () => {
  for (const name of ['inputRequests', 'InputRequests', String.raw`input\u0052equests`]) {
    const { world } = taskWorld();
    world.upstream.answer = () =>
      `{"resultType":"task","taskId":"t-1","status":"input_required","${name}":${JSON.stringify({ a: FORM })}}`;
    const request = readClientMessage(
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"s__t","arguments":{}}}'),
    ) as ClientRequest;
    const answer = answerOf(await world.gateway.handle(CLIENT_2026, request, exchangeOf()));
    expect([name, answer.result]).toMatchObject([name, { _meta: { 'bindery/error': { code: 'UPSTREAM_ERROR' } } }]);
  }
});
