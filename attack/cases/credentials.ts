import assert from 'node:assert/strict';
import { freePort } from '../../test/support/free-port.ts';
import { initialize, startTokenAuthority } from '../../test/support/oauth-gateway.ts';
import type { AttackCase } from '../attack-case.ts';

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
      const servers = { a: { command: 'x\u001b[2K\rnpx', args: ['--api-key', 'hunter22'] } };
      await write('cwd/.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
      const { stdout, exitCode } = await command(['mcp', 'trust', '--list'], { cwd: home.cwd });
      assert.equal(exitCode, 0);
      assert.match(stdout, /npx --api-key \*\*\*/);
      assert.doesNotMatch(stdout, /[\u001b\r]|hunter22/);
    },
  },
];
