import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { exampleTls, trustExampleTls } from '../../../test/support/example-tls.ts';
import { LoopbackDns } from '../../../test/support/loopback-dns.ts';
import { createPublicAgent } from '../../host/transports/public-agent.ts';
import { signingKeys } from './signing-keys.ts';
import { TokenVerifier } from './token-verifier.ts';

const audience = 'https://tools.example.com/mcp';

let pair: Awaited<ReturnType<typeof generateKeyPair>>;
let server: HttpFixture;
let issuer: string;
let jwksUri: string;
const at = (host: string, path = '') => `https://${host}.example.com:${new URL(server.origin).port}${path}`;
const visits = () => server.seen.map(({ headers, path }) => `${headers.host?.split('.')[0]} ${path}`);

beforeAll(async () => {
  // Names that the config names are resolved by the system: here they are on loopback.
  process.env.FAKE_DNS = JSON.stringify({ 'login.example.com': ['127.0.0.1'], 'inside.example.com': ['127.0.0.1'] });
  await import('../../../test/support/fake-dns.ts');
  trustExampleTls();
  pair = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'known', alg: 'ES256' };
  server = await new HttpFixture((reply) => {
    if (reply.seen.path.endsWith('/keys')) reply.json({ keys: [jwk] });
    else reply.json({ issuer, jwks_uri: jwksUri });
  }, exampleTls).listen();
  issuer = at('login');
});
afterAll(() => server.close());

const subjectOf = async (settings: { jwks_uri?: string } = {}, addresses = ['93.184.215.14']) => {
  server.seen.length = 0;
  const dns = new LoopbackDns({ 'keys.example.com': [addresses] });
  const all = { issuer, audience, required_scopes: [], ...settings };
  const keys = signingKeys(all, Date.now, () => createPublicAgent({ lookup: dns.lookup }));
  const token = await new SignJWT({ sub: 'ada' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setExpirationTime('1h')
    .setProtectedHeader({ alg: 'ES256', kid: 'known' })
    .sign(pair.privateKey);
  try {
    return (await new TokenVerifier(all, Date.now, keys).identify(token)).subject;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};

test('keys that a public issuer keeps at another public place are fetched there', async () => {
  jwksUri = at('keys', '/keys');
  expect([await subjectOf(), visits()]).toEqual([
    'ada',
    ['login /.well-known/oauth-authorization-server', 'keys /keys'],
  ]);
});

test('a public issuer leads to no private address for its keys', async () => {
  const places = [at('keys', '/keys'), `${server.origin}/keys`, server.origin.replace('127.0.0.1', 'localhost')];
  for (jwksUri of places) {
    expect([await subjectOf({}, ['10.0.0.1']), visits()]).toEqual([
      'ISSUER_UNREACHABLE',
      ['login /.well-known/oauth-authorization-server'],
    ]);
  }
});

test('keys at the issuer’s own origin, and those that the config names, may be private', async () => {
  jwksUri = at('login', '/keys');
  expect([await subjectOf(), await subjectOf({ jwks_uri: at('inside', '/keys') })]).toEqual(['ada', 'ada']);
});
