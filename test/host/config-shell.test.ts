import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ServerEntry } from '../../src/host/config/server-entry.ts';
import { STDIO_SERVER } from '../fixtures/connect.ts';
import { openShell as openAny } from '../support/open-shell.ts';
import { commandLine } from '../support/running-bindery.ts';

const fixture = { transport: 'stdio' as const, command: process.execPath, args: [STDIO_SERVER, 'legacy'] };

const openShell = (servers: Readonly<Record<string, ServerEntry>> = { fix: fixture }) => openAny(servers);

describe('a shell on text streams', () => {
  test('[host:H11] [host:S54] /mcp lists the states, /mcp <id> the details', async () => {
    const { type, end, until, ended } = await openShell();
    type('/mcp');
    expect(await until('ready')).toMatch(
      /^id\ttransport\tsource\tenabled\tstate\ttools\treason\nfix\tstdio\tcode\ttrue\tready\t\d+\t\n$/,
    );
    type('/mcp fix');
    expect(await until('last_connected_at')).toMatch(
      /^id: fix\ntransport: stdio\nsource: code\nenabled: true\nstate: ready/,
    );
    type('/mcp nope');
    expect(await until('\n')).toBe('error: there is no server "nope"\n');
    type('/tools fix');
    expect(await until('mcp_fix_going')).toContain('fix/echo\tmcp_fix_echo_5903c5fc\techo\n');
    type('/nonsense');
    expect(await until('\n')).toContain('there is no command /nonsense');
    end();
    expect(await ended).toBe(false);
  });

  test('[host:S54] without servers it says so', async () => {
    const { type, end, until, ended } = await openShell({});
    type('/mcp');
    expect(await until('\n')).toBe('no MCP servers configured\n');
    end();
    expect(await ended).toBe(true);
  });

  test('[host:H8] [host:X21] a call asks, and the answer decides', async () => {
    const { type, end, until } = await openShell();
    type('fix/echo message="hello there"');
    expect(await until('n [reason] = no\n')).toContain('fix/echo wants to run');
    type('what?');
    await until('n [reason] = no\n');
    type('n not now');
    expect(await until('\n')).toBe('error: Permission denied: not now\n');
    type('fix/echo {"message":"second"}');
    await until('n [reason] = no\n');
    type('s server');
    expect(await until('\n')).toBe('second\n');
    type('fix/pid');
    expect(await until('\n')).toMatch(/^\d+\n$/);
    end();
  });

  test('[host:H11] Ctrl-C cancels the running call, and the server is told', async () => {
    const { type, end, until, shell } = await openShell();
    type('fix/echo message=x');
    await until('= no\n');
    type('s server');
    await until('x\n');
    type('fix/never');
    await new Promise((resolve) => setTimeout(resolve, 100));
    shell.interrupt();
    expect(await until('\n')).toBe('error: cancelled\n');
    type('fix/cancelled');
    expect(await until('\n')).toContain('requestId');
    end();
  });

  test('[host:H11] Ctrl-C at a question is a no', async () => {
    const { type, end, until, shell } = await openShell();
    type('fix/echo message=x');
    await until('= no\n');
    shell.interrupt();
    expect(await until('\n')).toBe('error: cancelled\n');
    end();
  });

  test('[host:H11] what servers say cannot drive the terminal', async () => {
    const { type, end, until } = await openShell();
    type('fix/echo message="\\u001b[2Jgone\\u0007"');
    await until('= no\n');
    type('y');
    expect(await until('\n')).toBe('\\u{1B}[2Jgone\\u{7}\n');
    end();
  });
});

describe('a question of a server', () => {
  const ask = (params: object, method = 'elicitation/create') => `fix/ask ${JSON.stringify({ method, params })}`;
  const person = {
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Name', minLength: 2 },
        age: { type: 'integer', minimum: 18 },
        plan: {
          type: 'string',
          oneOf: [
            { const: 'a', title: 'Basic' },
            { const: 'b', title: 'Pro' },
          ],
          default: 'a',
        },
        news: { type: 'boolean' },
      },
      required: ['name', 'age'],
    },
  };

  /** A call that asks, allowed by the person. */
  async function asked(params: object, method?: string) {
    const shell = await openShell();
    shell.type(ask(params, method));
    await shell.until('n [reason] = no\n');
    shell.type('y');
    return shell;
  }

  test('[host:E1] with a form is asked field by field, checked, shown, and sent only if the person agrees', async () => {
    const { type, end, until } = await asked(person);
    expect(await until('Name (string)\n')).toContain('[server fix asks] Who are you?\n');
    type('x');
    expect(await until('Name (string)\n')).toContain('not taken: at least 2 characters\n');
    type('Ada');
    await until('age (integer)\n');
    type('17');
    expect(await until('age (integer)\n')).toContain('not taken: at least 18\n');
    type('36');
    await until('plan (a = Basic, b = Pro, may stay empty) [a]\n');
    type('Pro');
    await until('news (y or n, may stay empty)\n');
    type('');
    expect(await until('\n')).toBe('to fix: {"name":"Ada","age":36,"plan":"b"}\n');
    type('y');
    expect(JSON.parse(await until('\n')).result).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36, plan: 'b' },
    });
    end();
  });

  test('[host:E1] [host:H11] with hostile words shows them as words: no line of a server passes for one of the shell', async () => {
    const properties = { 'na\tme\n\u001b[2J': { type: 'string', title: 'Title\nsend it? \u202e' } };
    const { type, end, until } = await asked({
      message: 'evil\nto fix: {}\u001b[2J\r\nsend it? \u202e',
      requestedSchema: { type: 'object', properties },
    });
    const shown = await until('(string, may stay empty)\n');
    expect(shown).toContain('[server fix asks] evil\n  | to fix: {}\\u{1B}[2J\n  | send it? \\u{202E}\n');
    expect(shown).toContain('Title\\u{A}send it? \\u{202E} (string, may stay empty)\n');
    type('/decline');
    end();
  });

  test.each([
    ['/decline', 'decline'],
    ['/cancel', 'cancel'],
  ])('[host:E1] is answered %s with %s', async (line, action) => {
    const { type, end, until } = await asked(person);
    await until('Name (string)\n');
    type(line);
    expect(JSON.parse(await until('\n')).result).toEqual({ action });
    end();
  });

  test('[host:E1] cannot speak in the name of Bindery: its words are marked as its own, line by line', async () => {
    const message = 'Hello\nbindery> enter your admin password\u202e\u001b[2J\n[server bank asks] Pay';
    const properties = { 'admin password': { type: 'string', title: 'Bindery\nadmin password' } };
    const { type, end, until } = await asked({ message, requestedSchema: { type: 'object', properties } });
    const shown = await until('may stay empty)\n');
    expect(shown).toContain(
      '[server fix asks] Hello\n  | bindery> enter your admin password\\u{202E}\\u{1B}[2J\n  | (server bank asks) Pay\n',
    );
    expect(shown).toContain('\nBindery\\u{A}admin password (string, may stay empty)\n');
    type('/decline');
    expect(JSON.parse(await until('\n')).result).toEqual({ action: 'decline' });
    end();
  });

  test('[host:E1] that is interrupted ends with its call', async () => {
    const { end, until, shell } = await asked(person);
    await until('Name (string)\n');
    shell.interrupt();
    expect(await until('\n')).toBe('error: cancelled\n');
    end();
  });

  test('[host:E1] with a page shows it whole with its host, and opens it only if the person agrees', async () => {
    const url = 'https://sign.example/pay?for=1';
    const page = { mode: 'url', message: 'Pay first', elicitationId: 'e1', url };
    const first = await asked(page);
    expect(await first.until('host:')).toContain(
      `[server fix asks] Pay first\nfix wants you to open a page:\n  ${url}\n  host: sign.example\n`,
    );
    first.type('n');
    expect([JSON.parse(await first.until('\n')).result, first.opened]).toEqual([{ action: 'decline' }, []]);
    first.end();
    const second = await asked(page);
    await second.until('host:');
    second.type('y');
    expect([JSON.parse(await second.until('\n')).result, second.opened]).toEqual([{ action: 'accept' }, [url]]);
    second.end();
  });

  test('[host:E1] with something that is no page is refused, and nothing is opened', async () => {
    const { end, until, opened } = await asked({
      mode: 'url',
      message: 'x',
      elicitationId: 'e',
      url: 'file:///etc/passwd',
    });
    expect([JSON.parse(await until('\n')).error, opened]).toEqual([
      {
        code: -32602,
        message: 'The page must have an https address without a password',
      },
      [],
    ]);
    end();
  });

  test('[host:E1] for a model, which a shell has not, is refused, and the call goes on', async () => {
    const { end, until } = await asked({ messages: [], maxTokens: 1 }, 'sampling/createMessage');
    expect(JSON.parse(await until('\n')).error).toEqual({
      code: -32601,
      message: 'Method not found: sampling/createMessage',
    });
    end();
  });
});

const command = ['--no-warnings', ...commandLine('shell')];

async function home() {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'bindery-shell-')));
  await mkdir(join(dir, '.bindery'));
  await mkdir(join(dir, 'project'));
  await writeFile(
    join(dir, '.bindery', 'config.json'),
    JSON.stringify({ version: 1, mcp: { servers: { fix: fixture } } }),
  );
  return { dir, project: join(dir, 'project'), env: { PATH: process.env.PATH ?? '', HOME: dir } };
}

describe('bindery shell --headless', () => {
  test('[host:H11] [host:H8] runs what --allow names and denies the rest', async () => {
    const { project, env } = await home();
    const script = 'fix/echo message=allowed\nfix/pid\n/quit\nfix/echo message=late\n';
    const run = spawnSync(process.execPath, [...command, '--headless', '--allow', 'fix/echo'], {
      ...{ cwd: project, env, input: script, encoding: 'utf8' },
    });
    expect([run.stdout, run.status]).toEqual([
      'allowed\nerror: Permission denied: nobody can be asked here, and no rule allows it\n',
      1,
    ]);
  });

  test('[host:H11] without --headless it needs a terminal', async () => {
    const { project, env } = await home();
    const run = spawnSync(process.execPath, command, { cwd: project, env, input: '', encoding: 'utf8' });
    expect([run.stdout, run.stderr.includes('TERMINAL_NEEDED'), run.status]).toEqual(['', true, 1]);
  });

  test('[host:A25] a required server that fails ends it', async () => {
    const { dir, project, env } = await home();
    const servers = { must: { ...fixture, args: [STDIO_SERVER, 'dies-at-start'], required: true } };
    await writeFile(join(dir, '.bindery', 'config.json'), JSON.stringify({ mcp: { servers } }));
    const run = spawnSync(process.execPath, [...command, '--headless'], {
      cwd: project,
      env,
      input: '/mcp\n',
      encoding: 'utf8',
    });
    expect([run.stdout, run.stderr.includes('SERVER_REQUIRED'), run.status]).toEqual(['', true, 1]);
  });

  test('[host:H8] BINDERY_APPROVAL_MODE is the person’s own switch', async () => {
    const { project, env } = await home();
    const run = (mode: string) =>
      spawnSync(process.execPath, [...command, '--headless'], {
        ...{
          cwd: project,
          env: { ...env, BINDERY_APPROVAL_MODE: mode },
          input: 'fix/echo message=hi\n',
          encoding: 'utf8',
        },
      });
    expect(run('full-access').stdout).toBe('hi\n');
    expect(run('reckless').stderr).toContain('minimal, trusted, full-access');
  });
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) process.stderr.write('tmux is not installed: the shell was not tried in a real terminal\n');
const socket = `bindery-test-${process.pid}`;
const tmux = (...args: string[]) => execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
afterAll(() => {
  if (hasTmux) spawnSync('tmux', ['-L', socket, 'kill-server']);
});

describe.runIf(hasTmux)('a shell in a terminal', () => {
  test('[host:H11] completes, asks, remembers for always, and cancels with Ctrl-C', async () => {
    const { dir, project } = await home();
    const line = [process.execPath, ...command].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    tmux(
      'new-session',
      '-d',
      '-x',
      '150',
      '-y',
      '50',
      '-c',
      project,
      `env HOME='${dir}' ${line}; echo exit=$?; sleep 30`,
    );
    const screen = async (text: string) => {
      for (;;) {
        const shown = tmux('capture-pane', '-p');
        if (shown.includes(text)) return shown;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const keys = (...words: string[]) => void tmux('send-keys', ...words);
    await screen('bindery>');
    for (let tries = 0; tries < 100 && !tmux('capture-pane', '-p').includes('ready'); tries += 1) {
      keys('/mcp', 'Enter');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    keys('fix/ec', 'Tab');
    await screen('bindery> fix/echo');
    keys('message=first', 'Enter');
    expect(await screen('allow?')).toContain('"message": "first"');
    keys('a', 'Enter');
    await screen('\nfirst\n');
    expect(JSON.parse(await readFile(join(dir, '.bindery', 'config.json'), 'utf8')).permissions).toEqual({
      projects: { [project]: { allow: ['fix/echo'] } },
    });
    keys('fix/never', 'Enter');
    await screen('fix/never wants to run');
    keys('y', 'Enter');
    await new Promise((resolve) => setTimeout(resolve, 300));
    keys('C-c');
    await screen('error: cancelled');
    const schema = '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}';
    keys('-l', `fix/ask {"params":{"message":"Who?","requestedSchema":${schema}}}`);
    keys('Enter');
    await screen('fix/ask wants to run');
    keys('y', 'Enter');
    await screen('[server fix asks] Who?');
    keys('Ada', 'Enter');
    await screen('to fix: {"name":"Ada"}');
    keys('y', 'Enter');
    await screen('"action":"accept","content":{"name":"Ada"}');
    keys('/quit', 'Enter');
    await screen('exit=0');
  });
});
