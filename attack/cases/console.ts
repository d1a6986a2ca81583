import assert from 'node:assert/strict';
import type { AttackCase } from '../attack-case.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

export const attacks: readonly AttackCase[] = [
  {
    id: 'console-policy',
    title:
      'the console runs its own files alone: no inline script, no other origin, no frame, no text that becomes HTML',
    async run({ up }) {
      const { url } = await up();
      const response = await fetch(url, { headers: BROWSER });
      const rules = (response.headers.get('content-security-policy') ?? '').split('; ');
      const page = await response.text();
      assert.match(page, /<script type="module"[^>]* src="\/console\/assets\/[\w-]+\.js">/);
      assert.doesNotMatch(page, /<script(?![^>]* src=)|\son\w+=|\sstyle=/);
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "require-trusted-types-for 'script'",
      ])
        assert.ok(rules.includes(rule), `the policy lacks ${rule}`);
      const outside = ['/console/..%2f..%2fpackage.json', '/console/assets/..%2f..%2fbundle%2fstart.js'];
      for (const path of outside) assert.equal((await fetch(`${url}${path}`)).status, 404);
    },
  },
  {
    id: 'key-outlives-itself',
    title: 'a key with every scope makes no other key, adds no command and writes no policy, so revoking it ends it',
    async run({ up, home }) {
      const bindery = await up();
      const made = await bindery.api('POST', '/v1/keys', { name: 'all', scope: 'call,read,register,admin' });
      const key = `Bearer ${(made.body as { key: string }).key}`;
      const entry = { transport: 'stdio', command: 'true' };
      const file = `${home.cwd}/project_mcp.json`;
      const tried = [
        await bindery.api('POST', '/v1/keys', { name: 'another', scope: 'admin' }, key),
        await bindery.api('POST', '/v1/config/servers', { id: 'mine', entry }, key),
        await bindery.api('PUT', '/v1/policy/source', { file, text: '{}' }, key),
      ];
      for (const { status, body } of tried) {
        assert.equal(status, 401);
        assert.equal((body as { code: string }).code, 'ADMIN_REQUIRED');
      }
    },
  },
];
