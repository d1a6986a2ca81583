import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ApprovalState, isOurState, readState, signState } from './request-state.ts';

const [present, before, another] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const keys = [present, before];
const state: ApprovalState = {
  approval: 'apr_1',
  caller: 'me',
  profile: 'default',
  server: 's',
  tool: 't',
  arguments_sha256: 'abc',
};

test('a state is valid with any of the keys [gateway:V7] [gateway:S2]', () => {
  expect([readState(signState(state, present), keys), readState(signState(state, before), keys)]).toEqual([
    state,
    state,
  ]);
});

test('a state is invalid with another key, an empty one, no signature, or a changed or moved one [gateway:V7]', () => {
  const signed = signState(state, present);
  const [prefix, payload, signature] = signed.split('.') as [string, string, string];
  const other = Buffer.from(JSON.stringify({ ...state, caller: 'you' })).toString('base64url');
  const bare = createHmac('sha256', present).update(payload).digest('base64url');
  const forged = [
    signState(state, another),
    signState(state, Buffer.alloc(0)),
    signState(state, Buffer.alloc(32)),
    `${prefix}.${payload}.`,
    `${prefix}.${payload}`,
    `${prefix}.${other}.${signature}`,
    `${prefix}.${payload}.${bare}`,
    `bh1.${payload}.${signature}`,
    `${signed}.more`,
    `${prefix}.${payload}.${signature.slice(0, -2)}`,
  ];
  expect(forged.map((text) => readState(text, keys))).toEqual(forged.map(() => undefined));
  expect(['ba1.x', 'ba1', 'theirs', 7].map(isOurState)).toEqual([true, false, false, false]);
});
