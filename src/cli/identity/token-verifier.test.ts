import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTVerifyGetKey, SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { IDENTITY_LIMITS } from '../../gateway/identity/limits.ts';
import { TokenVerifier } from './token-verifier.ts';

const settings = { issuer: 'https://login.example', audience: 'https://tools.example/mcp', required_scopes: [] };
let keys: JWTVerifyGetKey;
let sign: (subject: string, expiresAtS: number) => Promise<string>;
let asked = 0;
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const set = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] });
  keys = (header, token) => {
    asked += 1;
    return set(header, token);
  };
  sign = (sub, exp) =>
    new SignJWT({ iss: settings.issuer, aud: settings.audience, sub, exp })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(privateKey);
});
const codeOf = (answer: unknown) => Promise.resolve(answer).then(String, (thrown) => thrown.code);

test('a token is checked once, answered at once from then on, and checked again after a while [gateway:WHO9]', async () => {
  let now = 1_000_000_000_000;
  const verifier = new TokenVerifier(settings, () => now, keys);
  const token = await sign('ada', now / 1_000 + 86_400);
  asked = 0;
  const first = await verifier.identify(token);
  expect([verifier.identify(token), verifier.known(token), asked]).toEqual([first, first, 1]);
  now += IDENTITY_LIMITS.verifiedMsMax;
  expect(verifier.known(token)).toBeUndefined();
  expect([await verifier.identify(token), asked]).toEqual([first, 2]);
});

test('a token that was checked ends when it says so [gateway:WHO9]', async () => {
  let now = 1_000_000_000_000;
  const verifier = new TokenVerifier(settings, () => now, keys);
  const token = await sign('ada', now / 1_000 + 60);
  await verifier.identify(token);
  now += 60_000 + IDENTITY_LIMITS.clockToleranceS * 1_000 - 1;
  expect(verifier.known(token)).toBeDefined();
  now += 1;
  expect(verifier.known(token)).toBeUndefined();
  expect(await codeOf(verifier.identify(token))).toBe('TOKEN_REFUSED');
});

test('keys that cannot be had are not the token’s fault [gateway:WHO9]', async () => {
  const away = new TokenVerifier(settings, Date.now, () => Promise.reject(new TypeError('fetch failed')));
  expect(await codeOf(away.identify(await sign('ada', Date.now() / 1_000 + 60)))).toBe('ISSUER_UNREACHABLE');
});

test('what is no signed token of three parts is not looked at', () => {
  const texts = ['', 'a.b', 'a.b.c', 'a.b.c.d', 'a b.c.d', `a.b.${'c'.repeat(IDENTITY_LIMITS.tokenCharsMax)}`];
  expect(texts.map((text) => TokenVerifier.isToken(text))).toEqual([false, false, true, false, false, false]);
});
