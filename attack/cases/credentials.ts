import assert from 'node:assert/strict';
import { freePort } from '../../test/support/free-port.ts';
import { initialize, startTokenAuthority } from '../../test/support/oauth-gateway.ts';
import { openSession } from '../../test/support/raw-client.ts';
import { untilKnownTo } from '../../test/support/running-bindery.ts';
import { visit } from '../../test/support/visit.ts';
import type { AttackCase } from '../attack-case.ts';

interface Listed {
  readonly items: unknown[];
  readonly next_cursor: string | null;
  readonly total?: number;
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'token-kind',
    title:
      'an ID token and a token that is bound to a key open nothing, although the issuer signed them for this address',
    async run({ up, home, onEnd }) {
      const authority = await startTokenAuthority();
      onEnd(() => authority.close());
      const port = await freePort();
      const mcp = `http://127.0.0.1:${port}/mcp`;
      const oauth = { issuer: authority.issuer, audience: mcp };
      await home.writeConfig({ version: 1, gateway: { auth: { oauth } } });
      await up('--port', String(port));
      const exp = Math.floor(Date.now() / 1_000) + 600;
      const claims = { iss: authority.issuer, sub: 'ada', aud: mcp, scope: 'bindery:call', exp };
      const statusOf = async (more: object, typ?: string) =>
        (await initialize(mcp, await authority.sign({ ...claims, ...more }, typ))).status;
      assert.equal(await statusOf({}), 200, 'the access token is good');
      assert.equal(await statusOf({ nonce: 'n', at_hash: 'h' }, 'JWT'), 401);
      assert.equal(await statusOf({}, 'id_token+jwt'), 401);
      assert.equal(await statusOf({ cnf: { jkt: 'thumbprint' } }), 401);
    },
  },
  {
    id: 'trust-text',
    title: 'what a project’s config defines is shown without its secrets and without what a terminal obeys',
    async run({ home, write, command }) {
      const servers = { a: { transport: 'stdio', command: 'x\u001b[2K\rnpx', args: ['--api-key', 'hunter22'] } };
      await write('cwd/.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
      const { stdout, exitCode } = await command(['mcp', 'trust', '--list'], { cwd: home.cwd });
      assert.equal(exitCode, 0);
      assert.match(stdout, /npx --api-key \*\*\*/);
      assert.doesNotMatch(stdout, /[\u001b\r]|hunter22/);
    },
  },
  {
    id: 'console-cookie',
    title: 'the console’s cookie, replayed by a program of another port with the gateway’s Origin, opens nothing',
    async run({ up }) {
      const { url, admin } = await up('--token', 'of-the-agents');
      const authorization = `Bearer ${admin()}`;
      const asked = await fetch(`${url}/console/link`, { method: 'POST', headers: { authorization } });
      const { url: link } = (await asked.json()) as { url: string };
      const seen = await fetch(link, { method: 'HEAD', redirect: 'manual' });
      assert.equal(seen.headers.get('set-cookie'), null, 'HEAD gives no cookie');
      // The request of an image on another page.
      const image = await visit(link, 'GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' });
      assert.equal(image.headers.get('set-cookie'), null);
      const opened = await visit(link);
      const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
      assert.match(cookie, /^bindery_console=/, 'HEAD and images left the link as it was');
      const headers = { cookie, origin: url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
      const change = await fetch(`${url}/v1/policy/reload`, { method: 'POST', headers, body: '{}' });
      const read = await fetch(`${url}/v1/audit`, { headers });
      const page = await fetch(`${url}/v1/tools`, { headers: { cookie, 'sec-fetch-site': 'same-site' } });
      assert.deepEqual([change.status, read.status, page.status], [401, 401, 403]);
    },
  },
  {
    id: 'profile-key',
    title:
      'a key of one profile reads and decides nothing of another, and the shared token reads nothing of what callers did',
    async run({ up, home, write, command, recordingServer }) {
      const server = recordingServer();
      const profiles = { work: { servers: [] }, home: { servers: ['notes'] } };
      const gateway = { profiles, exposure: 'all', approval: { wait_ms: 100 } };
      await home.writeConfig({ version: 1, mcp: { servers: { notes: server.entry } }, gateway });
      const allowlist = { servers: ['notes'], operations: { echo: { approval_required: true } } };
      const policy = await write('policy.json', JSON.stringify({ version: '1.0', allowlist }));
      const bindery = await up('--policy', policy, '--token', 'of-the-agents');
      await untilKnownTo(`Bearer ${bindery.admin()}`, bindery, 'notes');
      const session = await openSession(`${bindery.url}/mcp/home`, {
        headers: { authorization: 'Bearer of-the-agents' },
      });
      await session.request('tools/call', { name: 'notes__echo', arguments: { text: 'x' } });
      const { body: all } = await bindery.api('GET', '/v1/approvals');
      const [approval] = (all as { items: { id: string }[] }).items;
      assert.ok(approval, 'the call waits');
      const created = await command(['keys', 'create', 'k', '--scope', 'admin', '--profile', 'work', '--json']);
      const key = `Bearer ${(JSON.parse(created.stdout) as { key: string }).key}`;
      const path = `/v1/approvals/${approval.id}/decision`;
      assert.equal((await bindery.api('POST', path, { decision: 'approve' }, key)).status, 404);
      for (const list of ['/v1/approvals', '/v1/audit', '/v1/tools']) {
        const { items, next_cursor, total = 0 } = (await bindery.api('GET', list, undefined, key)).body as Listed;
        assert.deepEqual([list, items, next_cursor, total], [list, [], null, 0]);
      }
      for (const other of ['/v1/servers', '/v1/audit/export', '/v1/policy', '/metrics'])
        assert.equal((await bindery.api('GET', other, undefined, key)).status, 403);
      for (const other of ['/v1/approvals', '/v1/audit', '/v1/audit/export', '/v1/events'])
        assert.equal((await bindery.api('GET', other, undefined, 'Bearer of-the-agents')).status, 403);
      assert.deepEqual(await server.calls(), []);
    },
  },
];
