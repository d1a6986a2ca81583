import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpFixture } from '../../../test/fixtures/servers/http-server.ts';
import { HttpPool } from '../transports/http-pool.ts';
import { NO_CHALLENGE } from './challenge.ts';
import { discoverAuthorization } from './discover-authorization.ts';

const pool = new HttpPool();
let resource: unknown;
let server: HttpFixture;

beforeAll(async () => {
  server = await new HttpFixture((reply) => {
    const { origin } = server;
    if (reply.seen.path.startsWith('/.well-known/oauth-protected-resource')) reply.json({ resource });
    else if (reply.seen.path === '/.well-known/oauth-authorization-server') {
      const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
      reply.json({ issuer: origin, ...endpoints, code_challenge_methods_supported: ['S256'] });
    } else reply.json({}, 404);
  }).listen();
});

afterAll(async () => {
  await pool.destroy();
  await server.close();
});

test.each([
  ['/mcp', true],
  ['/mcp/', true],
  ['', true],
  ['/', true],
  ['/mc', false],
  ['/m', false],
  ['/mcp2', false],
  ['/mcp/more', false],
  ['/MCP', false],
])('metadata of the resource %j speak for a server at /mcp: %s', async (path, fits) => {
  resource = `${server.origin}${path}`;
  const found = discoverAuthorization(pool.entry({}), new URL(server.url), NO_CHALLENGE, {}, undefined);
  if (fits) expect(await found).toMatchObject({ resource });
  else await expect(found).rejects.toMatchObject({ code: 'resource_mismatch' });
});
