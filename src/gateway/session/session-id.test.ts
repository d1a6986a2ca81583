import fc from 'fast-check';
import { expect, test } from 'vitest';
import { capabilityClaims, readSession, type SessionClaims, signSession } from './session-id.ts';

const key = Buffer.alloc(32, 1);
const claims: SessionClaims = {
  s: 'abcdefghijklmnopqrstuv',
  i: 1_000,
  v: '2025-11-25',
  p: 'default',
  u: 'local',
  c: { roots: {} },
};
const id = signSession(claims, key);

test('an id is valid with the current key and the previous one [gateway:S1] [gateway:S2]', () => {
  expect(id).toMatch(/^bs1\.[\w-]+\.[\w-]{43}$/);
  expect(readSession(id, [key], 1_000_000)).toEqual(claims);
  expect(readSession(id, [Buffer.alloc(32, 2), key], 1_000_000)).toEqual(claims);
});

test('with another key, a day later, or with a changed character an id is invalid [gateway:S2]', () => {
  expect(readSession(id, [Buffer.alloc(32, 2)], 1_000_000)).toBeUndefined();
  expect(readSession(id, [key], (1_000 + 86_399) * 1_000)).toEqual(claims);
  expect(readSession(id, [key], (1_000 + 86_400) * 1_000)).toBeUndefined();
  fc.assert(
    fc.property(fc.nat({ max: id.length - 1 }), fc.constantFrom('A', 'b', '.', '~', ''), (at, character) => {
      const changed = id.slice(0, at) + character + id.slice(at + 1);
      // The last base64url character has two unused bits: texts that decode to the same bytes are the same id.
      const same = Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
        Buffer.from(id.split('.')[2] as string, 'base64url'),
      );
      if (changed.split('.').slice(0, 2).join('.') === id.split('.').slice(0, 2).join('.') && same) return;
      expect(readSession(changed, [key], 1_000_000)).toBeUndefined();
    }),
  );
});

test('any text is rejected or read, and never throws [gateway:S2]', () => {
  fc.assert(fc.property(fc.string(), (text) => readSession(text, [key], 0) === undefined));
});

test('long capabilities are replaced by their digest [gateway:S1]', () => {
  expect(capabilityClaims({ roots: {} })).toEqual({ c: { roots: {} } });
  expect(capabilityClaims({ experimental: { text: 'x'.repeat(300) } })).toEqual({
    h: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});
