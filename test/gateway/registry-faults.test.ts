import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { openSession } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const entry = {
  transport: 'stdio',
  command: process.execPath,
  args: [fileURLToPath(new URL('../fixtures/servers/stdio-server.ts', import.meta.url)), 'legacy'],
};
const configOf = (...names: string[]) => ({
  mcp: { servers: Object.fromEntries(names.map((name) => [name, entry])) },
  gateway: { exposure: 'all', approval: { wait_ms: 10 } },
});

let home: BinderyHome;
let bindery: RunningBindery;

afterEach(async () => {
  await bindery.stop('SIGKILL');
  await home.remove();
});

const writePolicy = (policy: object) =>
  writeFile(join(home.dir, '.bindery', 'project_mcp.json'), JSON.stringify(policy));

/** From now on nothing can be written to any table of the registry; gives what ends that. */
function breakRegistry(): () => void {
  const database = new DatabaseSync(join(home.dataDir, 'registry.db'));
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  const triggers = tables.flatMap(({ name }) => ['INSERT', 'UPDATE', 'DELETE'].map((change) => ({ name, change })));
  for (const { name, change } of triggers)
    database.exec(
      `CREATE TRIGGER full_${name}_${change} BEFORE ${change} ON ${name} BEGIN SELECT RAISE(ABORT, 'disk is full'); END`,
    );
  return () => {
    for (const { name, change } of triggers) database.exec(`DROP TRIGGER full_${name}_${change}`);
    database.close();
  };
}

test('a registry that cannot be written stops no call, and what it missed is made good', async () => {
  home = await createHome(configOf('first'));
  bindery = await startBindery(home);
  await untilKnown(bindery, 'first');
  const session = await openSession(bindery.mcpUrl);
  const call = async (tool: string) =>
    JSON.stringify(await session.request('tools/call', { name: tool, arguments: { message: 'hi' } }));

  const mend = breakRegistry();
  expect(await call('first__echo')).toContain('"text":"hi"');
  await home.writeConfig(configOf('first', 'second'));
  await until('the second server was met', () => bindery.stderr().includes('a catalogue could not be stored'));
  const events = await fetch(`${bindery.url}/v1/events`, { headers: { authorization: `Bearer ${bindery.admin()}` } });
  expect(events.status).toBe(200);
  await writePolicy({ allowlist: { servers: ['second'] } });
  await until('the policy holds', async () => (await call('first__echo')).includes('POLICY_DENIED'));
  await until('the jobs ran', () => bindery.stderr().includes('the registry cannot be written'), 60_000);
  expect([bindery.process.exitCode, (await openSession(bindery.mcpUrl)).introduction.serverInfo.name]).toEqual([
    null,
    'bindery',
  ]);

  mend();
  await until('the second server is known', async () => (await call('second__echo')).includes('"text":"hi"'), 60_000);
  expect(bindery.stderr()).toContain('the registry is written again');
  await events.body?.cancel();
}, 120_000);

test('what needs a registry that somebody holds is refused with a code, and goes through afterwards', async () => {
  home = await createHome(configOf('first'));
  await writePolicy({ allowlist: { servers: ['first'], operations: { echo: { approval_required: true } } } });
  bindery = await startBindery(home);
  await untilKnown(bindery, 'first');
  const session = await openSession(bindery.mcpUrl);
  const call = async () =>
    JSON.stringify(await session.request('tools/call', { name: 'first__echo', arguments: { message: 'hi' } }));
  const large = { capabilities: { experimental: { large: { text: 'x'.repeat(4_000) } } } };

  const other = new DatabaseSync(join(home.dataDir, 'registry.db'));
  other.exec('BEGIN IMMEDIATE');
  await expect(openSession(bindery.mcpUrl, large)).rejects.toThrow('STORE_UNAVAILABLE');
  expect(await call()).toContain('STORE_UNAVAILABLE');
  other.exec('ROLLBACK');
  other.close();
  expect((await openSession(bindery.mcpUrl, large)).introduction.serverInfo.name).toBe('bindery');
  expect(await call()).toContain('APPROVAL_PENDING');
}, 60_000);
