import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryLog } from '../../src/contract/testing/memory-log.ts';
import {
  aiSdkTools,
  anthropicResult,
  createHost,
  type HostOptions,
  openAiTools,
  type PermissionRequest,
  type ToolHost,
} from '../../src/host/index.ts';
import { entryDigest } from '../../src/host/trust/entry-digest.ts';
import { STDIO_SERVER } from '../fixtures/connect.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const real = (name: string) =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
const stdio = (...args: string[]) => ({ transport: 'stdio' as const, command: process.execPath, args });
const fixture = stdio(STDIO_SERVER, 'legacy');

const open: ToolHost[] = [];
afterEach(async () => {
  for (const host of open.splice(0)) await host.close();
});

function host(options: HostOptions): ToolHost {
  const made = createHost(options);
  open.push(made);
  return made;
}

const tool = (of: ToolHost, name: string) => {
  const found = of.tools().find((one) => one.name === name || one.origin?.tool === name);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
};

async function files(projectConfig: object = {}, globalConfig: object = {}) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'bindery-host-')));
  const projectDir = join(dir, 'project');
  await mkdir(join(projectDir, '.bindery'), { recursive: true });
  const projectFile = join(projectDir, '.bindery', 'config.json');
  await writeFile(projectFile, JSON.stringify({ version: 1, ...projectConfig }));
  await writeFile(join(dir, 'config.json'), JSON.stringify({ version: 1, ...globalConfig }));
  const trust = async (servers: Record<string, object>) => {
    const trusted = Object.entries(servers).map(([id, raw]) => [
      id,
      { sha256: entryDigest(id, raw), covers: 'entry', trusted_at: 'x' },
    ]);
    const projects = { [projectDir]: Object.fromEntries(trusted) };
    await writeFile(join(dir, 'trust.json'), JSON.stringify({ version: 1, projects }));
  };
  return { dir, projectDir, projectFile, trust, config: { file: join(dir, 'config.json'), projectDir } };
}

describe('tools', () => {
  test('[host:H3] [host:S7] are named, described with their origin and called', async () => {
    const one = host({ servers: { fix: fixture }, permissions: { allow: ['fix/*'] } });
    await one.connect();
    const echo = tool(one, 'echo');
    expect([echo.name, echo.description, echo.origin]).toEqual([
      'mcp_fix_echo_5903c5fc',
      'echo\n\n(MCP tool fix/echo)',
      { server: 'fix', tool: 'echo' },
    ]);
    expect(await echo.execute({ message: 'hello' })).toEqual({
      isError: false,
      text: 'hello',
      parts: [{ type: 'text', text: 'hello' }],
    });
  });

  test('[host:X23] images arrive as images in every form', async () => {
    const one = host({ servers: { ev: stdio(real('everything')) }, mode: 'full-access' });
    await one.connect();
    const result = await tool(one, 'get-tiny-image').execute({});
    expect(result.parts.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect(anthropicResult('t', result).content[1]).toMatchObject({
      type: 'image',
      source: { media_type: 'image/png' },
    });
    const sdk = aiSdkTools(one.tools())[tool(one, 'get-tiny-image').name];
    expect(sdk?.toModelOutput(result)).toMatchObject({ type: 'content', value: [{}, { type: 'media' }, {}] });
    expect(sdk?.toModelOutput({ output: result })).toEqual(sdk?.toModelOutput(result));
  });

  test('[host:P8] the real servers fit every model API', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bindery-host-'));
    const servers = {
      ev: stdio(real('everything')),
      fs: stdio(real('filesystem'), folder),
      mem: stdio(real('memory')),
    };
    const one = host({ servers, mode: 'full-access' });
    await one.connect();
    const listed = openAiTools(one.tools());
    expect(listed.length).toBeGreaterThan(30);
    for (const { function: shown } of listed) {
      expect(shown.name).toMatch(/^[a-z0-9_]{1,63}$/);
      expect(shown.parameters.type).toBe('object');
      expect(JSON.stringify(shown.parameters)).not.toMatch(/"\$(ref|schema|defs)"/);
      expect(shown.strict).toBe(false);
    }
  });

  test('[host:X25] can be filtered by include_tools and exclude_tools', async () => {
    const servers = { fix: { ...fixture, include_tools: ['e*', 'pid'], exclude_tools: ['exit'] } };
    const one = host({ servers });
    await one.connect();
    const names = one.tools().flatMap(({ origin }) => (origin ? [origin.tool] : []));
    expect(names).toEqual(['echo', 'env', 'pid']);
  });

  test('[host:X25] [host:H12] change with the server, at once', async () => {
    const one = host({ servers: { fix: fixture }, mode: 'full-access' });
    await one.connect();
    const changed = until(one, () => one.tools().some(({ origin }) => origin?.tool === 'extra'));
    await tool(one, 'change').execute({});
    await changed;
  });

  test('[host:H9] [host:A12] output over the limit is cut at a line and read on by reference', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'bindery-host-')));
    const whole = Array.from({ length: 9000 }, (_, line) => `line number ${line}\n`).join('');
    await writeFile(join(folder, 'big.txt'), whole);
    const one = host({
      servers: { fs: stdio(real('filesystem'), folder) },
      mode: 'full-access',
      outputsDir: join(folder, 'o'),
    });
    await one.connect();
    const { text, reference } = await tool(one, 'read_text_file').execute({ path: join(folder, 'big.txt') });
    expect(Buffer.byteLength(text)).toBeLessThan(51 * 1024);
    const shown = text.slice(0, text.indexOf('[cut: '));
    expect(shown.endsWith('\n') && whole.startsWith(shown)).toBe(true);
    const rest = await tool(one, 'mcp_output_read').execute({ ref: reference, offset: Buffer.byteLength(shown) });
    expect(whole.slice(shown.length).startsWith(rest.text.slice(0, 1000))).toBe(true);
    const found = await tool(one, 'mcp_output_read').execute({ ref: reference, find: 'number 8999' });
    expect(found.text).toMatch(/^\d+: line number 8999$/m);
  });

  test('[host:S7] a failing call is a result; cancelling rejects and tells the server', async () => {
    const one = host({ servers: { fix: fixture }, mode: 'full-access' });
    await one.connect();
    const cancel = new AbortController();
    const never = tool(one, 'never').execute({}, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 50);
    await expect(never).rejects.toMatchObject({ name: 'AbortError' });
    expect((await tool(one, 'cancelled').execute({})).text).toContain('requestId');
    expect(await tool(one, 'exit').execute({})).toMatchObject({ isError: true });
  });
});

describe('resources and prompts', () => {
  test('[host:H12] [host:X32] are tools of the host, and reading asks', async () => {
    const asked: PermissionRequest[] = [];
    const one = host({
      servers: { ev: stdio(real('everything')) },
      prompt: async (request) => {
        asked.push(request);
        return { decision: 'allow', remember: 'once' };
      },
    });
    await one.connect();
    const listed = await tool(one, 'mcp_resources_list').execute({ server: 'ev' });
    const { uri } = JSON.parse(listed.text.split('\n')[0] as string) as { uri: string };
    expect((await tool(one, 'mcp_resource_templates_list').execute({})).text).toContain('uriTemplate');
    expect((await tool(one, 'mcp_resource_read').execute({ server: 'ev', uri })).parts[0]).toMatchObject({
      type: 'resource',
      uri,
    });
    expect((await tool(one, 'mcp_prompts_list').execute({})).text).toContain('args-prompt');
    const prompt = { server: 'ev', name: 'args-prompt', arguments: { city: 'Ghent' } };
    expect((await tool(one, 'mcp_prompt_get').execute(prompt)).text).toContain('Ghent');
    expect(asked.map(({ tool: name, readOnly }) => [name, readOnly])).toEqual([
      ['mcp_resource_read', true],
      ['mcp_prompt_get', true],
    ]);
    expect(await tool(one, 'mcp_resource_read').execute({ uri })).toMatchObject({ isError: true });
    expect(await tool(one, 'mcp_resources_list').execute({ server: 'zz' })).toMatchObject({ isError: true });
  });
});

describe('permissions', () => {
  test('[host:H8] [host:A11] an answer for always is written into the own config for this project and holds for the next host', async () => {
    const { config, trust } = await files({ mcp: { servers: { fix: fixture } } });
    await trust({ fix: fixture });
    const first = host({ config, prompt: async () => ({ decision: 'allow', remember: 'always', extent: 'tool' }) });
    await first.connect();
    await tool(first, 'echo').execute({ message: 'x' });
    expect(JSON.parse(await readFile(config.file, 'utf8')).permissions).toEqual({
      projects: { [config.projectDir]: { allow: ['fix/echo'] } },
    });
    const second = host({ config });
    await second.connect();
    expect((await tool(second, 'echo').execute({ message: 'y' })).text).toBe('y');
    expect((await tool(second, 'pid').execute({})).text).toBe(
      'Permission denied: nobody can be asked here, and no rule allows it',
    );
  });
});

describe('config', () => {
  test('[host:H7] [host:X26] [host:M6] untrusted servers of a project do not start; trust and reload starts them', async () => {
    const servers = { fix: fixture };
    const { config, trust } = await files({ mcp: { servers } });
    const one = host({ config });
    await one.connect();
    expect(one.status()).toMatchObject([{ id: 'fix', state: 'disabled', reason: 'untrusted', connected: false }]);
    const vague = host({ config, trustProject: 'false' as never });
    await vague.connect();
    expect(vague.statusOf('fix')?.reason).toBe('untrusted');
    await trust(servers);
    await one.reload();
    await until(one, () => one.statusOf('fix')?.state === 'ready');
    const bold = host({ config: { ...config, projectDir: config.projectDir }, trustProject: true });
    await bold.connect();
    expect(bold.statusOf('fix')?.state).toBe('ready');
  });

  test('[host:H2] [host:H1] invalid entries and unset variables are states, and the others go on', async () => {
    const servers = {
      bad: { transport: 'http' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how config files spell variables.
      unset: { transport: 'http', url: 'https://${BINDERY_TEST_UNSET}/', expand_env: true },
      off: { ...fixture, enabled: false },
      fix: fixture,
    };
    const { config } = await files({}, { mcp: { servers } });
    const one = host({ config });
    await one.connect();
    expect(one.status().map(({ id, state, reason }) => [id, state, reason])).toEqual([
      ['bad', 'error', 'url: is required for transport http (or identity)'],
      ['fix', 'ready', null],
      ['off', 'disabled', null],
      ['unset', 'error', 'the variable BINDERY_TEST_UNSET is not set'],
    ]);
  });

  test('[host:M8] a changed file is taken up by itself; only what changed is touched, and a broken file changes nothing', async () => {
    const { config, dir } = await files({}, { mcp: { servers: { a: fixture } } });
    const one = host({ config, mode: 'full-access' });
    await one.connect();
    const pid = (await tool(one, 'pid').execute({})).text;
    const write = (text: string) => writeFile(join(dir, 'config.json'), text);
    await write(JSON.stringify({ mcp: { servers: { a: fixture, b: fixture } } }));
    await until(one, () => one.statusOf('b')?.state === 'ready');
    expect((await tool(one, 'pid').execute({})).text).toBe(pid);
    await write('{"mcp":');
    await until(one, () => one.configErrors.length > 0);
    expect(one.status().map(({ id, state }) => [id, state])).toEqual([
      ['a', 'ready'],
      ['b', 'ready'],
    ]);
    await write(JSON.stringify({ mcp: { servers: { b: fixture } } }));
    await until(one, () => one.status().length === 1);
    expect([one.configErrors, one.statusOf('a')]).toEqual([[], undefined]);
  });

  test('[host:A25] a required server that fails makes connect fail', async () => {
    const one = host({ servers: { must: { ...stdio(STDIO_SERVER, 'dies-at-start'), required: true }, fix: fixture } });
    await expect(one.connect()).rejects.toMatchObject({ code: 'SERVER_REQUIRED', members: { id: 'must' } });
    expect(one.statusOf('fix')?.state).toBe('ready');
  });

  test('[host:A22] [host:X9] start waits for nobody: states are there at once', async () => {
    const one = host({ servers: { slow: stdio(STDIO_SERVER, 'never-answers'), fix: fixture } });
    await one.start();
    expect(one.status().map(({ id, state }) => [id, state])).toEqual([
      ['fix', 'connecting'],
      ['slow', 'connecting'],
    ]);
    await until(one, () => one.statusOf('fix')?.state === 'ready');
    expect(one.statusOf('slow')?.state).toBe('connecting');
  });

  test('[host:X7] servers are told the version of the package', async () => {
    const record = join(await mkdtemp(join(tmpdir(), 'bindery-host-')), 'seen.txt');
    const script = `process.stdin.on('data', (d) => require('fs').appendFileSync(${JSON.stringify(record)}, d))`;
    const one = host({ servers: { spy: { ...stdio('-e', script), startup_timeout_ms: 800 } } });
    await one.start();
    const seen = () => readFile(record, 'utf8').catch(() => '');
    while (!(await seen()).includes('\n')) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await seen()).toContain(`"name":"bindery","title":"Bindery","version":"${version}"`);
  });

  test('[host:X27] a server sees its own variables and few of ours', async () => {
    const env = { PATH: process.env.PATH, HOME: '/nowhere', AWS_SECRET: 'not for servers' };
    const one = host({ servers: { fix: { ...fixture, env: { OWN: 'yes' } } }, mode: 'full-access', env });
    await one.connect();
    const seen = JSON.parse((await tool(one, 'env').execute({})).text);
    expect([seen.OWN, seen.HOME, seen.AWS_SECRET]).toEqual(['yes', '/nowhere', undefined]);
  });

  test('[host:H4] [host:X8] a server that dies is not ready, and comes back', async () => {
    const one = host({ servers: { fix: fixture }, mode: 'full-access' });
    await one.connect();
    const states: (string | undefined)[] = [];
    one.on('change', () => states.push(one.statusOf('fix')?.state));
    const before = (await tool(one, 'pid').execute({})).text;
    expect(await tool(one, 'exit').execute({})).toMatchObject({ isError: true });
    await until(one, () => states.some((state) => state !== 'ready') && one.statusOf('fix')?.state === 'ready');
    expect((await tool(one, 'pid').execute({})).text).not.toBe(before);
  });

  test('[host:M1] [gateway:M1] warnings about entries go to the log', async () => {
    const log = createMemoryLog();
    const one = host({ servers: { a: { ...fixture, enabled: false, colour: 'red' } }, log });
    await one.connect();
    expect(log.lines.map(({ message }) => message)).toEqual(['a: unknown key "colour" is kept, but has no effect']);
  });
});

/** Resolves once it holds, looking at every change. */
async function until(of: ToolHost, holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise<void>((resolve) => of.once('change', resolve));
}
