import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openSession } from '../../test/support/raw-client.ts';
import { until, untilKnown } from '../../test/support/running-bindery.ts';
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
    id: 'policy-file-unread',
    title: 'a policy in a data directory where no policy is read refuses the start',
    async run({ command, write }) {
      const policy = await write('data/project_mcp.json', JSON.stringify({ allowlist: { servers: [] } }));
      const env = { BINDERY_DATA_DIR: dirname(policy) };
      const { exitCode, stderr } = await command(['up', '--port', '0'], { env });
      assert.equal(exitCode, 1);
      assert.match(stderr, /project_mcp\.json is not used/);
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
  {
    id: 'tools-left-out',
    title:
      'a tool that the entry of its server leaves out is neither listed nor called, by its name or through call_tool',
    async run({ up, home, recordingServer }) {
      const server = recordingServer();
      const entry = { ...server.entry, exclude_tools: ['wri*'] };
      await home.writeConfig({ version: 1, mcp: { servers: { notes: entry } } });
      const bindery = await up();
      await untilKnown(bindery, 'notes');
      const session = await openSession(bindery.mcpUrl);
      const listed = JSON.stringify(await session.request('tools/list', {}));
      assert.match(listed, /notes__echo/);
      assert.doesNotMatch(listed, /notes__write/);
      const write = { name: 'notes__write', arguments: { text: 'x' } };
      const answers = [
        await session.request('tools/call', write),
        await session.request('tools/call', { name: 'call_tool', arguments: write }),
      ];
      assert.deepEqual(
        answers.map((answer) => /"error"|"isError":true/.test(JSON.stringify(answer))),
        [true, true],
      );
      assert.deepEqual(await server.calls(), []);
    },
  },
  {
    id: 'policy-outside-hours',
    title: 'a tool that was called within its hours is not called outside of them, though it is listed',
    async run({ up, home, write, recordingServer }) {
      const server = recordingServer();
      await home.writeConfig({ version: 1, mcp: { servers: { notes: server.entry } } });
      // Open for twelve hours, from six hours before now or from six hours after.
      const hoursFrom = (hours: number) => {
        const hour = new Date(Date.now() + hours * 3_600_000).getUTCHours();
        const time = (value: number) => `${String(value % 24).padStart(2, '0')}:00`;
        return { from: time(hour), to: time(hour + 12), time_zone: 'UTC' };
      };
      const policyOf = (hours: object) =>
        JSON.stringify({ allowlist: { servers: ['notes'], operations: { write: { hours } } } });
      const policy = await write('policy.json', policyOf(hoursFrom(-6)));
      const bindery = await up('--policy', policy);
      await untilKnown(bindery, 'notes');
      const session = await openSession(bindery.mcpUrl);
      const call = async () =>
        JSON.stringify(await session.request('tools/call', { name: 'notes__write', arguments: { text: 'x' } }));
      assert.doesNotMatch(await call(), /POLICY_DENIED/);
      await write('policy.json', policyOf(hoursFrom(6)));
      await until('the gateway noticed', async () => /POLICY_DENIED/.test(await call()));
      const sent = await server.calls();
      assert.match(await call(), /allow it again from \d{4}-.*outside_hours/);
      assert.deepEqual(await server.calls(), sent);
      assert.match(JSON.stringify(await session.request('tools/list', {})), /notes__write/);
    },
  },
  {
    id: 'policy-file-vanishes',
    title: 'a policy file that is removed keeps deciding, and everything that tells of policy says that it is gone',
    async run({ up, home, write, command, recordingServer }) {
      const server = recordingServer();
      await home.writeConfig({ version: 1, mcp: { servers: { notes: server.entry } } });
      const policy = await write('policy.json', '{"allowlist": {"servers": ["notes"], "forbidden": ["write"]}}');
      const bindery = await up('--policy', policy);
      await untilKnown(bindery, 'notes');
      await rm(policy);
      const get = async (path: string) => JSON.stringify(await (await fetch(`${bindery.url}${path}`)).json());
      await until('the gateway noticed', async () => /"status":"vanished"/.test(await get('/v1/policy')));
      const session = await openSession(bindery.mcpUrl);
      const answer = await session.request('tools/call', { name: 'notes__write', arguments: {} });
      assert.match(JSON.stringify(answer), /POLICY_DENIED/);
      assert.deepEqual(await server.calls(), []);
      assert.match(await get('/readyz'), /"warnings":\["file policy: its file is gone/);
      const checked = await command(['policy', 'check', 'notes', 'write']);
      assert.match(checked.stdout, /^deny notes\/write: forbidden .*\nnote: .*policy\.json is gone/);
      assert.equal((await bindery.api('POST', '/v1/policy/reload', {})).status, 409);
      await bindery.stop();
      assert.equal((await command(['up', '--port', '0', '--policy', policy])).exitCode, 1);
    },
  },
];
