import assert from 'node:assert/strict';
import { openSession } from '../../test/support/raw-client.ts';
import { untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase } from '../attack-case.ts';

export const attacks: readonly AttackCase[] = [
  {
    id: 'policy-file-missing',
    title: 'a named policy file that is missing refuses the start',
    async run({ command, home }) {
      const { exitCode, stderr } = await command(['up', '--port', '0', '--policy', `${home.dir}/missing.json`]);
      assert.equal(exitCode, 1);
      assert.match(stderr, /missing\.json/);
    },
  },
  {
    id: 'policy-denied',
    title: 'a tool that policy does not list is not called, and its server hears nothing of it',
    async run({ up, home, write, recordingServer }) {
      const server = recordingServer();
      await home.writeConfig({ version: 1, mcp: { servers: { notes: server.entry } } });
      const allowlist = { servers: ['notes'], tools: { notes: ['echo'] } };
      const policy = await write('policy.json', JSON.stringify({ version: '1.0', allowlist }));
      const bindery = await up('--policy', policy);
      await untilKnown(bindery, 'notes');
      const session = await openSession(bindery.mcpUrl);
      const answer = await session.request('tools/call', { name: 'notes__write', arguments: { text: 'x' } });
      assert.match(JSON.stringify(answer), /POLICY_DENIED/);
      assert.deepEqual(await server.calls(), []);
    },
  },
];
