import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signHeldState } from './held-state.ts';
import { type NodePass, readNodePass, signNodePass } from './node-pass.ts';
import { signSession } from './session-id.ts';

const key = Buffer.alloc(32, 1);
const pass: NodePass = { from: 'one', caller: 'key:k1', profile: 'team', nonce: 'n', expiresAt: 1_000 };

test('a pass is valid until it expires, with the current key and the previous one [gateway:R4]', () => {
  const text = signNodePass(pass, key);
  const other = Buffer.alloc(32, 2);
  expect([
    readNodePass(text, [key], 999),
    readNodePass(text, [other, key], 0),
    readNodePass(text, [other], 0),
    readNodePass(text, [key], 1_000),
  ]).toEqual([pass, pass, undefined, undefined]);
});

test('neither a changed text nor another signature of the same keys is a pass [gateway:R4]', () => {
  const text = signNodePass(pass, key);
  const session = signSession({ s: 's', i: 0, v: 'v', p: 'team', u: 'key:k1', c: {} }, key);
  const held = signHeldState({ node: 'one', handle: 'h', digest: 'd' }, key);
  const renamed = [session, held].map((one) => `bn1.${one.split('.').slice(1).join('.')}`);
  expect([session, held, ...renamed, ''].map((one) => readNodePass(one, [key], 0))).toEqual(Array(5).fill(undefined));
  fc.assert(
    fc.property(fc.nat({ max: text.length - 2 }), fc.constantFrom('A', 'b', '.', '~', ''), (index, character) => {
      const changed = text.slice(0, index) + character + text.slice(index + 1);
      if (changed !== text) expect(readNodePass(changed, [key], 0)).toBeUndefined();
    }),
  );
});
