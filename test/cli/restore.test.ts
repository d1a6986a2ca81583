import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/open-database.ts';
import { PolicyVersions, policyVersion } from '../../src/store/policy/policy-versions.ts';
import { openCommandHome } from '../support/command-home.ts';

const FILES = {
  '.cursor/mcp.json': '{ "mcpServers": { "notes": { "command": "notes" } } }',
  '.codeium/windsurf/mcp_config.json': '{\n  "mcpServers": {}\n}\n',
};

function prepared() {
  const home = openCommandHome();
  for (const [path, text] of Object.entries(FILES)) home.write(path, text);
  const read = (path: string) => readFileSync(join(home.home, path), 'utf8');
  const contents = () => Object.fromEntries(Object.keys(FILES).map((path) => [path, read(path)]));
  return { ...home, read, contents };
}

test('one restore undoes init and the disconnect after it, and says so', async () => {
  const home = prepared();
  const set = await home.json('init', '--yes', '--no-start', '--clients', 'cursor');
  const removed = await home.json('disconnect', 'cursor');
  const dry = await home.json('restore', '--dry-run');
  const before = home.contents();
  expect(await home.json('restore', '--dry-run')).toEqual(dry);
  expect(home.contents()).toEqual(before);
  const restored = await home.json('restore');
  expect(restored).toEqual(dry);
  expect(restored).toEqual({
    backup: set.backup,
    undone: [
      { backup: set.backup, command: 'init', time: expect.any(String) },
      { backup: removed.backup, command: 'disconnect', time: expect.any(String) },
    ],
    files: [
      { path: join(home.dataDir, 'config.json'), action: 'removed', backup: set.backup },
      { path: join(home.dataDir, 'project_mcp.json'), action: 'removed', backup: set.backup },
      { path: join(home.home, '.cursor/mcp.json'), action: 'restored', backup: set.backup },
    ],
    process: null,
    left: null,
  });
  expect(home.contents()).toEqual(FILES);
  expect(await home.json('restore')).toMatchObject({
    code: 'BACKUP_NOT_FOUND',
    detail: expect.stringContaining('left'),
  });
});

test('the text of restore names what it undoes, from which backup, and what is left', async () => {
  const home = prepared();
  const imported = await home.json('import', '--yes');
  const connected = await home.json('connect', 'windsurf');
  const lines = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME').split('\n');
  expect(lines((await home.run('restore', '--dry-run')).stdout)).toEqual([
    `Would undo the import of TIME UTC, backup ${imported.backup}`,
    `removed\t${join(home.dataDir, 'config.json')}`,
    `Would undo the connect of TIME UTC, backup ${connected.backup}`,
    `restored\t${join(home.home, '.codeium/windsurf/mcp_config.json')}`,
    'Nothing was written.',
    '',
  ]);
  home.write('.cursor/mcp.json', '{ "mcpServers": { "more": { "command": "more" } } }');
  await home.json('import', '--yes');
  expect((await home.json('restore')).left).toEqual({
    backup: imported.backup,
    command: 'import',
    time: expect.any(String),
  });
  expect((await home.run('restore')).stdout).toContain('Undid the connect of');
  expect(existsSync(join(home.dataDir, 'config.json'))).toBe(false);
});

test('an edit between connect and disconnect is kept, and nothing is left to restore', async () => {
  const home = prepared();
  await home.run('connect', 'cursor');
  const edited = home.read('.cursor/mcp.json').replace('{ "mcpServers"', '{ "mine": 1, "mcpServers"');
  writeFileSync(join(home.home, '.cursor/mcp.json'), edited);
  const { stdout } = await home.run('disconnect', 'cursor');
  const after = home.read('.cursor/mcp.json');
  expect(JSON.parse(after)).toMatchObject({ mine: 1, mcpServers: { notes: {} } });
  expect((await home.json('restore')).code).toBe('BACKUP_NOT_FOUND');
  // The words of `disconnect` undo it.
  const [, id = ''] = /bindery restore --backup (\S+)/.exec(stdout) ?? [];
  expect((await home.run('restore', '--backup', id)).exitCode).toBe(0);
  expect(home.read('.cursor/mcp.json')).toBe(edited);
});

test('an edit between init and disconnect is not overwritten unless forced', async () => {
  const home = prepared();
  await home.run('init', '--yes', '--no-start', '--clients', 'cursor');
  writeFileSync(join(home.home, '.cursor/mcp.json'), home.read('.cursor/mcp.json').replace('{', '{ "mine": 1,'));
  await home.run('disconnect', 'cursor');
  const before = home.contents();
  expect((await home.json('restore')).code).toBe('RESTORE_CONFLICT');
  expect((await home.run('restore', '--dry-run')).exitCode).toBe(1);
  expect(home.contents()).toEqual(before);
  expect((await home.run('restore', '--force')).exitCode).toBe(0);
  expect(home.contents()).toEqual(FILES);
});

test('disconnect takes out the entry of an earlier connect too, and does not bring back what an import took out', async () => {
  const home = prepared();
  await home.run('connect', 'cursor');
  await home.run('connect', 'cursor', '--header', 'X-A: b');
  await home.run('disconnect', 'cursor');
  expect(home.contents()).toEqual(FILES);
  await home.run('import', '--yes');
  await home.run('import', '--yes', '--replace');
  await home.run('disconnect', 'cursor');
  expect(JSON.parse(home.read('.cursor/mcp.json'))).toEqual({ mcpServers: {} });
});

const ACTS = ['connect cursor', 'disconnect cursor', 'connect windsurf', 'disconnect windsurf'];

test('after any connects and disconnects one restore brings back every byte, and no entry of ours', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('init --yes --no-start', 'import --yes', 'import --yes --replace', ''),
      fc.array(fc.constantFrom(...ACTS), { maxLength: 5 }),
      async (first, acts) => {
        const home = prepared();
        for (const act of [first, ...acts]) if (act !== '') await home.run(...act.split(' '));
        const isTouched = Object.values(home.contents()).join() !== Object.values(FILES).join() || first !== '';
        const { code, left } = await home.json('restore');
        expect([code, left]).toEqual(isTouched ? [undefined, null] : ['BACKUP_NOT_FOUND', undefined]);
        expect(home.contents()).toEqual(FILES);
        expect((await home.json('restore')).code).toBe('BACKUP_NOT_FOUND');
      },
    ),
    { numRuns: Number(process.env.BINDERY_PROPERTY_RUNS ?? 12) },
  );
}, 60_000);

test('after a restore nothing decides in place of the policy that it removed, and doctor agrees', async () => {
  const home = prepared();
  await home.run('init', '--yes', '--no-start', '--clients', 'none', '--policy', 'read-only');
  // A gateway that ran keeps the last good version of its policy.
  const policy = join(home.dataDir, 'project_mcp.json');
  const registry = openDatabase(join(home.dataDir, 'registry.db'));
  new PolicyVersions(registry).keep(policy, policyVersion(readFileSync(policy, 'utf8'), 0));
  registry.close();
  const decided = async () => (await home.json('policy', 'check', 's', 't', '--cwd', home.home)).rule;
  const diagnosed = async () =>
    (await home.json('doctor', '--cwd', home.home)).findings
      .filter(({ check }: { check: string }) => check === 'policy')
      .map(({ level }: { level: string }) => level);
  const text = readFileSync(policy, 'utf8');
  rmSync(policy);
  expect([
    await diagnosed(),
    (await home.json('policy', 'check', 's', 't', '--cwd', home.home)).degraded,
  ]).toMatchObject([['error'], [{ status: 'vanished' }]]);
  writeFileSync(policy, text);
  expect((await home.run('restore')).exitCode).toBe(0);
  expect([await decided(), await diagnosed()]).toEqual(['no_policy', ['ok']]);
});
