import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';

const CURSOR = '.cursor/mcp.json';
const WINDSURF = '.codeium/windsurf/mcp_config.json';
const FILES = {
  [CURSOR]: '{ "mcpServers": { "notes": { "command": "notes" } } }',
  [WINDSURF]: '{\n  "mcpServers": { "maps": { "command": "maps" } }\n}\n',
};

function prepared() {
  const home = openCommandHome();
  for (const [path, text] of Object.entries(FILES)) home.write(path, text);
  const read = (path: string) => readFileSync(join(home.home, path), 'utf8');
  const contents = () => Object.fromEntries(Object.keys(FILES).map((path) => [path, read(path)]));
  const config = join(home.dataDir, 'config.json');
  const servers = () => Object.keys(JSON.parse(readFileSync(config, 'utf8')).mcp?.servers ?? {});
  const edit = (path: string) => writeFileSync(join(home.home, path), read(path).replace('{', '{ "mine": 1,'));
  return { ...home, read, contents, config, servers, edit };
}

/** What happened to each file, by the end of its path. */
function actions({ files }: { files: { path: string; action: string; note?: string }[] }) {
  return files.map(({ path, action, note }) => [path.split('/').at(-1), action, ...(note === undefined ? [] : [note])]);
}

test.each(['import --yes', 'import --replace --yes', 'init --yes --no-start --clients cursor,windsurf'])(
  'servers that were added and changed since with our commands stay, and every client is as it was: %s',
  async (line) => {
    const home = prepared();
    await home.run(...line.split(' '));
    await home.run('connect', 'claude-code');
    await home.run('mcp', 'add', 'docs', 'https://example.com/mcp', '--scope', 'global');
    await home.run('catalog', 'add', 'time', '--yes', '--scope', 'global');
    expect(home.servers()).toEqual(expect.arrayContaining(['notes', 'docs']));
    const planned = await home.run('restore', '--dry-run');
    expect([planned.exitCode, planned.stdout]).toEqual([0, expect.stringContaining(`edited\t${home.config}`)]);
    const restored = await home.run('restore');
    expect([restored.exitCode, restored.stdout]).toEqual([
      0,
      expect.stringContaining(`In ${home.config}, what was changed since stays.\n`),
    ]);
    expect(home.contents()).toEqual(FILES);
    expect(existsSync(join(home.home, '.claude.json'))).toBe(false);
    expect([home.servers().includes('docs'), home.servers().includes('notes')]).toEqual([true, false]);
    expect((await home.json('restore')).code).toBe('BACKUP_NOT_FOUND');
  },
);

test('what was added and removed again, or switched off, leaves no config behind', async () => {
  const home = prepared();
  await home.run('import', '--yes');
  await home.run('mcp', 'add', 'docs', 'https://example.com/mcp', '--scope', 'global');
  await home.run('mcp', 'remove', 'docs', '--scope', 'global');
  await home.run('mcp', 'disable', 'notes', '--scope', 'global');
  expect((await home.run('restore')).exitCode).toBe(0);
  expect(existsSync(home.config)).toBe(false);
});

test('comments and bytes of an edited config stay', async () => {
  const home = prepared();
  const before = '{\n\t// mine\n\t"version": 1,\n\t"mcp": { "servers": { "own": { "command": "own" } } }\n}\n';
  home.write('.bindery/config.json', before);
  await home.run('import', '--yes');
  writeFileSync(home.config, `${readFileSync(home.config, 'utf8')}// the end\n`);
  expect((await home.run('restore')).exitCode).toBe(0);
  expect(readFileSync(home.config, 'utf8')).toBe(`${before}// the end\n`);
});

test('an imported server that was changed since stays, is named with the command that removes it, and can then be restored', async () => {
  const home = prepared();
  await home.run('import', '--replace', '--yes');
  writeFileSync(home.config, readFileSync(home.config, 'utf8').replace('"notes"\n', '"notes2"\n'));
  const sentence = 'the server notes has changed since; `bindery mcp remove notes --scope global` removes it';
  const { exitCode, stdout } = await home.run('restore');
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`Left in ${home.config}: ${sentence}\n`)]);
  expect([home.contents(), home.servers()]).toEqual([FILES, ['notes']]);
  expect((await home.json('restore')).code).toBe('RESTORE_CONFLICT');
  await home.run('mcp', 'remove', 'notes', '--scope', 'global');
  expect((await home.run('restore')).exitCode).toBe(0);
  expect((await home.json('restore')).code).toBe('BACKUP_NOT_FOUND');
});

test('a broken config does not keep the clients from being restored', async () => {
  const home = prepared();
  await home.run('import', '--replace', '--yes');
  writeFileSync(home.config, '{ "mcp": ');
  const { exitCode, stdout } = await home.run('restore');
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining('cannot be edited')]);
  expect([home.contents(), readFileSync(home.config, 'utf8')]).toEqual([FILES, '{ "mcp": ']);
});

test('a client’s file that somebody changed keeps all files as they are, and the plan says so [gateway:I4]', async () => {
  const home = prepared();
  await home.run('import', '--replace', '--yes');
  const written = home.read(CURSOR);
  home.edit(CURSOR);
  const [now, config] = [home.contents(), readFileSync(home.config, 'utf8')];
  const reason = `nothing is restored, because ${join(home.home, CURSOR)} has changed`;
  const dry = await home.run('restore', '--dry-run', '--json');
  expect([dry.exitCode, actions(JSON.parse(dry.stdout))]).toEqual([
    1,
    [
      ['config.json', 'left', reason],
      ['mcp.json', 'left', 'it has changed since Bindery wrote it'],
      ['mcp_config.json', 'left', reason],
    ],
  ]);
  const refused = await home.json('restore');
  expect([refused.code, refused.files]).toEqual(['RESTORE_CONFLICT', [join(home.home, CURSOR)]]);
  expect([home.contents(), readFileSync(home.config, 'utf8')]).toEqual([now, config]);
  // With the edit gone, everything is restored.
  writeFileSync(join(home.home, CURSOR), written);
  expect((await home.run('restore')).exitCode).toBe(0);
  expect([home.contents(), existsSync(home.config)]).toEqual([FILES, false]);
});

test('a client that was changed and disconnected keeps no restore from being complete', async () => {
  const home = prepared();
  await home.run('import', '--yes');
  await home.run('connect', 'cursor');
  home.edit(CURSOR);
  await home.run('disconnect', 'cursor');
  expect((await home.run('restore')).exitCode).toBe(0);
  expect([JSON.parse(home.read(CURSOR)), existsSync(home.config)]).toEqual([
    { mine: 1, ...JSON.parse(FILES[CURSOR]) },
    false,
  ]);
});

test('--force says where the copy of what it replaced is, and how to bring it back', async () => {
  const home = prepared();
  await home.run('import', '--replace', '--yes');
  await home.run('mcp', 'add', 'docs', 'https://example.com/mcp', '--scope', 'global');
  home.edit(CURSOR);
  const [edited, config] = [home.read(CURSOR), readFileSync(home.config, 'utf8')];
  const { exitCode, stdout } = await home.run('restore', '--force');
  expect([exitCode, home.contents(), existsSync(home.config)]).toEqual([0, FILES, false]);
  const [, folder = ''] = /What --force replaced is kept in (\S+)\n/.exec(stdout) ?? [];
  expect(readdirSync(folder).filter((name) => name.endsWith('.bytes'))).toHaveLength(2);
  const [, id = ''] = /To bring it back: bindery restore --backup (\S+)\n/.exec(stdout) ?? [];
  expect((await home.run('restore', '--backup', id)).exitCode).toBe(0);
  expect([home.read(CURSOR), readFileSync(home.config, 'utf8')]).toEqual([edited, config]);
});

test('a restore that was killed after it edited the config goes on where it stopped', async () => {
  const home = prepared();
  await home.run('import', '--replace', '--yes');
  await home.run('mcp', 'add', 'docs', 'https://example.com/mcp', '--scope', 'global');
  const [manifest, taken] = [join(home.dataDir, 'backups'), home.contents()];
  const backup = join(manifest, readdirSync(manifest)[0] as string, 'manifest.json');
  const before = readFileSync(backup, 'utf8');
  await home.run('restore');
  // As if it had written the config and one client only.
  writeFileSync(backup, before);
  writeFileSync(join(home.home, WINDSURF), taken[WINDSURF] as string);
  expect(actions(await home.json('restore'))).toEqual([
    ['config.json', 'unchanged'],
    ['mcp.json', 'unchanged'],
    ['mcp_config.json', 'restored'],
  ]);
  expect([home.contents(), home.servers()]).toEqual([FILES, ['docs']]);
});

test('a backup without the content that was written leaves the changed config as it is, and says so', async () => {
  const home = prepared();
  const { backup } = await home.json('import', '--replace', '--yes');
  rmSync(join(home.dataDir, 'backups', backup, '0.after.bytes'));
  await home.run('mcp', 'add', 'docs', 'https://example.com/mcp', '--scope', 'global');
  const { exitCode, stdout } = await home.run('restore');
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`Left in ${home.config}: it has changed`)]);
  expect([home.contents(), home.servers()]).toEqual([FILES, ['notes', 'maps', 'docs']]);
});
