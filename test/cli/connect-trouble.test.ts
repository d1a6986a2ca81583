import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { applyChanges } from '../../src/cli/commands/file-changes.ts';
import { FileBackups } from '../../src/store/import/file-backups.ts';
import { openCommandHome } from '../support/command-home.ts';

const CURSOR = '.cursor/mcp.json';
const NOTES = '{"mcpServers": {"notes": {"command": "notes"}}}';

function opened(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const home = openCommandHome();
  for (const [path, content] of Object.entries(files)) home.write(path, content);
  const read = (path: string) => readFileSync(join(home.home, path), 'utf8');
  return { ...home, read, nothingToUndo: async () => (await home.json('restore')).code === 'BACKUP_NOT_FOUND' };
}

test('a client whose folder cannot be written is named with the path and the reason, and leaves nothing to undo', async () => {
  // A file in place of the folder: even root cannot write there.
  const home = opened({ '.codeium/windsurf': 'a file' });
  const file = join(home.home, '.codeium/windsurf/mcp_config.json');
  expect(await home.json('connect', 'windsurf')).toMatchObject({
    code: 'CONFIG_UNWRITABLE',
    detail: expect.stringMatching(new RegExp(`^${file} \\((?:ENOTDIR|EEXIST)\\)$`)),
  });
  expect(await home.nothingToUndo()).toBe(true);
});

test('a data directory that cannot be used is named', async () => {
  const home = opened({ '.bindery': 'a file', [CURSOR]: NOTES });
  expect(await home.json('connect', 'cursor')).toMatchObject({
    code: 'DATA_DIR_UNUSABLE',
    detail: expect.stringContaining(home.dataDir),
  });
  expect(home.read(CURSOR)).toBe(NOTES);
});

test('init sets the other clients up, says which one it could not, and fails', async () => {
  const home = opened({ '.codeium/windsurf': 'a file', [CURSOR]: NOTES });
  const argv = ['init', '--yes', '--no-start', '--clients', 'windsurf,cursor'];
  const done = await home.run(...argv);
  const file = join(home.home, '.codeium/windsurf/mcp_config.json');
  expect([done.exitCode, done.stdout]).toEqual([1, expect.stringContaining(`not written: ${file} (E`)]);
  expect(done.stdout).toContain('Check that you can write the folder');
  expect(JSON.parse(home.read(CURSOR)).mcpServers).toEqual({ bindery: { url: 'http://127.0.0.1:7717/mcp' } });
  // What failed is no part of what is undone.
  const restored = await home.json('restore');
  expect(restored.files.map(({ path }: { path: string }) => path)).not.toContain(file);
  expect([home.read(CURSOR), await home.nothingToUndo()]).toEqual([NOTES, true]);
});

test('of several files one that cannot be written stays out; where none can, that is the error', async () => {
  const home = opened({ [CURSOR]: 'old', folder: 'a file' });
  const backups = new FileBackups(join(home.dataDir, 'backups'), { now: Date.now });
  const good = { path: join(home.home, CURSOR), before: 'old', after: 'new', isClient: true } as const;
  const bad = { path: join(home.home, 'folder/x.json'), before: undefined, after: 'new', isClient: true } as const;
  const { unwritten } = await applyChanges(backups, [bad, good], 'import');
  expect([unwritten.map(({ path }) => path), home.read(CURSOR)]).toEqual([[bad.path], 'new']);
  expect((await backups.restore({ force: false, dry_run: false })).files).toMatchObject([{ path: good.path }]);
  expect(home.read(CURSOR)).toBe('old');
  await expect(applyChanges(backups, [bad], 'import')).rejects.toMatchObject({ code: 'CONFIG_UNWRITABLE' });
  // One of ours stops everything, and what was written before it is as it was.
  const { isClient: _isClient, ...ours } = bad;
  await expect(applyChanges(backups, [good, ours], 'init')).rejects.toMatchObject({ code: 'CONFIG_UNWRITABLE' });
  expect([home.read(CURSOR), await home.nothingToUndo()]).toEqual(['old', true]);
});

const FOREIGN = {
  cursor: [CURSOR, '{"mcpServers":{"bindery":{"command":"my-own-bindery",  "env":{"K":"V"}}}}'],
  codex: [
    '.codex/config.toml',
    'model = "x"\n\n[mcp_servers.bindery] # mine\ncommand = "my-own"\n\n[mcp_servers.bindery.env]\nK = "V"\n\n[tools]\nweb = true\n',
  ],
} as const;

test.each(Object.entries(FOREIGN))(
  '%s: another server named bindery is replaced only with --force, and disconnect brings it back',
  async (client, [path, text]) => {
    const home = opened({ [path]: text });
    const refused = await home.json('connect', client);
    expect([refused.code, refused.detail, home.read(path)]).toEqual([
      'CONFIRMATION_REQUIRED',
      `${join(home.home, path)} has another server named bindery`,
      text,
    ]);
    expect((await home.run('disconnect', client)).stdout).toContain(
      'is not connected: bindery is another server there',
    );
    const { stdout } = await home.run('connect', client, '--force');
    await home.run('connect', client, '--header', 'X-A: b');
    expect(home.read(path)).toContain('127.0.0.1:7717/mcp');
    expect(home.read(path)).toMatch(/"X-A"(?:: ?| = )"b"/);
    const [, undo = ''] = /Undo: bindery (.+)/.exec(stdout) ?? [];
    await home.run(...undo.split(' '));
    expect([home.read(path), await home.nothingToUndo()]).toEqual([text, true]);
    expect((await home.json('disconnect', client)).action).toBe('foreign');
  },
);

test.each(Object.entries(FOREIGN))(
  '%s: what was replaced comes back also where the file was edited meanwhile',
  async (client, [path, text]) => {
    const home = opened({ [path]: text });
    await home.run('connect', client, '--force');
    const edit = client === 'codex' ? ['model = "x"', 'model = "y"'] : ['{"mcp', '{"new":1,"mcp'];
    const [from = '', to = ''] = edit;
    writeFileSync(join(home.home, path), home.read(path).replace(from, to));
    await home.run('disconnect', client);
    expect(home.read(path)).toBe(text.replace(from, to));
  },
);

test('an import takes another server named bindery along, and an entry of an earlier port is ours', async () => {
  const home = opened({ [CURSOR]: FOREIGN.cursor[1] });
  const { clients } = await home.json('import', '--replace', '--yes');
  expect(clients[0].servers).toEqual([{ id: 'bindery', action: 'add', as: 'bindery', reason: null }]);
  writeFileSync(join(home.home, CURSOR), '{"mcpServers":{"bindery":{"url":"http://127.0.0.1:8123/mcp"}}}');
  expect((await home.json('connect', 'cursor')).action).toBe('written');
});

test('the undo of a connect to a named file is the right one', async () => {
  const home = opened({ 'some file.json': NOTES });
  const { stdout } = await home.run('connect', 'cursor', '--file', join(home.home, 'some file.json'));
  const [, undo = ''] = /Undo: bindery (.+)/.exec(stdout) ?? [];
  expect((await home.run(...undo.split(' '))).exitCode).toBe(0);
  expect(home.read('some file.json')).toBe(NOTES);
});

test('what an import skips stays in the client, with the reason', async () => {
  const text =
    '{\n  "mcpServers": {\n    "notes": { "command": "notes" },\n    "broken": {"args": ["x"]}, // mine\n    "list": { "command": ["npx", "-y"] }\n  }\n}\n';
  const toml = '[mcp_servers.broken]\nargs = ["x"]\n\n[mcp_servers.notes]\ncommand = "notes"\n';
  const home = opened({ [CURSOR]: text, '.codex/config.toml': toml });
  const { clients } = await home.json('import', '--replace', '--yes');
  expect(clients[0].servers.slice(1)).toEqual([
    { id: 'broken', action: 'skipped', as: null, reason: 'it has neither a command nor a URL' },
    { id: 'list', action: 'skipped', as: null, reason: 'its command is not a text' },
  ]);
  const left = home.read(CURSOR);
  expect(left).toContain('    "broken": {"args": ["x"]}, // mine\n    "list": { "command": ["npx", "-y"] }');
  expect([left.includes('notes'), left.includes('"bindery"')]).toEqual([false, true]);
  expect(home.read('.codex/config.toml')).toBe(
    '[mcp_servers.broken]\nargs = ["x"]\n\n[mcp_servers.bindery]\nurl = "http://127.0.0.1:7717/mcp"\n',
  );
  // A second time there is nothing to do.
  expect((await home.json('import', '--replace', '--yes')).backup).toBe(null);
  await home.run('restore');
  expect([home.read(CURSOR), home.read('.codex/config.toml')]).toEqual([text, toml]);
});

const UNREADABLE = {
  'not UTF-8': ['cursor', CURSOR, Buffer.from('{"x":"caf\xe9","mcpServers":{}}', 'latin1'), 'it is not UTF-8'],
  'not JSON': ['cursor', CURSOR, '{\n\n"a" 1}', 'line 3: '],
  'two sections': [
    'cursor',
    CURSOR,
    '{"mcpServers":{},\n"mcpServers":{"a":{"command":"a"}}}',
    'line 2: "mcpServers" is there twice',
  ],
  'TOML that an import does not understand': [
    'codex',
    '.codex/config.toml',
    '[mcp_servers.a]\ncommand = """\nx"""\n',
    '',
  ],
} as const;

test.each(Object.entries(UNREADABLE))(
  'a file that is %s is refused by its path, and no byte of it changes',
  async (_, [client, path, content, reason]) => {
    const home = opened({ [path]: content });
    const file = join(home.home, path);
    for (const argv of [['connect', client], ['import']]) {
      expect(await home.json(...argv)).toMatchObject({
        code: 'IMPORT_UNREADABLE',
        detail: expect.stringContaining(`${file}: ${reason}`),
      });
    }
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  },
);

test('the temporary file of a command that was killed goes with the next one, and with restore', async () => {
  const home = opened({ [CURSOR]: NOTES });
  const leave = () => {
    const file = join(home.home, '.cursor', '.mcp.json.bindery-0.tmp');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'half');
    utimesSync(file, 1, 1);
  };
  leave();
  await home.run('import', '--replace', '--yes');
  expect(readdirSync(join(home.home, '.cursor'))).toEqual(['mcp.json']);
  leave();
  await home.run('restore');
  expect([readdirSync(join(home.home, '.cursor')), existsSync(join(home.dataDir, 'config.json'))]).toEqual([
    ['mcp.json'],
    false,
  ]);
});
