import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpFixture, modernHttp } from '../fixtures/servers/http-server.ts';
import { testedProgram } from '../support/program.ts';
import { openSession, type RpcAnswer } from '../support/raw-client.ts';
import {
  type BinderyHome,
  createHome,
  type RunningBindery,
  startBindery,
  until,
  untilKnown,
} from '../support/running-bindery.ts';

const stdioServer = fileURLToPath(new URL('../fixtures/servers/stdio-server.ts', import.meta.url));
const REGION = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'pipe', version: '1' },
};

let mirror: HttpFixture;
let home: BinderyHome;
let bindery: RunningBindery;
const clients: StdioClient[] = [];

beforeAll(async () => {
  mirror = await new HttpFixture(
    modernHttp(({ seen, result }) => {
      if (seen.message?.method !== 'tools/list') return false;
      result({ resultType: 'complete', tools: [{ name: 'mirror', inputSchema: REGION }] });
      return true;
    }),
  ).listen();
  home = await createHome(config());
  bindery = await startBindery(home);
  await untilKnown(bindery, 'pipe', 'mirror');
});

afterAll(async () => {
  for (const client of clients.splice(0)) client.child.kill('SIGKILL');
  await bindery.stop('SIGKILL');
  await mirror.close();
  await home.remove();
});

function config(more: object = {}) {
  const pipe = { transport: 'stdio', command: process.execPath, args: [stdioServer], sharing: 'shared' };
  return {
    mcp: { servers: { pipe, mirror: { transport: 'http', url: mirror.url }, ...more } },
    gateway: {
      exposure: 'all',
      profiles: {
        few: { servers: ['mirror'], exposure: 'all' },
        asked: { policy: { servers: ['*'], operations: { pid: { approval_required: true } } } },
      },
    },
  };
}

/** A client of `bindery stdio`: lines out, lines in. */
class StdioClient {
  readonly child: ChildProcess;
  readonly messages: (RpcAnswer & { id?: unknown; method?: string; params?: Record<string, unknown> })[] = [];

  constructor(...flags: string[]) {
    this.child = spawn(process.execPath, [testedProgram, 'stdio', ...flags], { cwd: home.cwd, env: home.env });
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      this.messages.push(JSON.parse(line)),
    );
    clients.push(this);
  }

  send(message: object): void {
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  async request(id: number | string, method: string, params: object = {}) {
    this.send({ id, method, params });
    return this.answer(id);
  }

  async answer(id: number | string) {
    const found = () => this.messages.find((message) => message.id === id && message.method === undefined);
    await until(`${id} is answered`, () => found() !== undefined);
    return found() as RpcAnswer;
  }

  async initialize(capabilities: object = {}): Promise<this> {
    const clientInfo = { name: 'pipe', version: '1' };
    this.send({
      id: 'hello',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
    });
    this.send({ method: 'notifications/initialized' });
    await this.answer('hello');
    return this;
  }

  async end(): Promise<unknown> {
    const ended = once(this.child, 'exit');
    this.child.stdin?.end();
    return (await ended)[0];
  }
}

const textOf = ({ result }: RpcAnswer) => (result as { content?: { text: string }[] })?.content?.[0]?.text;
const sessions = async () =>
  /^bindery_sessions (\d+)$/m.exec(await (await fetch(`${bindery.url}/metrics`)).text())?.[1];

describe('bindery stdio beside a gateway of the same data directory', () => {
  test('[gateway:R3] is that gateway: its servers, its sessions, its audit log', async () => {
    const client = await new StdioClient().initialize();
    const over = await openSession(bindery.mcpUrl);
    const call = { name: 'pipe__pid', arguments: {} };
    const pids = [textOf(await client.request(1, 'tools/call', call)), textOf(await over.request('tools/call', call))];
    expect([pids[0] === pids[1], Number(pids[0]) > 0, await sessions()]).toEqual([true, true, '2']);
    await over.end();
    const audits = readdirSync(home.dataDir).filter((name) => /^audit-.*\.db$/.test(name));
    expect([audits.length, await client.end()]).toEqual([1, 0]);
    await until('its session has ended', async () => (await sessions()) === '0');
  });

  test('[gateway:V8] does not have a call run that is approved after its client has closed its input', async () => {
    const client = await new StdioClient('--profile', 'asked').initialize();
    client.send({ id: 1, method: 'tools/call', params: { name: 'pipe__pid', arguments: {} } });
    const approvals = async () => {
      const { body } = await bindery.api('GET', '/v1/approvals');
      return (body as { items: { id: string; status: string }[] }).items;
    };
    await until('the question is there', async () => (await approvals()).length === 1);
    expect(await client.end()).toBe(0);
    expect(textOf(await client.answer(1))).toContain('APPROVAL_PENDING');
    const [question] = await approvals();
    await bindery.api('POST', `/v1/approvals/${question?.id}/decision`, { decision: 'approve' });
    expect((await approvals()).map(({ status }) => status)).toEqual(['approved']);
  });

  test('[gateway:R3] passes lists that change, progress, questions and cancelling', async () => {
    const client = await new StdioClient().initialize({ elicitation: {} });
    await home.writeConfig(config({ more: { transport: 'stdio', command: process.execPath, args: [stdioServer] } }));
    await until('the list was told', () =>
      client.messages.some(({ method }) => method === 'notifications/tools/list_changed'),
    );
    await until('the tools are there', async () => {
      const { result } = await client.request(`list ${Math.random()}`, 'tools/list');
      return JSON.stringify(result).includes('more__ask');
    });
    client.send({ id: 2, method: 'tools/call', params: { name: 'more__ask', arguments: {} } });
    const question = () => client.messages.find(({ method }) => method === 'elicitation/create');
    await until('the question has come', () => question() !== undefined);
    client.send({ id: question()?.id as string, result: { action: 'accept', content: {} } });
    expect(textOf(await client.answer(2))).toContain('"action":"accept"');

    const slow = { name: 'pipe__slow', arguments: { steps: 3, everyMs: 10 }, _meta: { progressToken: 'p' } };
    await client.request(3, 'tools/call', slow);
    const progress = client.messages.filter(({ method }) => method === 'notifications/progress');
    expect(progress.map(({ params }) => [params?.progressToken, params?.progress])).toEqual([
      ['p', 1],
      ['p', 2],
      ['p', 3],
    ]);

    client.send({ id: 4, method: 'tools/call', params: { name: 'pipe__never', arguments: {} } });
    await until('it runs', async () => (await client.request(`ping ${Math.random()}`, 'ping')).result !== undefined);
    client.send({ method: 'notifications/cancelled', params: { requestId: 4, reason: 'enough' } });
    await until('the server was told', async () => {
      const told = await client.request(`told ${Math.random()}`, 'tools/call', {
        name: 'pipe__cancelled',
        arguments: {},
      });
      return textOf(told) !== '[]';
    });
    expect([client.messages.some(({ id }) => id === 4), await client.end()]).toEqual([false, 0]);
  });

  test('[gateway:R3] speaks 2026-07-28 as well, headers of arguments and subscriptions included', async () => {
    const client = new StdioClient();
    const found = await client.request(1, 'server/discover', { _meta: MODERN });
    const args = { name: 'mirror__mirror', arguments: { region: 'Zürich' }, _meta: MODERN };
    const mirrored = await client.request(2, 'tools/call', args);
    expect([found.result, mirrored.error, mirror.of('tools/call')[0]?.headers['mcp-param-region']]).toMatchObject([
      { supportedVersions: ['2026-07-28'] },
      undefined,
      expect.stringMatching(/^=\?base64\?/),
    ]);
    client.send({
      ...{ id: 3, method: 'subscriptions/listen' },
      params: { notifications: { toolsListChanged: true }, _meta: MODERN },
    });
    await until('it is acknowledged', () =>
      client.messages.some(({ method }) => method === 'notifications/subscriptions/acknowledged'),
    );
    await home.writeConfig(config({ later: { transport: 'stdio', command: process.execPath, args: [stdioServer] } }));
    await until('the list was told', () =>
      client.messages.some(({ method }) => method === 'notifications/tools/list_changed'),
    );
    expect(await client.end()).toBe(0);
  });

  test('[gateway:R3] serves the profile that it was told, and says so where there is none of that name', async () => {
    const few = await new StdioClient('--profile', 'few').initialize();
    const { result } = await few.request(1, 'tools/list');
    const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect([names, await few.end()]).toEqual([['mirror__mirror'], 0]);
    const none = new StdioClient('--profile', 'none');
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    expect(await none.request('hello', 'initialize', params)).toMatchObject({
      error: { data: { code: 'PROFILE_NOT_FOUND' } },
    });
  });
});

describe('bindery stdio serves alone', () => {
  const echo = { name: 'pipe__echo', arguments: { message: 'a' } };

  test('[gateway:R3] where it is told what to serve', async () => {
    const client = await new StdioClient('--exposure', 'all').initialize();
    expect([textOf(await client.request(1, 'tools/call', echo)), await sessions()]).toEqual(['a', '0']);
  });

  test('[gateway:R3] where its folder has rules that the gateway of another folder does not know', async () => {
    const project = join(home.dir, 'project');
    await mkdir(project);
    const policy = { version: '1.0', allowlist: { servers: ['mirror'] } };
    await writeFile(join(project, 'project_mcp.json'), JSON.stringify(policy));
    const client = await new StdioClient('--cwd', project).initialize();
    const answer = await client.request(1, 'tools/call', echo);
    expect([textOf(answer)?.split(':')[0], await sessions()]).toEqual(['POLICY_DENIED', '0']);
  });
});

describe('bindery stdio that is told to end', () => {
  test.each([
    ['SIGTERM', 'beside a gateway', [], 0],
    ['SIGINT', 'beside a gateway', [], 130],
    ['SIGTERM', 'alone', ['--exposure', 'all'], 0],
    ['SIGINT', 'alone', ['--exposure', 'all'], 130],
  ] as const)(
    'by %s %s answers what runs, and says nothing but the state of policy',
    async (signal, _where, flags, code) => {
      const client = await new StdioClient(...flags).initialize();
      let said = '';
      client.child.stderr?.on('data', (chunk) => {
        said += chunk;
      });
      const slow = { name: 'pipe__slow', arguments: { steps: 3, everyMs: 300 }, _meta: { progressToken: 'p' } };
      client.send({ id: 1, method: 'tools/call', params: slow });
      await until('it runs', () => client.messages.some(({ method }) => method === 'notifications/progress'));
      const ended = once(client.child, 'close');
      client.child.kill(signal);
      const [exitCode] = await ended;
      const other = said.replace(/^Policy \(profile asked, [^\n]*\): in force\n/, '');
      expect([exitCode, textOf(await client.answer(1)), other]).toEqual([code, 'slow is done', '']);
    },
  );
});

describe('bindery stdio when its gateway', () => {
  test('[gateway:R3] asks for a credential, has that of the data directory', async () => {
    await bindery.stop();
    bindery = await startBindery(home, '--token', 'secret-of-the-door');
    const client = await new StdioClient().initialize();
    expect((await client.answer('hello')).result).toMatchObject({ serverInfo: { name: 'bindery' } });
  });

  test('[gateway:R3] is gone, answers with errors, as it answers nonsense, and goes on', async () => {
    const client = await new StdioClient().initialize();
    client.child.stdin?.write('nonsense\n\n[]\n{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n');
    await until('all are refused', () => client.messages.filter(({ id }) => id === null).length === 3);
    await bindery.stop('SIGKILL');
    expect((await client.request('late', 'tools/list')).error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('The running gateway did not answer'),
    });
    // A new key makes every session of before unknown: the client does not notice.
    await rm(join(home.dataDir, 'session.key'));
    bindery = await startBindery(home, '--port', new URL(bindery.url).port);
    expect((await client.request('again', 'tools/list')).result).toMatchObject({ tools: expect.any(Array) });
    expect(await client.end()).toBe(0);
  });
});
