import { expect, test } from 'vitest';
import { signNodePass } from '../../gateway/session/node-pass.ts';
import { NodePasses } from './node-passes.ts';

const key = Buffer.alloc(32, 1);

test('the word of a node opens one profile for one caller, once and for a minute [gateway:R4]', () => {
  let now = 0;
  const passes = new NodePasses({ node: 'one', keys: [key], userOf: () => undefined, now: () => now });
  const text = (nonce: string) =>
    signNodePass({ from: 'two', caller: 'user:1', user: 'ada', profile: 'team', nonce, expiresAt: 60_000 }, key);
  const admit = (word: string | undefined, profile = 'team') => {
    try {
      return passes.callerOf(word === undefined ? {} : { 'x-bindery-node': word }, profile);
    } catch (thrown) {
      return (thrown as { httpStatus: number }).httpStatus;
    }
  };
  const caller = { name: 'user:1', fromNode: 'two' };
  const seen = [admit(undefined), admit(text('a')), admit(text('a')), admit(text('b'), 'default'), admit('bn1.e30.AA')];
  now = 60_000;
  const users = ['user:1', 'user:2'].map((name) => passes.userOf(name));
  expect([...seen, admit(text('c')), users]).toEqual([undefined, caller, 401, 401, 401, 401, ['ada', undefined]]);
});
