import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { access, mkdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CARELESS_ENTRIES, makeHostileProject } from '../../test/support/hostile-project.ts';
import { openSession } from '../../test/support/raw-client.ts';
import { listServers, startBindery, until, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

const PROJECT_CONFIG = 'cwd/.bindery/config.json';

/** Names of the tools that a profile shows. */
async function toolsOf(mcpUrl: string, profile: string): Promise<string[]> {
  const session = await openSession(`${mcpUrl}/${profile}`);
  const { result } = await session.request('tools/list', {});
  return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

/** A server of the project that a person has trusted in its current form. */
async function trustedServer({ recordingServer, write, command }: AttackTarget) {
  const server = recordingServer();
  const writeEntry = (more: object) => {
    const config = { version: 1, mcp: { servers: { notes: { ...server.entry, ...more } } } };
    return write(PROJECT_CONFIG, JSON.stringify(config));
  };
  await writeEntry({});
  assert.equal((await command(['mcp', 'trust', 'notes'])).exitCode, 0);
  return { server, writeEntry };
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'project-code-runs',
    title:
      'no code of a project runs through the servers of the person’s own config, in the gateway, in a test or in the shell',
    async run({ home, command, onEnd }) {
      const marker = await makeHostileProject(home.cwd);
      await home.writeConfig({ version: 1, mcp: { servers: CARELESS_ENTRIES } });
      const PATH = [join(home.cwd, 'node_modules/.bin'), 'node_modules/.bin', home.env.PATH].join(delimiter);
      const bindery = await startBindery({ ...home, env: { ...home.env, PATH } });
      onEnd(() => bindery.stop('SIGKILL'));
      const ids = Object.keys(CARELESS_ENTRIES);
      await until(
        'every server has been tried',
        async () => {
          const items = await listServers(bindery);
          return ids.every((id) => items.some((item) => item.id === id && item.status === 'error'));
        },
        60_000,
      );
      for (const id of ids) await command(['mcp', 'test', id], { env: { PATH } });
      await command(['shell', '--headless'], { env: { PATH }, input: '/mcp\n' });
      await assert.rejects(access(marker), 'nothing of the project ran');
    },
  },
  {
    id: 'project-widens-profile',
    title: 'a project’s config that changes while the gateway runs takes away from profiles and adds nothing to any',
    async run({ up, home, write, recordingServer }) {
      const notes = recordingServer();
      const profiles = { work: { servers: [] }, shrinks: { servers: ['notes'] } };
      await home.writeConfig({
        version: 1,
        gateway: { profiles, exposure: 'all' },
        mcp: { servers: { notes: notes.entry } },
      });
      const bindery = await up();
      await untilKnown(bindery, 'notes');
      assert.notDeepEqual(await toolsOf(bindery.mcpUrl, 'shrinks'), []);
      const wide = { work: { servers: ['notes'] }, shrinks: { servers: [] }, added: {} };
      await write(PROJECT_CONFIG, JSON.stringify({ version: 1, gateway: { profiles: wide } }));
      await until('the change is read', async () => (await toolsOf(bindery.mcpUrl, 'shrinks')).length === 0);
      assert.deepEqual(await toolsOf(bindery.mcpUrl, 'work'), []);
      await assert.rejects(openSession(`${bindery.mcpUrl}/added`), 'no profile was added');
    },
  },
  {
    id: 'project-trust-meaning',
    title: 'a trusted entry whose meaning changes is not started before a person has looked again',
    async run(target) {
      const { server, writeEntry } = await trustedServer(target);
      const changes = [
        { expand_env: true },
        { sharing: 'shared' },
        { tool_timeout_max_ms: 1 },
        { env: { A: 'shown' } },
      ];
      for (const change of changes) {
        await writeEntry(change);
        const { exitCode } = await target.command(['mcp', 'test', 'notes']);
        assert.equal(exitCode, 1, JSON.stringify(change));
      }
      assert.deepEqual(await server.received(), [], 'nothing was started');
      const { stdout } = await target.command(['mcp', 'trust', '--list']);
      assert.match(stdout, /changed.*env: A=shown/);
      await writeEntry({});
      assert.equal((await target.command(['mcp', 'test', 'notes'])).exitCode, 0, 'as it was trusted it starts');
    },
  },
  {
    id: 'project-endless-files',
    title: 'a pipe, a device and a link out of the folder where a project’s files are looked for hold nothing up',
    async run({ up, home, command, recordingServer }) {
      const notes = recordingServer();
      await home.writeConfig({ version: 1, mcp: { servers: { notes: notes.entry } } });
      await mkdir(join(home.cwd, '.bindery'));
      await symlink('/dev/zero', join(home.cwd, '.bindery/config.json'));
      execFileSync('mkfifo', [join(home.cwd, 'project_mcp.json')]);
      const listed = await command(['mcp', 'list']);
      assert.match(listed.stderr, /the project config file is not used: \S+config\.json: it is not a regular file/);
      const bindery = await up();
      await untilKnown(bindery, 'notes');
      const session = await openSession(bindery.mcpUrl);
      const answer = await session.request('tools/call', { name: 'notes__echo', arguments: { text: 'x' } });
      assert.match(JSON.stringify(answer), /POLICY_DENIED/, 'a policy that cannot be read denies');
      assert.deepEqual(await notes.calls(), []);
    },
  },
  {
    id: 'project-deep-files',
    title:
      'files of a project that nest without end deny its own calls, and keep no change of the person’s own files from taking effect',
    async run({ up, home, write, command, recordingServer }) {
      const [notes, other] = [recordingServer(), recordingServer()];
      const servers = { notes: notes.entry, other: other.entry };
      await home.writeConfig({ version: 1, mcp: { servers }, gateway: { exposure: 'all' } });
      const bindery = await up();
      await untilKnown(bindery, 'notes');
      await untilKnown(bindery, 'other');
      await write('cwd/project_mcp.json', '{"a":'.repeat(12_000));
      await write(PROJECT_CONFIG, '['.repeat(3_000_000));
      const session = await openSession(bindery.mcpUrl);
      const call = async (name: string) =>
        JSON.stringify(await session.request('tools/call', { name, arguments: { text: 'x' } }));
      await until('the policy denies', async () => (await call('notes__echo')).includes('POLICY_DENIED'));
      const linted = await command(['policy', 'lint']);
      assert.match(`${linted.stdout}${linted.stderr}`, /nested more than 200 levels deep/);
      await write('cwd/project_mcp.json', JSON.stringify({ version: '1.0', allowlist: { servers: ['*'] } }));
      await until('the policy allows again', async () => !(await call('notes__echo')).includes('POLICY_DENIED'));
      await home.writeConfig({ version: 1, mcp: { servers: { notes: notes.entry } }, gateway: { exposure: 'all' } });
      await until('a server that was removed is gone', async () =>
        /UNKNOWN_TOOL|no tool/i.test(await call('other__echo')),
      );
    },
  },
];
