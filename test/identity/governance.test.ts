import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { World } from '../fixtures/connect.ts';
import { HttpFixture, legacyHttp, type Reply } from '../fixtures/servers/http-server.ts';
import { startTokenAuthority, type TokenAuthority } from '../support/oauth-gateway.ts';
import { requestModern } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  untilKnownTo,
} from '../support/running-bindery.ts';

const AUDIENCE = 'https://tools.example/mcp';
const world = new World();
let authority: TokenAuthority;
let home: BinderyHome;
let bindery: RunningBindery;
let admin: { authorization: string };

beforeAll(async () => {
  authority = world.keep(await startTokenAuthority());
  const tools = ['limited', 'asked'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const listed = (reply: Reply) => {
    if (reply.seen.message?.method !== 'tools/list') return false;
    reply.result({ tools });
    return true;
  };
  const upstream = world.keep(await new HttpFixture(legacyHttp(listed)).listen());
  home = await createHome({
    version: 1,
    mcp: { servers: { web: { transport: 'http', url: upstream.url } } },
    gateway: {
      exposure: 'all',
      approval: { wait_ms: 200 },
      auth: { oauth: { issuer: authority.issuer, audience: AUDIENCE } },
    },
  });
  const policy = {
    allowlist: {
      servers: ['web'],
      operations: { limited: { rate_per_minute: 1 }, asked: { approval_required: true } },
    },
  };
  await writeFile(join(home.dir, '.bindery', 'project_mcp.json'), JSON.stringify(policy));
  bindery = await startBindery(home);
  admin = { authorization: `Bearer ${readFileSync(join(home.dataDir, 'admin.token'), 'utf8').trim()}` };
  await untilKnownTo(admin.authorization, bindery, 'web');
});
afterAll(async () => {
  await bindery?.stop();
  await home?.remove();
  await world.close();
});

/** What calls of a person come to: the text, or the code of the refusal. */
async function caller(login: string) {
  const headers = { authorization: `Bearer ${await authority.tokenFor(login, AUDIENCE, 'bindery:call')}` };
  return async (name: string) => {
    const { result } = await requestModern(bindery.mcpUrl, 'tools/call', { name, arguments: { n: 1 } }, { headers });
    const { content, isError } = result as { content: { text: string }[]; isError?: boolean };
    return isError ? content[0]?.text.split(':')[0] : content[0]?.text;
  };
}

test('a limit is each person’s own [gateway:WHO6] [gateway:P7]', async () => {
  const [ada, grace] = [await caller('ada'), await caller('grace')];
  const [adaAgain] = [await caller('ada')];
  expect([
    await ada('web__limited'),
    await ada('web__limited'),
    // Another token of the same person is the same person.
    await adaAgain('web__limited'),
    await grace('web__limited'),
  ]).toEqual(['{"n":1}', 'RATE_LIMITED', 'RATE_LIMITED', '{"n":1}']);
});

test('an approval of one person’s call releases no other’s [gateway:WHO6] [gateway:V2]', async () => {
  const [ada, grace] = [await caller('ada'), await caller('grace')];
  expect(await ada('web__asked')).toBe('APPROVAL_PENDING');
  const list = await (await fetch(`${bindery.url}/v1/approvals?status=pending`, { headers: admin })).json();
  const [pending] = (list as { items: { id: string; caller: string }[] }).items;
  expect(pending?.caller).toMatch(/^user:ada#/);
  await fetch(`${bindery.url}/v1/approvals/${pending?.id}/decision`, {
    method: 'POST',
    headers: { ...admin, 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve' }),
  });
  expect([await grace('web__asked'), await ada('web__asked')]).toEqual(['APPROVAL_PENDING', '{"n":1}']);
});

test('the address in the audience is one of ours, and no other is [gateway:WHO8]', async () => {
  const status = async (host: string) => {
    const { request } = await import('node:http');
    return new Promise((resolve) =>
      request(`${bindery.url}/.well-known/oauth-protected-resource`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end(),
    );
  };
  expect([await status('tools.example'), await status('evil.example')]).toEqual([200, 403]);
});
