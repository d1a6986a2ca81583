import { expect, test } from 'vitest';
import { parseSigningKey } from '../store/bind/signing-key.ts';
import { Answers, answerEtag } from './answers.ts';
import type { Descriptor } from './collapse.ts';
import { toPublicKeyText } from './public-key.ts';
import { type SignedDescriptor, signDescriptor, verifyDescriptor } from './signed-descriptor.ts';
import { mcp, newKeyPem, policy, tableOf, url } from './testing/zones.ts';

const NOW = Date.UTC(2026, 0, 1);
const old = parseSigningKey(newKeyPem());
const descriptor: Descriptor = {
  identity: 'ai://acme',
  mode: 'mcp',
  endpoint: url('a'),
  capabilities: ['search'],
  ttl: 3600,
  source: 'authoritative',
};
const signed = signDescriptor(descriptor, old.signer, NOW);
const verify = (candidate: object, nowMs = NOW) =>
  verifyDescriptor(candidate as Record<string, unknown>, old.published, nowMs);

test('[bind:N2] a signed descriptor verifies, also when its ttl has shrunk in a cache or a trace was added', () => {
  const valid = { valid: true, kid: old.signer.kid, expires_at: '2026-01-01T02:00:00.000Z' };
  expect([verify(signed), verify({ ...signed, ttl: 5 }), verify({ ...signed, trace: {} })]).toEqual([
    valid,
    valid,
    valid,
  ]);
  expect(signed.signature).toMatchObject({
    kid: old.signer.kid,
    alg: 'EdDSA',
    value: expect.stringMatching(/^[\w-]+\.\.[\w-]+$/),
    signed_at: '2026-01-01T00:00:00.000Z',
  });
});

test('the order of members plays no part', () => {
  expect(verify(Object.fromEntries(Object.entries(signed).reverse())).valid).toBe(true);
});

test('[bind:N2] whatever is changed, added or taken away breaks the signature', () => {
  const { signature } = signed;
  const changed: [object, string][] = [
    [{ ...signed, endpoint: url('evil') }, 'bad_signature'],
    [{ ...signed, identity: 'ai://other' }, 'bad_signature'],
    [{ ...signed, capabilities: ['search', 'pay'] }, 'bad_signature'],
    [{ ...signed, key: 'ed25519:x' }, 'bad_signature'],
    [{ ...signed, capabilities: undefined }, 'bad_signature'],
    [{ ...signed, signature: { ...signature, expires_at: '2030-01-01T00:00:00.000Z' } }, 'bad_signature'],
    [{ ...signed, signature: { ...signature, signed_at: '2025-01-01T00:00:00.000Z' } }, 'bad_signature'],
    [{ ...signed, signature: { ...signature, kid: 'other' } }, 'malformed'],
    [{ ...signed, signature: { ...signature, value: 'x' } }, 'malformed'],
    [{ ...signed, signature: { ...signature, value: signature.value.replace('..', '.e30.') } }, 'malformed'],
    [{ ...signed, signature: null }, 'malformed'],
    [{ ...signed, signature: { ...signature, expires_at: 'never' } }, 'malformed'],
    [descriptor, 'unsigned'],
  ];
  expect(changed.map(([candidate]) => verify(candidate))).toEqual(
    changed.map(([, reason]) => ({ valid: false, reason })),
  );
});

test('[bind:N2] a signature ends, and one from the future is not accepted', () => {
  expect([
    verify(signed, NOW + 2 * 3600_000),
    verify(signed, NOW + 2 * 3600_000 - 1).valid,
    verify(signed, NOW - 61_000),
    verify(signed, NOW - 59_000).valid,
  ]).toEqual([{ valid: false, reason: 'expired' }, true, { valid: false, reason: 'not_yet_valid' }, true]);
});

test('a header that asks for another algorithm or for extensions is refused', () => {
  const forge = (header: object) => {
    const [, , tail] = signed.signature.value.split('.');
    return {
      ...signed,
      signature: {
        ...signed.signature,
        value: `${Buffer.from(JSON.stringify(header)).toString('base64url')}..${tail}`,
      },
    };
  };
  const { kid } = old.signer;
  expect(
    [forge({ alg: 'none', kid }), forge({ alg: 'HS256', kid }), forge({ alg: 'EdDSA', kid, crit: ['b64'] })].map(
      (one) => verify(one),
    ),
  ).toEqual(Array(3).fill({ valid: false, reason: 'malformed' }));
});

test('[bind:N2] after a rotation both keys verify, and a key that was taken out no longer does', () => {
  const [oldPem, newPem] = [newKeyPem(), newKeyPem()];
  const before = parseSigningKey(oldPem);
  const during = parseSigningKey(`${newPem}\n${oldPem}`);
  const after = parseSigningKey(newPem);
  const bySigner = (signing: typeof before) => signDescriptor(descriptor, signing.signer, NOW);
  const check = (one: SignedDescriptor, signing: typeof before) =>
    verifyDescriptor({ ...one }, signing.published, NOW).valid;
  expect([
    check(bySigner(before), during),
    check(bySigner(during), during),
    check(bySigner(during), after),
    check(bySigner(before), after),
  ]).toEqual([true, true, true, false]);
  expect(during.signer.kid).toBe(after.signer.kid);
});

test('a key may be pinned as the text of a KEY record', () => {
  const pinned = toPublicKeyText(Buffer.from(old.published[0]?.x as string, 'base64url'));
  expect(verifyDescriptor({ ...signed }, [pinned], NOW).valid).toBe(true);
  expect(verifyDescriptor({ ...signed }, [toPublicKeyText(Buffer.alloc(32, 7))], NOW)).toEqual({
    valid: false,
    reason: 'unknown_key',
  });
});

test('an answer keeps its signature and its tag until it must be renewed or its zone changes', () => {
  let now = NOW;
  const zones = tableOf({ acme: [mcp(url('a'))], other: [mcp(url('o'))] });
  const answers = new Answers({ zones, policy, clock: { now: () => now }, signing: () => old });
  const ask = () => {
    const answer = answers.answer({ name: 'acme', mode: 'mcp' });
    if (!answer.ok) throw new Error(answer.failure.code);
    return answerEtag(answer.body);
  };
  const first = ask();
  now += 1800_000;
  zones.set('other', Buffer.from('{"identity":"other","records":[]}'));
  const second = ask();
  now += 1800_000;
  const renewed = ask();
  zones.set('acme', Buffer.from(JSON.stringify({ identity: 'acme', records: [mcp(url('b'))] })));
  expect([second === first, renewed === first, ask() === renewed]).toEqual([true, false, false]);
});

test('[bind:K2] answers are signed by the key of now: one that was kept under the key of before is signed anew', () => {
  const zones = tableOf({ acme: [mcp(url('a'))] });
  let signing: ReturnType<typeof parseSigningKey> | undefined = old;
  const answers = new Answers({ zones, policy, clock: { now: () => NOW }, signing: () => signing });
  const kid = () => {
    const answer = answers.answer({ name: 'acme', mode: 'mcp' });
    return answer.ok && 'signature' in answer.body ? answer.body.signature?.kid : undefined;
  };
  const next = parseSigningKey(newKeyPem());
  const [before, version] = [kid(), answers.version];
  expect(answers.version).toBe(version);
  signing = next;
  expect([before, answers.version === version, kid()]).toEqual([old.signer.kid, false, next.signer.kid]);
  signing = undefined;
  expect(kid()).toBeUndefined();
});

test('a key file without an Ed25519 private key is refused', () => {
  const codes = ['', 'x', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'].map((text) => {
    try {
      return parseSigningKey(text);
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  });
  expect(codes).toEqual(Array(3).fill('SIGNING_KEY_INVALID'));
});
