import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTVerifyGetKey, SignJWT } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { IDENTITY_LIMITS } from '../../gateway/identity/limits.ts';
import { TokenVerifier } from './token-verifier.ts';

const settings = {
  issuer: 'https://login.example',
  audience: 'https://tools.example/mcp',
  required_scopes: [],
};
let keys: JWTVerifyGetKey;
let sign: (subject: string, expiresAtS: number, head?: object, claims?: object) => Promise<string>;
let asked = 0;
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const set = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] });
  keys = (header, token) => {
    asked += 1;
    return set(header, token);
  };
  sign = (sub, exp, head, claims) =>
    new SignJWT({ iss: settings.issuer, aud: settings.audience, sub, exp, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'k', ...head })
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

test('a text that is not a signed token of three parts is not verified', () => {
  const texts = ['', 'a.b', 'a.b.c', 'a.b.c.d', 'a b.c.d', `a.b.${'c'.repeat(IDENTITY_LIMITS.tokenCharsMax)}`];
  expect(texts.map((text) => TokenVerifier.isToken(text))).toEqual([false, false, true, false, false, false]);
});

const outcomeOf = async (head: object, claims: object, token_types?: string[]) => {
  const verifier = new TokenVerifier({ ...settings, ...(token_types ? { token_types } : {}) }, Date.now, keys);
  const token = await sign('ada', Date.now() / 1_000 + 60, head, claims);
  return Promise.resolve(verifier.identify(token)).then(
    ({ subject }) => [subject, verifier.known(token) !== undefined],
    (thrown) => [thrown.code, verifier.known(token) !== undefined],
  );
};
const ACCEPTED = ['ada', true];
const REFUSED = ['TOKEN_REFUSED', false];

test.each<[string, object, object]>([
  ['at+jwt', { typ: 'at+jwt' }, {}],
  ['the whole media type, in any case', { typ: 'application/AT+JWT' }, {}],
  ['JWT', { typ: 'JWT' }, {}],
  ['no type at all', {}, {}],
  ['JWT whose issuer calls it Bearer', { typ: 'JWT' }, { typ: 'Bearer', nonce: 'n' }],
  ['at+jwt with the time and way of the sign-in', { typ: 'at+jwt' }, { auth_time: 1, acr: '1', amr: ['pwd'] }],
])('an access token is accepted: %s', async (_what, head, claims) => {
  expect(await outcomeOf(head, claims)).toEqual(ACCEPTED);
});

test.each<[string, object, object]>([
  ['another type', { typ: 'id_token+jwt' }, {}],
  ['a logout token', { typ: 'logout+jwt' }, {}],
  ['a proof of a key', { typ: 'dpop+jwt' }, {}],
  ['an ID token by its nonce', { typ: 'JWT' }, { nonce: 'n' }],
  ['an ID token by the digest of its access token', {}, { at_hash: 'h' }],
  ['an ID token by the digest of its code', { typ: 'JWT' }, { c_hash: 'h' }],
  ['an ID token by the digest of its state', { typ: 'JWT' }, { s_hash: 'h' }],
  ['an ID token by what its issuer calls it', { typ: 'JWT' }, { typ: 'ID' }],
  ['a refresh token by what its issuer calls it', { typ: 'JWT' }, { typ: 'Refresh' }],
  ['a logout token by its events', { typ: 'JWT' }, { events: {} }],
  ['a token that is bound to a key (DPoP)', { typ: 'at+jwt' }, { cnf: { jkt: 'thumbprint' } }],
  ['a token that is bound to a certificate', { typ: 'JWT' }, { typ: 'Bearer', cnf: { 'x5t#S256': 'thumbprint' } }],
])('what is no bearer’s access token is refused, and not remembered: %s', async (_what, head, claims) => {
  expect(await outcomeOf(head, claims)).toEqual(REFUSED);
});

test('the config narrows the types, or names the one that an issuer has', async () => {
  expect([
    await outcomeOf({ typ: 'JWT' }, {}, ['at+jwt']),
    await outcomeOf({}, {}, ['at+jwt']),
    await outcomeOf({ typ: 'at+jwt' }, {}, ['at+jwt']),
    await outcomeOf({ typ: 'acme-access+jwt' }, {}, ['acme-access+jwt']),
  ]).toEqual([REFUSED, REFUSED, ACCEPTED, ACCEPTED]);
});
