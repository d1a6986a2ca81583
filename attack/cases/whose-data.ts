import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { HttpFixture, legacyHttp } from '../../test/fixtures/servers/http-server.ts';
import { callTool } from '../../test/support/call-tool.ts';
import { openSession, requestModern } from '../../test/support/raw-client.ts';
import { type RunningBindery, until, untilKnown } from '../../test/support/running-bindery.ts';
import type { AttackCase, AttackTarget } from '../attack-case.ts';

/** A server that begins the task `task-1` at every call, and trims the ids that it is asked for. */
async function startTaskServer({ onEnd }: AttackTarget): Promise<HttpFixture> {
  const capabilities = { tools: {}, tasks: { list: {}, requests: { tools: { call: {} } } } };
  const tool = { name: 'run', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } };
  const server = await new HttpFixture(
    legacyHttp((reply) => {
      const { method } = reply.seen.message ?? {};
      if (method === 'initialize')
        reply.result({ protocolVersion: '2025-11-25', serverInfo: { name: 'db', version: '1' }, capabilities });
      else if (method === 'tools/list') reply.result({ tools: [tool] });
      else if (method === 'tools/call') reply.result({ task: { taskId: 'task-1', status: 'working' } });
      else if (method?.startsWith('tasks/')) reply.result({ taskId: 'task-1', status: 'completed' });
      else return false;
      return true;
    }),
  ).listen();
  onEnd(() => server.close());
  return server;
}

async function openAs(bindery: RunningBindery, key: string) {
  return openSession(`${bindery.mcpUrl}/alone`, {
    capabilities: { tasks: {} },
    headers: { authorization: `Bearer ${key}` },
  });
}

export const attacks: readonly AttackCase[] = [
  {
    id: 'task-of-another',
    title: 'after a restart nobody reads another caller’s task, by its id or one like it, and every try is recorded',
    async run(target) {
      const { home, up, command } = target;
      const server = await startTaskServer(target);
      const gateway = { exposure: 'all', profiles: { alone: { servers: ['db'] } } };
      await home.writeConfig({ version: 1, mcp: { servers: { db: { transport: 'http', url: server.url } } }, gateway });
      const keyOf = async (name: string) =>
        (JSON.parse((await command(['keys', 'create', name, '--scope', 'call', '--json'])).stdout) as { key: string })
          .key;
      const [ada, bob] = [await keyOf('ada'), await keyOf('bob')];
      const first = await up();
      await untilKnown(first, 'db');
      const call = { name: 'db__run', arguments: {}, task: { ttl: 60_000 } };
      assert.match(JSON.stringify(await (await openAs(first, ada)).request('tools/call', call)), /task-1/);
      await first.stop('SIGKILL');
      const second = await up();
      await untilKnown(second, 'db');
      const session = await openAs(second, bob);
      for (const taskId of ['task-1', ' task-1', 'task-1 ', 'TASK-1'])
        assert.ok((await session.request('tasks/get', { taskId })).error, JSON.stringify(taskId));
      assert.deepEqual(server.of('tasks/get'), []);
      const { body } = await second.api('GET', '/v1/audit?kind=call&limit=100');
      const refused = (body as { items: { tool?: string; outcome?: string }[] }).items.filter(
        ({ tool, outcome }) => tool === 'tasks/get' && outcome === 'denied',
      );
      assert.equal(refused.length, 4);
      const own = await (await openAs(second, ada)).request('tasks/get', { taskId: 'task-1' });
      assert.match(JSON.stringify(own.result), /task-1/);
    },
  },
  {
    id: 'held-retry-other-arguments',
    title: 'a retry of a call that waits for answers cannot put other arguments into the record',
    async run({ home, up }) {
      const program = fileURLToPath(new URL('../../test/fixtures/servers/asking-server.ts', import.meta.url));
      const old = { transport: 'stdio', command: process.execPath, args: [program, 'legacy'] };
      await home.writeConfig({ version: 1, mcp: { servers: { old } }, gateway: { exposure: 'all' } });
      const bindery = await up();
      await untilKnown(bindery, 'old');
      const capabilities = { elicitation: { form: {} } };
      const args = { params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } } };
      const asked = await callTool(bindery.url, 'old__ask', args, { capabilities });
      const params = { requestState: asked.result.requestState, inputResponses: {} };
      const other = { ...args, path: '/etc/passwd' };
      const answer = await callTool(bindery.url, 'old__ask', other, { capabilities, params });
      assert.match(JSON.stringify(answer), /INVALID_ARGUMENTS/);
      const { body } = await bindery.api('GET', '/v1/audit?kind=call');
      const records = (body as { items: { phase: string; outcome?: string; arguments?: object }[] }).items;
      const sent = records.filter((record) => JSON.stringify(record.arguments ?? {}).includes('/etc/passwd'));
      assert.deepEqual(
        sent.map(({ outcome }) => outcome),
        ['denied'],
      );
    },
  },
  {
    id: 'mask-by-project',
    title: 'a project that nobody trusts, or another server’s entry, hides no word from approvers or from the log',
    async run({ home, up, write, recordingServer }) {
      const [notes, other] = [recordingServer(), recordingServer()];
      const entry = { ...other.entry, env: { A_TOKEN: 'production-database' } };
      await write('cwd/.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers: { theirs: entry } } }));
      await home.writeConfig({
        version: 1,
        mcp: { servers: { notes: notes.entry, other: { ...other.entry, env: { B_TOKEN: 'drop-everything' } } } },
        gateway: { exposure: 'all', approval: { wait_ms: 100 } },
      });
      const operations = { write: { approval_required: true } };
      const allowlist = { servers: ['notes', 'other', 'theirs'], operations };
      const bindery = await up('--policy', await write('policy.json', JSON.stringify({ allowlist })));
      await untilKnown(bindery, 'notes');
      const text = 'production-database drop-everything';
      await callTool(bindery.url, 'notes__write', { text });
      for (const path of ['/v1/approvals', '/v1/audit?kind=call'])
        assert.ok(JSON.stringify((await bindery.api('GET', path)).body).includes(text), path);
    },
  },
  {
    id: 'approval-left-behind',
    title: 'an agent without a key that leaves a hundred questions behind does not block the next one’s',
    async run({ home, up, write, recordingServer }) {
      const gateway = { exposure: 'all', approval: { wait_ms: 60_000 } };
      await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry } }, gateway });
      const allowlist = { servers: ['notes'], operations: { write: { approval_required: true } } };
      const bindery = await up('--policy', await write('policy.json', JSON.stringify({ allowlist })));
      await untilKnown(bindery, 'notes');
      const pending = async () =>
        ((await bindery.api('GET', '/v1/approvals?status=pending&limit=1')).body as { total: number }).total;
      const gone = new AbortController();
      const ask = (n: number, signal: AbortSignal) =>
        requestModern(bindery.mcpUrl, 'tools/call', { name: 'notes__write', arguments: { n } }, { signal });
      const left = Array.from({ length: 100 }, (_, n) => ask(n, gone.signal).catch(() => 'gone'));
      await until('all are asked', async () => (await pending()) === 100);
      gone.abort();
      await Promise.all(left);
      const next = ask(100, new AbortController().signal).catch(() => 'gone');
      const newest = async () =>
        JSON.stringify((await bindery.api('GET', '/v1/approvals?status=pending&limit=1000')).body);
      await until('the next one is asked', async () => (await newest()).includes('"n":100'));
      assert.equal(await pending(), 100);
      await bindery.stop('SIGKILL');
      await next;
    },
  },
  {
    id: 'registry-locked',
    title: 'while another program holds the registry, calls that do not need it are answered, and the others wait',
    async run({ home, up, write, recordingServer }) {
      const gateway = { exposure: 'all', approval: { wait_ms: 100 } };
      await home.writeConfig({ version: 1, mcp: { servers: { notes: recordingServer().entry } }, gateway });
      const allowlist = { servers: ['notes'], operations: { write: { approval_required: true } } };
      const bindery = await up('--policy', await write('policy.json', JSON.stringify({ allowlist })));
      await untilKnown(bindery, 'notes');
      const other = new DatabaseSync(join(home.dataDir, 'registry.db'));
      other.exec('BEGIN IMMEDIATE');
      const asked = Promise.all(
        Array.from({ length: 20 }, (_, n) => callTool(bindery.url, 'notes__write', { n }).then(JSON.stringify)),
      );
      for (let n = 0; n < 10; n += 1) {
        const answer = await callTool(bindery.url, 'notes__echo', { text: `plain ${n}` });
        assert.match(JSON.stringify(answer), new RegExp(`plain ${n}`));
      }
      other.exec('ROLLBACK');
      other.close();
      for (const answer of await asked) assert.match(answer, /APPROVAL_PENDING/);
    },
  },
  {
    id: 'policy-schema-misspelt',
    title: 'a rule of policy that would check nothing, because of a slip, lets no call pass',
    async run({ home, up, write, command, recordingServer }) {
      const server = recordingServer();
      await home.writeConfig({ version: 1, mcp: { servers: { notes: server.entry } }, gateway: { exposure: 'all' } });
      const schema = { properties: { text: { patern: '^[a-z]+$', format: 'phone' } } };
      const allowlist = { servers: ['notes'], operations: { write: { arguments: schema } } };
      const policy = await write('policy.json', JSON.stringify({ allowlist }));
      const lint = await command(['policy', 'lint', policy]);
      assert.notEqual(lint.exitCode, 0);
      assert.match(lint.stdout + lint.stderr, /patern is no keyword/);
      const bindery = await up('--policy', policy).catch(() => undefined);
      if (bindery) await callTool(bindery.url, 'notes__write', { text: '; rm -rf /' });
      assert.deepEqual(await server.calls(), []);
    },
  },
  {
    id: 'register-room-name',
    title: 'a key that registers servers cannot take the name of a room that is not served',
    async run({ up, command }) {
      const bindery = await up();
      const { stdout } = await command(['keys', 'create', 'k', '--scope', 'register', '--json']);
      const key = `Bearer ${(JSON.parse(stdout) as { key: string }).key}`;
      const manifest = { name: 'civic', endpoint: 'https://civic.example.com/mcp', transport: 'http' };
      const { status, body } = await bindery.api('POST', '/v1/servers', manifest, key);
      assert.deepEqual([status, (body as { code: string }).code], [409, 'SERVER_EXISTS']);
    },
  },
];
