import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callerName, readIdentity } from './token-identity.ts';

test('two people never have the same caller name, whatever their issuers call them', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (issuerA, subjectA, issuerB, subjectB) => {
      const same = issuerA === issuerB && subjectA === subjectB;
      expect(callerName(issuerA, subjectA) === callerName(issuerB, subjectB)).toBe(same);
    }),
  );
});

test('a caller name is one short word, so that it fits into a session id and a log line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (subject) => {
      expect(callerName('https://login.example', subject)).toMatch(/^user:[A-Za-z0-9._@|+-]{0,64}#[\w-]{16}$|^user:_/);
      expect(callerName('https://login.example', subject).length).toBeLessThan(90);
    }),
  );
});

test('claims without a subject, an audience and an expiry are no identity', () => {
  const claims = { iss: 'https://login.example', sub: 'ada', aud: ['a', 'b'], exp: 10, scope: 'x y', scp: ['z'] };
  expect([
    readIdentity(claims),
    readIdentity({ ...claims, sub: '' }),
    readIdentity({ ...claims, sub: 7 }),
    readIdentity({ ...claims, aud: [] }),
    readIdentity({ ...claims, exp: '10' }),
  ]).toEqual([
    {
      issuer: 'https://login.example',
      subject: 'ada',
      caller: callerName('https://login.example', 'ada'),
      audiences: ['a', 'b'],
      scopes: ['x', 'y', 'z'],
      expiresAt: 10_000,
    },
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
