import { expect, test } from 'vitest';
import { signNodePass } from '../../gateway/session/node-pass.ts';
import { OwnProcesses } from './own-processes.ts';

const key = Buffer.alloc(32, 1);
const unused = () => {
  throw new Error('not part of this');
};

test('the word of a node opens one profile for one caller, once and for a minute [gateway:R4]', () => {
  let now = 0;
  const processes = new OwnProcesses({
    node: 'one',
    keys: [key],
    claims: undefined as never,
    gateway: unused,
    now: () => now,
    onError: unused,
  });
  const text = (nonce: string) =>
    signNodePass({ from: 'two', caller: 'user:1', user: 'ada', profile: 'team', nonce, expiresAt: 60_000 }, key);
  const admit = (word: string | undefined, profile = 'team') => {
    try {
      return processes.callerOf(word === undefined ? {} : { 'x-bindery-node': word }, profile);
    } catch (thrown) {
      return (thrown as { httpStatus: number }).httpStatus;
    }
  };
  const caller = { name: 'user:1', fromNode: 'two' };
  const seen = [admit(undefined), admit(text('a')), admit(text('a')), admit(text('b'), 'default'), admit('bn1.e30.AA')];
  now = 60_000;
  const users = ['user:1', 'user:2'].map((name) => processes.userOf(name));
  expect([...seen, admit(text('c')), users]).toEqual([undefined, caller, 401, 401, 401, 401, ['ada', undefined]]);
});
