import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openHostCommands } from '../support/host-commands.ts';
import { commandLine } from '../support/running-bindery.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const URL_A = 'https://a.example/mcp';

async function withProject(servers: object) {
  const commands = await openHostCommands();
  await mkdir(join(commands.project, '.bindery'));
  await writeFile(commands.projectFile, JSON.stringify({ version: 1, mcp: { servers } }));
  return commands;
}

describe('mcp add', () => {
  test('[host:M3] [host:C1] writes every flag into the entry and says where', async () => {
    const { run, projectFile } = await openHostCommands();
    const { stdout, exitCode } = await run(
      ...['mcp', 'add', 'remote', '--transport', 'http', '--url', URL_A, '--header', 'X-A=b=c', '--header', 'X-D=e'],
      ...['--enabled', 'false', '--request-timeout-ms', '5000', '--oauth-authorization-url', 'https://o/a'],
      ...['--oauth-token-url', 'https://o/t', '--oauth-registration-url', 'https://o/r', '--oauth-client-id', 'id'],
      ...['--oauth-client-secret', 'sec', '--oauth-scope', 'mcp'],
    );
    expect([stdout, exitCode]).toEqual([`added remote (project: ${projectFile})\n`, 0]);
    expect(JSON.parse(await readFile(projectFile, 'utf8'))).toEqual({
      version: 1,
      mcp: {
        servers: {
          remote: {
            transport: 'http',
            url: URL_A,
            headers: { 'X-A': 'b=c', 'X-D': 'e' },
            enabled: false,
            request_timeout_ms: 5000,
            oauth: {
              authorization_url: 'https://o/a',
              token_url: 'https://o/t',
              registration_url: 'https://o/r',
              client_id: 'id',
              client_secret: 'sec',
              scope: 'mcp',
            },
          },
        },
      },
    });
  });

  test('[host:C1] a stdio server, into the global file', async () => {
    const { run, globalFile } = await openHostCommands();
    await run(
      ...['mcp', 'add', 'local', '--transport', 'stdio', '--command', 'npx', '--arg', '-y', '--arg', 'thing'],
      ...['--cwd', tmpdir(), '--env', 'A=b', '--scope', 'global'],
    );
    expect(JSON.parse(await readFile(globalFile, 'utf8')).mcp.servers.local).toEqual({
      transport: 'stdio',
      command: 'npx',
      args: ['-y', 'thing'],
      cwd: tmpdir(),
      env: { A: 'b' },
    });
  });

  test('[host:H1] --identity stores the name', async () => {
    const { run, json, projectFile } = await openHostCommands();
    await run('mcp', 'add', 'sentinel', '--identity', 'ai://sentinel');
    expect(JSON.parse(await readFile(projectFile, 'utf8')).mcp.servers.sentinel).toEqual({
      transport: 'http',
      identity: 'ai://sentinel',
    });
    expect((await json('mcp', 'list')).items[0]).toMatchObject({ identity: 'ai://sentinel' });
  });

  test.each([
    [['mcp', 'add', 'bad id', '--url', URL_A], 'SERVER_INVALID'],
    [['mcp', 'add', 'a', '--url', 'example.com'], 'SERVER_INVALID'],
    [['mcp', 'add', 'a', '--transport', 'http'], 'SERVER_INVALID'],
    [['mcp', 'add', 'a', '--transport', 'stdio'], 'SERVER_INVALID'],
    [['mcp', 'add', 'a', '--identity', 'ai://x', '--url', URL_A], 'SERVER_INVALID'],
    [['mcp', 'add', 'a', '--url', URL_A, '--header', 'novalue'], 'INVALID_ARGUMENTS'],
    [['mcp', 'add', 'a', '--url', URL_A, '--enabled', 'maybe'], 'INVALID_ARGUMENTS'],
  ])('[host:M3] [host:X29] %j is refused with %s, and nothing is written', async (argv, code) => {
    const { run, projectFile } = await openHostCommands();
    const { stdout, exitCode } = await run(...argv, '--json');
    expect([JSON.parse(stdout).code, exitCode]).toEqual([code, 1]);
    await expect(readFile(projectFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('[host:M3] an id that exists needs --replace', async () => {
    const { run, json } = await openHostCommands();
    await run('mcp', 'add', 'a', '--url', URL_A);
    expect(await run('mcp', 'add', 'a', '--url', URL_A)).toEqual({
      stdout: '',
      stderr:
        'error: The server is configured already: "a" is in the project config (SERVER_EXISTS)\nnext: Choose another id, or overwrite the entry with --replace.\n',
      exitCode: 1,
    });
    await run('mcp', 'add', 'a', '--url', 'https://b.example/', '--replace');
    expect((await json('mcp', 'list')).items[0].url).toBe('https://b.example/');
  });

  test('[host:M3] plain http to another host is accepted with a warning', async () => {
    const { run } = await openHostCommands();
    const { stderr, exitCode } = await run('mcp', 'add', 'a', '--url', 'http://example.com/mcp');
    expect([stderr.startsWith('warning: a: http:// to a host'), exitCode]).toEqual([true, 0]);
  });
});

describe('the directories', () => {
  test.each([
    [{}, '.bindery/config.json', '.bindery/mcp-auth.json'],
    [{ BINDERY_LAYOUT: 'xdg' }, '.config/bindery/config.json', '.config/bindery/mcp-auth.json'],
    [{ BINDERY_CONFIG_PATH: 'HOME/else/my.json' }, 'else/my.json', 'else/mcp-auth.json'],
  ])('[host:G2] with %j', async (env: Record<string, string>, config, tokens) => {
    const commands = await openHostCommands((home) =>
      Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('HOME', home)])),
    );
    const { run, dir } = commands;
    await run('mcp', 'add', 'a', '--url', URL_A, '--scope', 'global');
    await run('mcp', 'auth', 'set', 'a', '--access-token', 't');
    expect(JSON.parse(await readFile(join(dir, config), 'utf8')).mcp.servers).toHaveProperty('a');
    expect(JSON.parse(await readFile(join(dir, tokens), 'utf8')).servers).toHaveProperty('a');
  });
});

describe('mcp list', () => {
  test('[host:M4] [gateway:M4] nothing configured', async () => {
    const { run } = await openHostCommands();
    expect(await run('mcp', 'list')).toEqual({ stdout: 'no MCP servers configured\n', stderr: '', exitCode: 0 });
    expect((await run('mcp', 'list', '--json')).stdout).toBe('{"items":[],"next_cursor":null}\n');
  });

  test('[host:M4] [host:A18] [gateway:A18] [host:A21] [gateway:A21] [host:X30] columns and items, with the reason of a bad entry and secrets masked', async () => {
    const { run, json } = await withProject({
      b: { transport: 'http' },
      a: { transport: 'http', url: 'https://ann:hunter22@a.example/mcp', headers: { 'X-Key': 'hunter22' } },
      c: { transport: 'stdio', command: 'npx', env: { ANY: 'hunter22' }, enabled: false },
    });
    expect((await run('mcp', 'list')).stdout).toBe(
      `a\thttp\tproject\ttrue\t\nb\thttp\tproject\ttrue\turl: is required for transport http (or identity)\nc\tstdio\tproject\tfalse\t\n`,
    );
    expect(await json('mcp', 'list')).toEqual({
      items: [
        {
          ...{ id: 'a', transport: 'http', source: 'project', enabled: true, valid: true, reason: null },
          ...{ url: 'https://***@a.example/mcp', headers: { 'X-Key': '***' } },
        },
        {
          ...{ id: 'b', transport: 'http', source: 'project', enabled: true, valid: false },
          reason: 'url: is required for transport http (or identity)',
        },
        {
          ...{ id: 'c', transport: 'stdio', source: 'project', enabled: false, valid: true, reason: null },
          ...{ command: 'npx', env: { ANY: '***' } },
        },
      ],
      next_cursor: null,
    });
  });

  test('[host:G5] is paged', async () => {
    const { json } = await withProject(
      Object.fromEntries(['a', 'B', 'c'].map((id) => [id, { transport: 'http', url: URL_A }])),
    );
    const first = await json('mcp', 'list', '--limit', '2');
    expect([first.items.map(({ id }: { id: string }) => id), first.next_cursor]).toEqual([['B', 'a'], 'a']);
    const second = await json('mcp', 'list', '--limit', '2', '--cursor', 'a');
    expect([second.items.map(({ id }: { id: string }) => id), second.next_cursor]).toEqual([['c'], null]);
  });

  test('[host:C1] scopes', async () => {
    const { run } = await withProject({ a: { transport: 'http', url: URL_A, enabled: false } });
    await run('mcp', 'add', 'a', '--url', URL_A, '--scope', 'global');
    await run('mcp', 'add', 'g', '--url', URL_A, '--scope', 'global');
    expect((await run('mcp', 'list')).stdout).toBe(`a\thttp\tproject\tfalse\t\ng\thttp\tglobal\ttrue\t\n`);
    expect((await run('mcp', 'list', '--scope', 'project')).stdout).toBe(`a\thttp\tproject\tfalse\t\n`);
    expect((await run('mcp', 'list', '--scope', 'global')).stdout).toBe(
      `a\thttp\tglobal\ttrue\t\ng\thttp\tglobal\ttrue\t\n`,
    );
  });

  test('[host:M8] a file that cannot be read is said, and the command fails', async () => {
    const { run, projectFile } = await withProject({});
    await writeFile(projectFile, '{"mcp":');
    const { stdout, exitCode } = await run('mcp', 'list', '--json');
    expect([JSON.parse(stdout).config_error, exitCode]).toEqual([
      expect.stringMatching(/^the project config file is not used: \/.*config\.json: line 1: value expected$/),
      1,
    ]);
  });
});

describe('mcp remove, enable, disable', () => {
  test('[host:M3] [host:C1] change one scope and name the other', async () => {
    const { run, globalFile } = await openHostCommands();
    await run('mcp', 'add', 'a', '--url', URL_A, '--scope', 'global');
    for (const verb of ['remove', 'enable']) {
      const { stderr, exitCode } = await run('mcp', verb, 'a');
      expect([stderr, exitCode]).toEqual([
        'error: There is no such server: "a" is not in the project config; it is in the global config (SERVER_NOT_FOUND)\nnext: Add --scope global.\n',
        1,
      ]);
    }
    expect((await run('mcp', 'disable', 'a', '--scope', 'global')).stdout).toBe(`disabled a (global: ${globalFile})\n`);
    expect((await run('mcp', 'list')).stdout).toBe(`a\thttp\tglobal\tfalse\t\n`);
    await run('mcp', 'enable', 'a', '--scope', 'global');
    expect((await run('mcp', 'list')).stdout).toBe(`a\thttp\tglobal\ttrue\t\n`);
    expect((await run('mcp', 'remove', 'a', '--scope', 'global')).stdout).toBe(`removed a (global: ${globalFile})\n`);
    expect((await run('mcp', 'list')).stdout).toBe('no MCP servers configured\n');
  });

  test("[host:M3] a project switches a server of the person's config off, and on again as it was", async () => {
    const { run, projectFile } = await openHostCommands();
    await run('mcp', 'add', 'a', '--url', URL_A, '--header', 'X-Key=secret', '--scope', 'global');
    expect((await run('mcp', 'disable', 'a')).stdout).toBe(`disabled a (project: ${projectFile})\n`);
    expect(JSON.parse(await readFile(projectFile, 'utf8'))).toEqual({
      version: 1,
      mcp: { servers: { a: { enabled: false } } },
    });
    expect((await run('mcp', 'list')).stdout).toBe(`a\thttp\tproject\tfalse\t\n`);
    expect((await run('mcp', 'status')).stdout).toBe(`a\thttp\tproject\tfalse\tdisabled\t0\tno gateway is running\n`);
    expect((await run('mcp', 'test', 'a')).stdout).toMatch('the project switches this server off');
    expect((await run('mcp', 'trust', '--list')).stdout).toBe('a\tuntrusted\tswitched off here\n');
    expect((await run('mcp', 'enable', 'a')).stdout).toBe(`enabled a (project: ${projectFile})\n`);
    expect((await run('mcp', 'list')).stdout).toBe(`a\thttp\tglobal\ttrue\t\n`);
  });

  test('[host:M3] an entry that is no object can be removed', async () => {
    const { run, projectFile } = await openHostCommands();
    await run('mcp', 'add', 'a', '--url', URL_A);
    await writeFile(projectFile, '{"version":1,"mcp":{"servers":{"a":"nonsense"}}}');
    expect((await run('mcp', 'disable', 'a')).stderr).toMatch('"a" is not an object');
    expect((await run('mcp', 'remove', 'a')).stdout).toBe(`removed a (project: ${projectFile})\n`);
    expect((await run('mcp', 'list')).stdout).toBe('no MCP servers configured\n');
  });

  test.each(['--request-timeout-ms', '--startup-timeout-ms'])('[host:M3] %s takes a positive number', async (flag) => {
    const { run, projectFile } = await openHostCommands();
    for (const value of ['-5', '0', '1.5']) {
      expect((await run('mcp', 'add', 'a', '--url', URL_A, flag, value)).exitCode).toBe(1);
    }
    await expect(readFile(projectFile)).rejects.toThrow('ENOENT');
    expect((await run('mcp', 'add', 'a', '--url', URL_A, flag, '250')).exitCode).toBe(0);
    const written = JSON.parse(await readFile(projectFile, 'utf8')).mcp.servers.a;
    expect(written[flag.slice(2).replaceAll('-', '_')]).toBe(250);
  });
});

describe('mcp test', () => {
  test('[host:M5] [gateway:M5] [host:C1] [host:X28] connects anew and counts the tools', async () => {
    const { run, json } = await openHostCommands();
    await run('mcp', 'add', 'ev', '--command', process.execPath, '--arg', everything);
    expect(await json('mcp', 'test', 'ev')).toEqual({
      id: 'ev',
      ok: true,
      era: '2025',
      protocol_version: '2025-11-25',
      server_info: expect.objectContaining({ name: 'mcp-servers/everything' }),
      tools: expect.any(Number),
      ms: expect.any(Number),
      error: null,
    });
  });

  test('[host:M5] [host:X28] a server that dies is not ok, and its last words are shown, masked', async () => {
    const { run } = await openHostCommands();
    const script = 'console.error("boom at startup, token=" + process.env.MY_TOKEN); process.exit(3)';
    await run(
      'mcp',
      'add',
      'dead',
      '--command',
      process.execPath,
      '--arg',
      '-e',
      '--arg',
      script,
      '--env',
      'MY_TOKEN=s3cr3t-abc',
    );
    const { stdout, exitCode } = await run('mcp', 'test', 'dead', '--json');
    const { ok, error, tools } = JSON.parse(stdout);
    expect([ok, tools, exitCode, stdout.includes('s3cr3t-abc')]).toEqual([false, null, 1, false]);
    expect(error).toContain('boom at startup, token=***');
  });

  test('[host:H7] [host:X26] what the project brings along is not started before it is trusted', async () => {
    const marker = 'started.txt';
    const script = `require('fs').writeFileSync('${marker}', 'x')`;
    const { run, json, project } = await withProject({
      evil: { transport: 'stdio', command: process.execPath, args: ['-e', script] },
    });
    const report = await json('mcp', 'test', 'evil');
    expect([report.ok, report.error]).toEqual([false, expect.stringContaining('untrusted')]);
    await expect(readFile(join(project, marker))).rejects.toMatchObject({ code: 'ENOENT' });
    await run('mcp', 'trust', 'evil');
    await json('mcp', 'test', 'evil');
    expect(await readFile(join(project, marker), 'utf8')).toBe('x');
  });

  test('[host:M5] unknown and invalid servers', async () => {
    const { run, json } = await withProject({ b: { transport: 'http' } });
    expect(await json('mcp', 'test', 'nope')).toMatchObject({ code: 'SERVER_NOT_FOUND' });
    expect((await run('mcp', 'test', 'b')).stdout).toBe(
      'b: failed: url: is required for transport http (or identity)\n',
    );
  });
});

describe('mcp trust', () => {
  const stdio = { transport: 'stdio', command: 'x' };

  test('[host:M6] one, all, the list and back', async () => {
    const { run, json, projectFile } = await withProject({ a: stdio, b: { transport: 'http', url: URL_A } });
    const states = async () =>
      (await json('mcp', 'trust', '--list')).items.map(
        ({ id, trust }: { id: string; trust: string }) => `${id} ${trust}`,
      );
    expect(await states()).toEqual(['a untrusted', 'b untrusted']);
    expect((await run('mcp', 'trust', 'a')).stdout).toBe('trusted a: x\n');
    expect(await states()).toEqual(['a trusted', 'b untrusted']);
    await writeFile(projectFile, JSON.stringify({ mcp: { servers: { a: { ...stdio, args: ['-x'] }, b: stdio } } }));
    expect(await states()).toEqual(['a changed', 'b untrusted']);
    expect((await run('mcp', 'trust', '--all')).stdout).toBe('trusted a: x -x\ntrusted b: x\n');
    expect((await run('mcp', 'trust', '--revoke', 'a')).stdout).toBe('revoked a\n');
    expect(await states()).toEqual(['a untrusted', 'b trusted']);
  });

  test('[host:M6] [host:H7] the list shows what would be started or called, with secrets masked', async () => {
    const { run } = await withProject({
      a: { ...stdio, args: ['--token', 'hunter22', 'y'], env: { KEY: 'z' } },
      b: { transport: 'http', url: 'https://ann:hunter22@b.example/', headers: { 'X-A': 'b' } },
      c: { transport: 'http' },
    });
    expect((await run('mcp', 'trust', '--list')).stdout).toBe(
      [
        'a\tuntrusted\tx --token ***[secret, 8 characters] y (env: KEY=z)',
        'b\tuntrusted\thttps://ann:***[password, 8 characters]@b.example/ (headers: X-A=b)',
        'c\tuntrusted\tinvalid: url: is required for transport http (or identity)',
        '',
      ].join('\n'),
    );
  });

  test('[host:M6] secrets in arguments are masked, and nothing that the project wrote reaches the terminal as it is', async () => {
    const { run } = await withProject({
      a: { ...stdio, args: ['--token', 'abc', '--api-key=kkkk', '--key', 'a8f3b2c19d7e6f50', '--key', './key.pem'] },
      b: {
        ...stdio,
        args: ['run', '-e', 'GITHUB_TOKEN=hunter22', '--header', 'X-Api-Key: hunter23', 'postgres://u:hunter24@db/x'],
      },
      c: { ...stdio, command: 'x\u001b[2K\rnpx\u202e', env: { 'A\u001b]0;t\u0007': 'z' } },
    });
    expect((await run('mcp', 'trust', '--list')).stdout).toBe(
      [
        'a\tuntrusted\tx --token ***[secret, 3 characters] --api-key=***[secret, 4 characters] --key ***[secret, 16 characters] --key ./key.pem',
        'b\tuntrusted\tx run -e GITHUB_TOKEN=***[secret, 8 characters] --header X-Api-Key: ***[secret, 8 characters] postgres://u:***[password, 8 characters]@db/x',
        'c\tuntrusted\tx\\u{1B}[2K\\u{D}npx\\u{202E} (env: A\\u{1B}]0;t\\u{7}=z)',
        '',
      ].join('\n'),
    );
    expect((await run('mcp', 'trust', 'c')).stdout).toBe(
      'trusted c: x\\u{1B}[2K\\u{D}npx\\u{202E} (env: A\\u{1B}]0;t\\u{7}=z)\n',
    );
  });

  test('[host:M6] what cannot be meant is refused', async () => {
    const { json } = await withProject({ a: stdio });
    expect(await json('mcp', 'trust')).toMatchObject({ code: 'USAGE' });
    expect(await json('mcp', 'trust', 'a', '--all')).toMatchObject({ code: 'USAGE' });
    expect(await json('mcp', 'trust', 'zz')).toMatchObject({ code: 'SERVER_NOT_FOUND' });
    expect(await json('mcp', 'trust', '--revoke', 'a')).toMatchObject({ code: 'SERVER_NOT_FOUND' });
  });

  test('[host:M6] who adds a server to the project has seen it; an edit of the file afterwards has not been seen', async () => {
    const { run, json, projectFile } = await openHostCommands();
    await run('mcp', 'add', 'a', '--command', 'x');
    expect((await json('mcp', 'status', 'a')).items[0]).toMatchObject({ state: 'stopped' });
    await writeFile(projectFile, (await readFile(projectFile, 'utf8')).replace('"x"', '"y"'));
    expect((await json('mcp', 'status', 'a')).items[0]).toMatchObject({ state: 'disabled', reason: 'untrusted' });
  });
});

describe('tools name', () => {
  test('[host:N6] [gateway:N6] prints the name, or all of it as JSON', async () => {
    const { run } = await openHostCommands();
    expect((await run('tools', 'name', 'files', 'read_file')).stdout).toBe('files__read_file\n');
    expect((await run('tools', 'name', 'filesystem-local', 'read_file', '--style', 'hashed', '--json')).stdout).toBe(
      '{"server":"filesystem-local","tool":"read_file","style":"hashed","name":"mcp_filesystem_local_read_file_ec26024f"}\n',
    );
  });
});

describe('the command itself', () => {
  test('[host:C1] is wired: --cwd names the project, and failures go to stderr', async () => {
    const { dir, project } = await withProject({ a: { transport: 'http', url: URL_A } });
    const run = (...argv: string[]) =>
      spawnSync(process.execPath, ['--no-warnings', ...commandLine(...argv)], {
        ...{ cwd: dir, env: { PATH: process.env.PATH, HOME: dir }, encoding: 'utf8' },
      });
    expect(run('mcp', 'list', '--cwd', project).stdout).toBe(`a\thttp\tproject\ttrue\t\n`);
    const failed = run('mcp', 'remove', 'b', '--cwd', project);
    expect([failed.stdout, failed.stderr.includes('(SERVER_NOT_FOUND)'), failed.status]).toEqual(['', true, 1]);
  });
});
