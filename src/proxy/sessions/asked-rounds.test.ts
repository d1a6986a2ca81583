import { expect, test } from 'vitest';
import { CLIENT, requestOf } from '../testing/offline-gateway.ts';
import { AskedRounds } from './asked-rounds.ts';

const [current, previous, other] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const target = { server: 's', tool: 't' };
const YES = { action: 'accept' };
const callOf = (params: object = {}, more: object = {}, method = 'tools/call') => ({
  client: CLIENT,
  request: requestOf(method, { name: 's__t', arguments: { x: 1 }, ...params }),
  target,
  ...more,
});
const rounds = new AskedRounds([current, previous]);
const requestState = rounds.sign(callOf(), ['a', 'b'], 'theirs');
const answers = { requestState, inputResponses: { a: YES } };
const read = (call: ReturnType<typeof callOf>) => {
  try {
    return rounds.read(call);
  } catch (thrown) {
    return (thrown as { code: number }).code;
  }
};

test('a server gets its own state and the answers to its questions, and none to ours', () => {
  expect([
    read(callOf(answers)),
    read(callOf({ requestState, inputResponses: { a: YES, b: {}, bindery_sign_in: YES } })),
    read(callOf({ requestState })),
    read(callOf({ requestState: rounds.sign(callOf(), ['a'], undefined), inputResponses: { a: YES } })),
    read(callOf()),
    read(callOf({ inputResponses: { bindery_sign_in: YES }, requestState: '' })),
    read(callOf({ inputResponses: { question_1: YES }, requestState: 'bh1.held' })),
  ]).toEqual([
    { inputResponses: { a: YES }, requestState: 'theirs' },
    { inputResponses: { a: YES, b: {} }, requestState: 'theirs' },
    { requestState: 'theirs' },
    { inputResponses: { a: YES } },
    undefined,
    undefined,
    undefined,
  ]);
});

test('a state of the previous key counts, as after a restart or at another node; one of a foreign key does not', () => {
  const signedWith = (key: Buffer) => new AskedRounds([key]).sign(callOf(), ['a'], 'theirs');
  expect([current, previous, other].map((key) => read(callOf({ requestState: signedWith(key) })))).toEqual([
    { requestState: 'theirs' },
    { requestState: 'theirs' },
    -32602,
  ]);
});

test.each([
  ['another caller', callOf(answers, { client: { ...CLIENT, caller: 'key:2' } })],
  ['another profile', callOf(answers, { client: { ...CLIENT, profile: 'other' } })],
  ['another server', callOf(answers, { target: { ...target, server: 'u' } })],
  ['another tool', callOf(answers, { target: { ...target, tool: 'u' } })],
  ['other arguments', callOf({ ...answers, arguments: { x: 2 } })],
  ['another method', callOf(answers, {}, 'prompts/get')],
  ['a modified state', callOf({ ...answers, requestState: requestState.replace('.', '.e') })],
  ['a made-up state', callOf({ ...answers, requestState: 'forged' })],
  ['a state that is no text', callOf({ ...answers, requestState: { a: 1 } })],
  ['no state', callOf({ inputResponses: { a: YES } })],
  ['a key that was not asked', callOf({ ...answers, inputResponses: { a: YES, c: YES } })],
  ['an answer that is no object', callOf({ ...answers, inputResponses: { a: 'accept' } })],
  ['answers that are no object', callOf({ ...answers, inputResponses: [YES] })],
])('answers with %s are refused [gateway:V7]', (_what, call) => {
  expect(read(call)).toBe(-32602);
});
