import { expect, test } from 'vitest';
import { isObject } from '../../contract/json.ts';
import type { ClientRequest } from '../message/client.ts';
import { readClientMessage } from '../message/client-message.ts';
import { answerOf, CLIENT, exchangeOf, OfflineGateway } from '../testing/offline-gateway.ts';

const CLIENT_2026 = { ...CLIENT, era: '2026' as const, capabilities: { elicitation: {} } };
const QUESTION = {
  resultType: 'input_required',
  inputRequests: { a: { method: 'elicitation/create', params: { message: 'Who?' } } },
  requestState: 'theirs',
};

/** A 2026 server that asks once, and its client. */
function askingWorld() {
  const world = new OfflineGateway();
  world.upstream.era = '2026';
  world.upstream.answer = ({ params }) =>
    params.inputResponses ? '{"resultType":"complete","content":[]}' : JSON.stringify(QUESTION);
  const call = async (round = '', args = '{}') => {
    const text = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"s__t","arguments":${args}${round}}}`;
    const request = readClientMessage(Buffer.from(text)) as ClientRequest;
    return world.gateway.handle(CLIENT_2026, request, exchangeOf()).then(answerOf, (thrown) => ({ error: thrown }));
  };
  return { world, call };
}

test('a retry sends the server its own state and the answers, as bytes of ours, and the record has the masked answers', async () => {
  const { world, call } = askingWorld();
  const asked = (await call()) as { result: { requestState: string } };
  const answers = '{"a" : {"action":"accept","content":{"password":"hunter2","name":"Ada"}}}';
  const round = `,"inputResponses":${answers},"requestState":${JSON.stringify(asked.result.requestState)}`;
  await call(round);
  const { inputResponses, requestState } = world.upstream.sent.at(-1)?.params ?? {};
  expect([inputResponses, requestState]).toEqual([JSON.parse(answers), 'theirs']);
  const begun = world.audit.filter(({ phase }) => phase === 'begin').map((entry) => entry.answers);
  expect([begun[0], begun[1]]).toEqual([
    undefined,
    { a: { action: 'accept', content: { password: expect.not.stringContaining('hunter2'), name: 'Ada' } } },
  ]);
});

test.each([
  '{"a":{"action":"decline","action":"accept"}}',
  '{"a":{"action":"decline","Action":"accept"}}',
  '{"a":{"action":"decline"},"A":{"action":"accept"}}',
  '{"a":{"action":"accept","content":{"x":[{"y":1,"y":2}]}}}',
])('answers that two parsers read differently are refused and recorded: %s [gateway:E8]', async (answers) => {
  const { world, call } = askingWorld();
  const asked = (await call()) as { result: { requestState: string } };
  const refused = await call(
    `,"inputResponses":${answers},"requestState":${JSON.stringify(asked.result.requestState)}`,
  );
  expect([refused.error, world.upstream.sent.length, world.audit.at(-1)]).toMatchObject([
    { code: -32600, data: { code: 'INVALID_ARGUMENTS' } },
    1,
    { phase: 'single', outcome: 'denied', rule: { rule: 'invalid_request' } },
  ]);
});

test('a record cannot hold answers without a canonical form, so they are refused', async () => {
  const { world, call } = askingWorld();
  const refused = await call(',"inputResponses":{"a":{"action":"\\ud800"}},"requestState":"x"');
  expect([isObject(refused.error) && refused.error.code, world.upstream.sent]).toEqual([-32602, []]);
});

test.each(['2025', '2026'] as const)('a 2025 server cannot ask a %s client by a result [gateway:E6]', async (era) => {
  const world = new OfflineGateway();
  world.upstream.answer = () => JSON.stringify(QUESTION);
  const client = { era, capabilities: { elicitation: {} } };
  const { result } = await world.request('tools/call', { name: 's__t', arguments: {} }, client);
  expect([JSON.stringify(result), world.audit.at(-1)]).toMatchObject([
    expect.stringMatching(/^(?!.*Who).*UPSTREAM_ERROR/s),
    { phase: 'end', outcome: 'upstream_error' },
  ]);
});
