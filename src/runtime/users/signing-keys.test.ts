import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { IDENTITY_LIMITS } from '../../gateway/identity/limits.ts';
import { TokenVerifier } from './token-verifier.ts';

let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let issuer: HttpFixture;
let path: string;
let metadata: object | undefined;
beforeAll(async () => {
  pair = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'known', alg: 'ES256' };
  issuer = await new HttpFixture((reply) => {
    if (reply.seen.path === '/keys') reply.json({ keys: [jwk] });
    else if (reply.seen.path === path && metadata) reply.json(metadata);
    else reply.json({}, 404);
  }).listen();
});
afterAll(() => issuer.close());
beforeEach(() => {
  issuer.seen.length = 0;
  path = '/.well-known/openid-configuration/realm';
  metadata = { issuer: `${issuer.origin}/realm`, jwks_uri: `${issuer.origin}/keys` };
});

const audience = 'https://tools.example/mcp';
const settings = () => ({
  issuer: `${issuer.origin}/realm`,
  audience,
  required_scopes: [],
});
const sign = (kid: string, sub = 'ada') =>
  new SignJWT({ sub })
    .setIssuer(`${issuer.origin}/realm`)
    .setAudience(audience)
    .setExpirationTime('1h')
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(pair.privateKey);
const outcomeOf = async (verifier: TokenVerifier, token: string) => {
  try {
    return (await verifier.identify(token)).subject;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};
const fetches = () => issuer.seen.filter((seen) => seen.path === '/keys').length;

test('the keys are found where the issuer’s metadata says, and fetched once for all tokens [gateway:WHO9]', async () => {
  const verifier = new TokenVerifier(settings(), Date.now);
  const subjects = ['ada', 'grace', 'lin'];
  const answers = await Promise.all(subjects.map(async (sub) => outcomeOf(verifier, await sign('known', sub))));
  expect([answers, fetches()]).toEqual([subjects, 1]);
});

test('tokens that name unknown keys do not make us ask for them again and again [gateway:WHO9]', async () => {
  const verifier = new TokenVerifier(settings(), Date.now);
  await outcomeOf(verifier, await sign('known'));
  const answers: string[] = [];
  for (let index = 0; index < 20; index += 1) answers.push(await outcomeOf(verifier, await sign(`made-up-${index}`)));
  expect([new Set(answers), fetches()]).toEqual([new Set(['TOKEN_REFUSED']), 1]);
});

test('metadata of another issuer, and an insecure address of keys, are not believed [gateway:WHO2]', async () => {
  metadata = { issuer: 'https://other.example', jwks_uri: `${issuer.origin}/keys` };
  const foreign = await outcomeOf(new TokenVerifier(settings(), Date.now), await sign('known'));
  metadata = { issuer: `${issuer.origin}/realm`, jwks_uri: 'http://keys.example/keys' };
  const insecure = await outcomeOf(new TokenVerifier(settings(), Date.now), await sign('known'));
  expect([foreign, insecure, fetches()]).toEqual(['ISSUER_UNREACHABLE', 'ISSUER_UNREACHABLE', 0]);
});

test('an issuer that was away is asked again after a while, and not before [gateway:WHO9]', async () => {
  let now = Date.now();
  const verifier = new TokenVerifier(settings(), () => now);
  const [token, found] = [await sign('known'), metadata];
  metadata = undefined;
  const first = await outcomeOf(verifier, token);
  metadata = found;
  const soon = await outcomeOf(verifier, token);
  now += IDENTITY_LIMITS.discoveryRetryMs;
  expect([first, soon, await outcomeOf(verifier, token)]).toEqual(['ISSUER_UNREACHABLE', 'ISSUER_UNREACHABLE', 'ada']);
});
