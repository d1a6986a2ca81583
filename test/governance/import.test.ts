// biome-ignore-all lint/suspicious/noTemplateCurlyInString: clients write such placeholders.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readClientFile } from '../../src/gateway/import/client-file.ts';
import { FORMATS } from '../../src/gateway/import/client-formats.ts';
import { clientPlace } from '../../src/gateway/import/client-places.ts';
import { FileBackups } from '../../src/store/import/file-backups.ts';
import { openCommandHome } from '../support/command-home.ts';

const SAMPLES = {
  'claude-desktop': {
    path: '.config/Claude/claude_desktop_config.json',
    text: '{\n\t"globalShortcut": "Ctrl+K",\n\t"mcpServers": {\n\t\t"notes": {"command": "notes-server", "args": ["--dir", "~/n"], "env": {"NOTES_TOKEN": "n0te-s3cret"}}\n\t}\n}\n',
    entry: { transport: 'stdio', command: 'notes-server', args: ['--dir', '~/n'], env: { NOTES_TOKEN: 'n0te-s3cret' } },
    own: { command: process.execPath, args: [expect.stringMatching(/bin\/bindery\.js$/), 'stdio'] },
  },
  'claude-code': {
    path: '.claude.json',
    text: '{"numStartups": 7, "mcpServers": {"notes": {"type": "http", "url": "https://notes.example/mcp", "headers": {"Authorization": "Bearer ${NOTES}"}}}, "projects": {"/p": {"mcpServers": {"local": {"command": "x"}}}}}',
    entry: {
      transport: 'http',
      url: 'https://notes.example/mcp',
      headers: { Authorization: 'Bearer ${NOTES}' },
      expand_env: true,
    },
    own: { type: 'http', url: 'http://127.0.0.1:7717/mcp' },
  },
  cursor: {
    path: '.cursor/mcp.json',
    text: '{\r\n  // what I use\r\n  "mcpServers": {\r\n    "notes": {\r\n      "url": "https://notes.example/sse",\r\n      "type": "sse",\r\n      "headers": { "X-Key": "${env:NOTES_KEY}" }\r\n    },\r\n  },\r\n}\r\n',
    entry: {
      transport: 'sse',
      url: 'https://notes.example/sse',
      headers: { 'X-Key': '${NOTES_KEY}' },
      expand_env: true,
    },
    own: { url: 'http://127.0.0.1:7717/mcp' },
  },
  vscode: {
    path: '.config/Code/User/mcp.json',
    text: '{\n  "inputs": [{ "id": "key", "type": "promptString", "password": true }],\n  "servers": {\n    "notes": { "type": "stdio", "command": "notes", "env": { "KEY": "${env:NOTES_KEY}" } }\n  }\n}\n',
    entry: { transport: 'stdio', command: 'notes', env: { KEY: '${NOTES_KEY}' }, expand_env: true },
    own: { type: 'http', url: 'http://127.0.0.1:7717/mcp' },
  },
  codex: {
    path: '.codex/config.toml',
    text: 'model = "best" # comment\nnotify = [\n  "a", # one\n  "b",\n]\n\n[mcp_servers.notes]\ncommand = "notes"\nargs = ["--one", \'two\'] # why\nstartup_timeout_sec = 20\n\n[mcp_servers.notes.env]\n"KEY" = "v\\u00e9"\n\n[profiles.x]\nmcp = """\n[mcp_servers.not_one]\n"""\n',
    entry: {
      transport: 'stdio',
      command: 'notes',
      args: ['--one', 'two'],
      env: { KEY: 'vé' },
      startup_timeout_ms: 20_000,
    },
    own: undefined,
  },
  gemini: {
    path: '.gemini/settings.json',
    text: '{"theme": "x", "mcpServers": {"notes": {"httpUrl": "https://notes.example/mcp", "headers": {"K": "$NOTES"}, "timeout": 5000, "trust": true, "excludeTools": ["rm"]}}}',
    entry: {
      transport: 'http',
      url: 'https://notes.example/mcp',
      headers: { K: '${NOTES}' },
      request_timeout_ms: 5_000,
      exclude_tools: ['rm'],
      expand_env: true,
    },
    own: { httpUrl: 'http://127.0.0.1:7717/mcp' },
  },
  windsurf: {
    path: '.codeium/windsurf/mcp_config.json',
    text: '{\n    "mcpServers": {\n        "notes": {\n            "serverUrl": "https://notes.example/mcp",\n            "disabled": true\n        }\n    }\n}',
    entry: { transport: 'http', url: 'https://notes.example/mcp', enabled: false },
    own: { serverUrl: 'http://127.0.0.1:7717/mcp' },
  },
} as const;

const configOf = (home: { dataDir: string }) =>
  JSON.parse(readFileSync(join(home.dataDir, 'config.json'), 'utf8')).mcp.servers;

describe.each(Object.entries(SAMPLES))('the format of %s', (client, sample) => {
  test('is read into an entry of ours, and left with one entry that points at the gateway [gateway:I2] [gateway:I3]', async () => {
    const home = openCommandHome();
    const file = home.write(sample.path, sample.text);
    const output = await home.json('import', '--from', client, '--replace', '--yes');
    expect(configOf(home).notes).toEqual(sample.entry);
    expect(output.clients).toMatchObject([
      {
        client,
        file,
        servers: [{ id: 'notes', action: 'add', as: 'notes' }, ...(client === 'claude-code' ? [{}] : [])],
        replaced: true,
      },
    ]);
    const after = readFileSync(file, 'utf8');
    const format = FORMATS[client as keyof typeof SAMPLES];
    const left = readClientFile(format, after).filter(({ obstacle }) => obstacle === undefined);
    expect(left).toEqual([{ id: 'bindery', value: sample.own ?? { url: 'http://127.0.0.1:7717/mcp' } }]);
    expect([after.includes('\r\n'), after.includes('\t')]).toEqual([
      sample.text.includes('\r\n'),
      sample.text.includes('\t'),
    ]);
  });

  test('is restored byte for byte, with its mode, and our config is gone again [gateway:I4]', async () => {
    const home = openCommandHome();
    const file = home.write(sample.path, sample.text);
    chmodSync(file, 0o640);
    await home.json('import', '--replace', '--yes');
    expect((await home.run('restore')).exitCode).toBe(0);
    expect([
      readFileSync(file, 'utf8'),
      statSync(file).mode & 0o777,
      existsSync(join(home.dataDir, 'config.json')),
    ]).toEqual([sample.text, 0o640, false]);
    expect((await home.json('restore')).code).toBe('BACKUP_NOT_FOUND');
  });
});

test.each(['import --replace --yes', 'init --yes --no-start'])(
  'what only the client can fill in stays in the client, with the reason: %s [gateway:I2]',
  async (line) => {
    const home = openCommandHome();
    const servers = {
      asks: { type: 'stdio', command: 'notes', env: { KEY: '${input:key}' } },
      open: { type: 'stdio', command: 'files', args: ['${workspaceFolder}'] },
      read: { type: 'stdio', command: 'read', envFile: '/srv/me/read.env' },
      plain: { type: 'stdio', command: 'plain' },
    };
    const file = home.write(SAMPLES.vscode.path, JSON.stringify({ servers }, null, 2));
    const { clients } = await home.json(...line.split(' '));
    expect(clients[0].servers).toMatchObject([
      { id: 'asks', as: null, reason: 'the client asks a person for ${input:key}' },
      { id: 'open', as: null, reason: 'only the client knows ${workspaceFolder}' },
      { id: 'read', as: null, reason: 'only the client reads its envFile' },
      { id: 'plain', as: 'plain', reason: null },
    ]);
    const { plain: _moved, ...stay } = servers;
    expect(JSON.parse(readFileSync(file, 'utf8')).servers).toEqual({ ...stay, bindery: SAMPLES.vscode.own });
    expect(configOf(home)).toEqual({ plain: { transport: 'stdio', command: 'plain' } });
  },
);

test('a dry run writes nothing at all, shows a diff and no secret; without --yes nothing is written either [gateway:I1]', async () => {
  const home = openCommandHome();
  home.write(SAMPLES['claude-desktop'].path, SAMPLES['claude-desktop'].text);
  const dry = await home.run('import', '--dry-run', '--replace');
  expect([dry.exitCode, dry.stdout.includes('+++'), dry.stdout.includes('n0te-s3cret')]).toEqual([0, true, false]);
  expect(await home.json('import', '--replace')).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
  expect([existsSync(home.dataDir), readFileSync(join(home.home, SAMPLES['claude-desktop'].path), 'utf8')]).toEqual([
    false,
    SAMPLES['claude-desktop'].text,
  ]);
});

test('the plan masks secrets in arguments, of skipped servers too, and writes out what a terminal would obey [gateway:I1]', async () => {
  const home = openCommandHome();
  const secret = (number: number) => `hunter-${number}-2b7e`;
  const args = ['--api-key', secret(1), `--token=${secret(2)}`, '-e', `DB_PASSWORD=${secret(3)}`];
  const skipped = {
    url: `https://u:${secret(4)}@h.example/`,
    command: 7,
    args: ['--secret', secret(5)],
    env: { A: secret(6) },
  };
  const named = { command: 'x\u001b[2K', args: [...args, '--verbose', 'plain-value'] };
  // A tool that writes JSON may leave such characters in names as they are.
  const text = JSON.stringify({ mcpServers: { 'a\u202e': named, skipped } }, null, 2);
  home.write('.cursor/mcp.json', text);
  const { stdout, exitCode } = await home.run('import', '--dry-run', '--replace');
  expect([exitCode, stdout.includes('plain-value'), /hunter/.exec(stdout)?.[0]]).toEqual([0, true, undefined]);
  expect([stdout.includes('a\\u{202E}'), /[\u001b\u202e]/.exec(stdout)?.[0]]).toEqual([true, undefined]);
});

test('equal ids: the same definition is unchanged, another is renamed for its client, ours is never imported [gateway:I2]', async () => {
  const home = openCommandHome();
  const servers = (value: object) => JSON.stringify({ mcpServers: value });
  home.write(
    '.cursor/mcp.json',
    servers({ a: { command: 'x' }, 'b c': { command: 'y' }, bindery: { url: 'http://127.0.0.1:7717/mcp' } }),
  );
  home.write(
    '.codeium/windsurf/mcp_config.json',
    servers({
      a: { command: 'other' },
      'b c': { command: 'y' },
      bad: { args: [] },
      n: { command: 'z', env: { A: 1 } },
    }),
  );
  const first = await home.json('import', '--yes');
  expect(first.clients.map(({ servers: list }: { servers: unknown }) => list)).toEqual([
    [
      { id: 'a', action: 'add', as: 'a', reason: null },
      { id: 'b c', action: 'renamed', as: 'b-c', reason: null },
    ],
    [
      { id: 'a', action: 'renamed', as: 'a-windsurf', reason: null },
      { id: 'b c', action: 'unchanged', as: 'b-c', reason: null },
      { id: 'bad', action: 'skipped', as: null, reason: expect.any(String) },
      { id: 'n', action: 'skipped', as: null, reason: expect.any(String) },
    ],
  ]);
  const second = await home.json('import', '--yes');
  expect([second.backup, second.clients[1].servers[0]]).toEqual([
    null,
    { id: 'a', action: 'unchanged', as: 'a-windsurf', reason: null },
  ]);
});

test('one server that two clients have under two names is imported once [gateway:I2]', async () => {
  const home = openCommandHome();
  const notes = { command: 'notes', args: ['--dir', '/n'], env: { A: '1' } };
  home.write(
    '.cursor/mcp.json',
    JSON.stringify({ mcpServers: { notes, twice: { command: 'x' }, again: { command: 'x' } } }),
  );
  home.write(
    '.gemini/settings.json',
    JSON.stringify({ mcpServers: { 'my notes': { ...notes, timeout: 5_000 }, other: { ...notes, env: { A: '2' } } } }),
  );
  const { clients } = await home.json('import', '--yes');
  expect(clients.map(({ servers: list }: { servers: unknown }) => list)).toEqual([
    [
      { id: 'notes', action: 'add', as: 'notes', reason: null },
      { id: 'twice', action: 'add', as: 'twice', reason: null },
      { id: 'again', action: 'add', as: 'again', reason: null },
    ],
    [
      { id: 'my notes', action: 'unchanged', as: 'notes', reason: null },
      { id: 'other', action: 'add', as: 'other', reason: null },
    ],
  ]);
});

test('an import says that the clients keep their entries, and how to replace them', async () => {
  const home = openCommandHome();
  home.write(SAMPLES.cursor.path, SAMPLES.cursor.text);
  expect((await home.run('import', '--yes')).stdout).toContain('in each: bindery import --replace\n');
  expect((await home.run('import', '--yes', '--replace')).stdout).not.toContain('--replace');
});

test('any file with servers can be imported by its name [gateway:I1]', async () => {
  const home = openCommandHome();
  const file = home.write(
    'some.json',
    '{"servers": {"s": {"type": "streamable-http", "url": "https://s.example/mcp"}}}',
  );
  expect(await home.json('import', '--from', 'file', file, '--yes')).toMatchObject({
    clients: [{ client: 'file', servers: [{ id: 's', action: 'add' }] }],
  });
  expect(configOf(home)).toEqual({ s: { transport: 'http', url: 'https://s.example/mcp' } });
  expect((await home.json('import', '--from', 'file')).code).toBe('USAGE');
  expect((await home.json('import', '--from', 'cursor')).code).toBe('IMPORT_NOT_FOUND');
});

test('a file that was changed since is not overwritten, unless forced, and then kept [gateway:I4]', async () => {
  const home = openCommandHome();
  const file = home.write(SAMPLES.cursor.path, SAMPLES.cursor.text);
  const { backup } = await home.json('import', '--replace', '--yes');
  writeFileSync(file, '{"changed": true}');
  const config = readFileSync(join(home.dataDir, 'config.json'), 'utf8');
  expect((await home.json('restore')).code).toBe('RESTORE_CONFLICT');
  expect([readFileSync(file, 'utf8'), readFileSync(join(home.dataDir, 'config.json'), 'utf8')]).toEqual([
    '{"changed": true}',
    config,
  ]);
  expect((await home.run('restore', '--backup', backup, '--force')).exitCode).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(SAMPLES.cursor.text);
  const kept = readdirSync(join(home.dataDir, 'backups')).filter((name) => name !== backup);
  expect(readFileSync(join(home.dataDir, 'backups', kept[0] as string, '0.bytes'), 'utf8')).toBe('{"changed": true}');
});

test('the manifest names each file with its digests, and both are for their owner alone [gateway:I3]', async () => {
  const home = openCommandHome();
  const file = home.write(SAMPLES.cursor.path, SAMPLES.cursor.text);
  const { backup } = await home.json('import', '--replace', '--yes');
  const manifest = JSON.parse(readFileSync(join(home.dataDir, 'backups', backup, 'manifest.json'), 'utf8'));
  const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
  expect(manifest.files).toEqual([
    {
      path: join(home.dataDir, 'config.json'),
      existed: false,
      mode: null,
      sha256_before: null,
      sha256_after: sha256(readFileSync(join(home.dataDir, 'config.json'))),
    },
    {
      path: file,
      existed: true,
      mode: '0644',
      sha256_before: sha256(SAMPLES.cursor.text),
      sha256_after: sha256(readFileSync(file)),
    },
  ]);
  const modes = readdirSync(join(home.dataDir, 'backups', backup)).map(
    (name) => statSync(join(home.dataDir, 'backups', backup, name)).mode & 0o777,
  );
  expect(new Set(modes)).toEqual(new Set([0o600]));
});

test('one client with a broken file is left out with a warning; asked for by name it is an error [gateway:I1]', async () => {
  const home = openCommandHome();
  home.write(SAMPLES.cursor.path, '{"mcpServers": ');
  home.write(SAMPLES.windsurf.path, SAMPLES.windsurf.text);
  const all = await home.run('import', '--yes', '--json');
  expect([JSON.parse(all.stdout).clients.length, all.stderr]).toEqual([
    1,
    expect.stringContaining('cursor is left out'),
  ]);
  expect([all.exitCode, JSON.parse(all.stdout).left_out]).toEqual([1, ['cursor']]);
  expect((await home.json('import', '--from', 'cursor')).code).toBe('IMPORT_UNREADABLE');
});

test('places differ by platform', () => {
  const on = (platform: string, env = {}) => clientPlace('claude-desktop', { platform, home: '/h', env });
  expect([
    on('darwin'),
    on('win32', { APPDATA: '/h/AppData/Roaming' }),
    on('linux'),
    on('linux', { XDG_CONFIG_HOME: '/x' }),
  ]).toEqual([
    '/h/Library/Application Support/Claude/claude_desktop_config.json',
    '/h/AppData/Roaming/Claude/claude_desktop_config.json',
    '/h/.config/Claude/claude_desktop_config.json',
    '/x/Claude/claude_desktop_config.json',
  ]);
});

test('import and restore leave any file as it was, byte for byte, whatever it holds [gateway:I4]', async () => {
  const server = fc.record(
    { command: fc.string({ minLength: 1 }), args: fc.array(fc.string(), { maxLength: 2 }) },
    { requiredKeys: ['command'] },
  );
  const file = fc.record({
    servers: fc.dictionary(
      fc.string({ minLength: 1, maxLength: 10 }).filter((key) => key !== '__proto__'),
      server,
      { maxKeys: 4 },
    ),
    indent: fc.constantFrom('', '\t', '   '),
    ending: fc.constantFrom('', '\n', '\r\n', ' // end', '\n\n\n'),
  });
  await fc.assert(
    fc.asyncProperty(file, file, async (cursor, windsurf) => {
      const home = openCommandHome();
      const text = ({ servers, indent, ending }: typeof cursor) =>
        `${JSON.stringify({ x: 1, mcpServers: servers }, null, indent)}${ending}`;
      const files = [
        home.write(SAMPLES.cursor.path, text(cursor)),
        home.write(SAMPLES.windsurf.path, text(windsurf)),
        home.write('.bindery/config.json', '{ "version": 1 } // mine'),
      ];
      const before = files.map((path) => readFileSync(path, 'utf8'));
      const imported = await home.json('import', '--replace', '--yes');
      expect(imported.clients).toHaveLength(2);
      expect((await home.run('restore')).exitCode).toBe(0);
      expect(files.map((path) => readFileSync(path, 'utf8'))).toEqual(before);
    }),
    { numRuns: Number(process.env.BINDERY_PROPERTY_RUNS ?? 15) },
  );
});

test('bytes of any kind come back from a backup, and a backup that was damaged restores nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array(), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (contents, damage) => {
        const home = openCommandHome();
        const backups = new FileBackups(join(home.dataDir, 'backups'), { now: Date.now });
        const paths = contents.map((bytes, index) => home.write(`f${index}`, bytes));
        const id = await backups.create(
          paths.map((path) => ({ path, after: Buffer.from('new') })),
          'import',
        );
        for (const path of paths) writeFileSync(path, 'new');
        if (damage) {
          mkdirSync(dirname(paths[0] as string), { recursive: true });
          writeFileSync(join(home.dataDir, 'backups', id, '0.bytes'), 'damaged');
          await expect(backups.restore({ force: false, dry_run: false })).rejects.toMatchObject({
            code: 'BACKUP_INVALID',
          });
          expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(paths.map(() => 'new'));
        } else {
          await backups.restore({ force: false, dry_run: false });
          expect(paths.map((path) => new Uint8Array(readFileSync(path)))).toEqual(contents);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('a plan says what is switched off, what was split and what is in no environment [gateway:I2]', async () => {
  const home = openCommandHome();
  const servers = {
    off: { command: 'a', disabled: true, env: { B: '2', DEBUG: '1' } },
    files: { command: 'files', args: ['${workspaceFolder}'] },
    line: { command: 'npx -y @x/y' },
    spaced: { command: '/opt/My App/run' },
  };
  home.write('.cursor/mcp.json', JSON.stringify({ mcpServers: servers }, null, 2));
  const init = await home.run('init', '--yes', '--no-start', '--dry-run', '--clients', 'cursor,windsurf');
  expect(init.stdout).toContain(
    [
      `client     cursor (${join(home.home, '.cursor/mcp.json')})`,
      '             off (switched off, as in the client)',
      '             files stays in the client: only the client knows ${workspaceFolder}',
      '             line (its command is split at the spaces)',
      '             spaced',
      `client     windsurf (${join(home.home, '.codeium/windsurf/mcp_config.json')})`,
    ].join('\n'),
  );
  // Values of variables are masked, however short they are.
  expect([init.stdout.match(/"(?:B|DEBUG)": "\*\*\*"/g)?.length, /"[12]"/.test(init.stdout)]).toEqual([4, false]);
  await home.run('import', '--yes');
  expect(configOf(home).line).toEqual({ transport: 'stdio', command: 'npx', args: ['-y', '@x/y'] });
  expect(configOf(home).spaced.command).toBe('/opt/My App/run');
  await home.run('mcp', 'add', 'files', '--scope', 'global', '--', 'files', '${workspaceFolder}');
  const { stderr } = await home.run('mcp', 'list', '--scope', 'global');
  expect(stderr).toContain('args has a placeholder that only an editor fills in: write the value itself');
  expect(stderr).not.toContain('expand_env');
});
