import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wirings } from '../../src/cli/rooms.ts';
import type { Approval } from '../../src/gateway/approval/approval.ts';
import {
  type RunningFixture,
  startModernFixture,
  startSessionFixture,
} from '../../src/proxy/testing/fixture-server.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { root } from '../support/repository.ts';
import { type RunningBindery, startBindery, until } from '../support/running-bindery.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const SHA256 = /^[0-9a-f]{64}$/;
const text = expect.any(String);

const home = openCommandHome();
let modern: RunningFixture;
let legacy: RunningFixture;
let bindery: RunningBindery;
beforeAll(async () => {
  [modern, legacy] = await Promise.all([startModernFixture(), startSessionFixture()]);
  const servers = {
    s: { transport: 'http', url: modern.url },
    old: { transport: 'sse', url: legacy.url },
    local: {
      transport: 'stdio',
      command: process.execPath,
      args: [join(root, 'test/fixtures/servers/leaky-server.ts'), '--token', 'planted'],
    },
    gone: { transport: 'http', url: 'http://127.0.0.1:9/mcp', required: true },
  };
  // What the host's own permissions deny does not count here: the gateway knows policy and approval.
  const permissions = { deny: ['s/*'] };
  home.write(
    '.bindery/config.json',
    JSON.stringify({ version: 1, mcp: { servers }, permissions, gateway: { approval: { wait_ms: 300 } } }),
  );
  home.write(
    'project_mcp.json',
    JSON.stringify({
      allowlist: {
        servers: ['s', 'local', 'gone'],
        forbidden: ['slow'],
        operations: { fail: { approval_required: true, reason: 'why not', remember: 'session' } },
      },
    }),
  );
  bindery = await startBindery(home);
  await untilListed(bindery.url, 's__echo', { text: 'x' });
  await untilListed(bindery.url, 'local__say', {});
});
afterAll(async () => {
  await bindery.stop();
  await Promise.all([modern.close(), legacy.close()]);
});
// biome-ignore lint/suspicious/noExplicitAny: answers of many routes, looked at by their members.
const get = async (path: string): Promise<any> => (await fetch(`${bindery.url}${path}`)).json();

test('starts although a required server is away, and is not ready before it is there, without saying which [gateway:A25] [gateway:D6]', async () => {
  const ready = await fetch(`${bindery.url}/readyz`);
  const body = await ready.text();
  expect([ready.status, JSON.parse(body), body.includes('gone')]).toEqual([
    503,
    { ready: false, reasons: ['1 required servers are not ready'] },
    false,
  ]);
  expect((await fetch(`${bindery.url}/healthz`)).status).toBe(200);
});

test('is not ready while the audit log cannot be written, and nothing is sent meanwhile [gateway:D6] [gateway:R1]', async () => {
  const blocker = new DatabaseSync(join(home.dataDir, 'audit-0.db'));
  blocker.exec("CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  const refused = await callTool(bindery.url, 's__echo', { text: 'not sent' });
  const { reasons } = await get('/readyz');
  blocker.exec('DROP TRIGGER full');
  blocker.close();
  const sent = await callTool(bindery.url, 's__echo', { text: 'sent' });
  expect([
    refused.result._meta['bindery/error'].code,
    reasons,
    sent.result.content[0].text,
    (await get('/readyz')).reasons,
  ]).toEqual([
    'STORE_UNAVAILABLE',
    ['the audit log cannot be written', '1 required servers are not ready'],
    'sent',
    ['1 required servers are not ready'],
  ]);
});

test('metrics have the series that are promised, by server and never by tool [gateway:D6]', async () => {
  await callTool(bindery.url, 's__slow', {});
  const metrics = await (await fetch(`${bindery.url}/metrics`)).text();
  const series = [
    /^bindery_calls_total\{server="s",outcome="ok"\} [1-9]/m,
    /^bindery_calls_total\{server="s",outcome="denied"\} [1-9]/m,
    /^bindery_call_seconds_bucket\{server="s",le="\+Inf"\} [1-9]/m,
    /^bindery_upstream_seconds_count\{server="s"\} [1-9]/m,
    /^bindery_breaker_state\{server="s"\} 0$/m,
    /^bindery_approvals_pending \d+$/m,
    /^bindery_sessions \d+$/m,
    /^bindery_audit_head_seq\{chain="local\/0"\} [1-9]/m,
  ];
  expect(series.filter((one) => !one.test(metrics))).toEqual([]);
  expect(metrics).not.toMatch(/echo|slow/);
});

test('tools are listed for people, denied ones too, with cost, digest and decision [gateway:D2]', async () => {
  const { items } = await get('/v1/tools?server=s');
  expect(items.map(({ name, decision }: { name: string; decision: unknown }) => [name, decision])).toEqual([
    ['s__echo', { decision: 'allow', rule: 'server_listed' }],
    ['s__fail', { decision: 'approval', rule: 'approval_required' }],
    ['s__slow', { decision: 'deny', rule: 'forbidden' }],
  ]);
  expect(items[0]).toEqual({
    name: 's__echo',
    server: 's',
    original_name: 'echo',
    title: null,
    description: 'Gives the text back.',
    input_schema: expect.objectContaining({ type: 'object' }),
    output_schema: null,
    annotations: { readOnlyHint: true },
    read_only: true,
    approval_required: false,
    tokens: expect.any(Number),
    definition_sha256: expect.stringMatching(SHA256),
    status: 'active',
    flags: [],
    decision: { decision: 'allow', rule: 'server_listed' },
  });
  expect((await get('/v1/tools?q=progress')).items.map(({ name }: { name: string }) => name)).toContain('s__slow');
});

test('the audit log is searched, one call is shown with both records, and the policy with its layers [gateway:D3] [gateway:G1]', async () => {
  await callTool(bindery.url, 's__echo', { text: 'looked for' });
  const { items } = await get('/v1/audit?server=s&outcome=ok&q=looked');
  const { call_id } = items[0];
  const call = await get(`/v1/audit/${call_id}`);
  expect([items.length, items[0], call.records.map(({ phase }: { phase: string }) => phase)]).toMatchObject([
    1,
    { kind: 'call', tool: 'echo', caller: 'local', time: expect.stringMatching(TIME), total_us: expect.any(Number) },
    ['begin', 'end'],
  ]);
  expect((await bindery.api('POST', '/v1/audit/verify', {})).body).toMatchObject({ ok: true, first_bad: null });
  expect(await bindery.api('POST', '/v1/audit/verify', { file: '/etc/hostname' })).toMatchObject({
    body: { code: 'INVALID_ARGUMENTS' },
  });
  // Both read the whole log: on loopback too they are for callers with a name.
  expect([
    (await bindery.api('POST', '/v1/audit/verify', {}, '')).status,
    (await bindery.api('GET', '/v1/audit/export', undefined, '')).status,
  ]).toEqual([401, 401]);
  const headers = { authorization: `Bearer ${bindery.admin()}` };
  const lines = (await (await fetch(`${bindery.url}/v1/audit/export`, { headers })).text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).hash).every((hash) => SHA256.test(hash))).toBe(true);
  expect(await get('/v1/policy')).toEqual({
    open: false,
    layers: [
      {
        layer: 'project',
        file: join(home.home, 'project_mcp.json'),
        status: 'ok',
        sha256: expect.stringMatching(SHA256),
        loaded_at: expect.stringMatching(TIME),
        errors: [],
        warnings: [],
      },
    ],
    approval: [{ profile: 'default', surfaces: ['console', 'cli', 'webhook'] }],
  });
  const checked = await bindery.api('POST', '/v1/policy/check', { server: 's', tool: 'slow' });
  const deep = JSON.parse(`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`);
  const oversized = await bindery.api('POST', '/v1/policy/check', { server: 's', tool: 'slow', arguments: deep });
  const members = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`m${at}`, 1]));
  const tooMany = await bindery.api('POST', '/v1/tools/find', { query: 'slow', ...members });
  expect(tooMany).toMatchObject({ status: 413, body: { code: 'ARGUMENTS_TOO_LARGE', limit: 'argumentMembersMax' } });
  expect([oversized.status, (oversized.body as { code: string }).code]).toEqual([413, 'ARGUMENTS_TOO_LARGE']);
  expect(checked.body).toMatchObject({ decision: 'deny', rule: 'forbidden', pointer: '/allowlist/forbidden/0' });
});

test('an approval shows all that the person was shown and nothing else [gateway:V4]', async () => {
  await callTool(bindery.url, 's__fail', { token: 'hush-4711' });
  const { items } = await get('/v1/approvals');
  const shown: Approval = items[0];
  expect(shown).toEqual({
    id: expect.stringMatching(/^apr_[0-9a-z]{26}$/),
    status: 'pending',
    server: 's',
    tool: 'fail',
    name: 's__fail',
    arguments: { token: '***' },
    masked: ['/token'],
    arguments_sha256: expect.stringMatching(SHA256),
    reason: 'why not',
    rule: {
      file: join(home.home, 'project_mcp.json'),
      line: 1,
      pointer: '/allowlist/operations/fail/approval_required',
    },
    caller: 'local',
    profile: 'default',
    session: null,
    client: { name: 'raw', version: '1' },
    created_at: expect.stringMatching(TIME),
    expires_at: expect.stringMatching(TIME),
    decided_at: null,
    decided_by: null,
    decided_via: null,
    decision_reason: null,
    remember: 'none',
    remember_allowed: 'session',
    surfaces: ['console', 'cli', 'webhook'],
    shown: expect.stringMatching(/^Allow s\/fail\?\nwhy not\n\{\n {2}"token": "\*\*\*"\n\}\n/),
    call_id: text,
  });
  const refused = await bindery.api('POST', `/v1/approvals/${shown.id}/decision`, {
    decision: 'approve',
    remember: 'always',
  });
  expect([refused.status, refused.body]).toMatchObject([422, { code: 'REMEMBER_NOT_ALLOWED' }]);
});

describe('lists', () => {
  test.each(['/v1/servers', '/v1/tools', '/v1/audit', '/v1/approvals'])(
    '%s comes in pages that join to the whole, in their order [gateway:G5]',
    async (path) => {
      const key = path === '/v1/audit' ? 'call_id' : path === '/v1/tools' ? 'name' : 'id';
      const whole = await get(`${path}?limit=1000`);
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: { items: Record<string, string>[]; next_cursor: string | null } = await get(
          `${path}?limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        expect(page.items.length).toBeLessThanOrEqual(2);
        ids.push(...page.items.map((item) => item[key] as string));
        cursor = page.next_cursor;
      }
      expect([ids, whole.next_cursor]).toEqual([whole.items.map((item: Record<string, string>) => item[key]), null]);
      if (path === '/v1/servers' || path === '/v1/tools')
        expect(ids).toEqual([...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
      if (path === '/v1/approvals') {
        const times = whole.items.map(({ created_at }: Approval) => created_at);
        expect(times).toEqual([...times].sort());
      }
    },
  );

  test.each(['limit=0', 'limit=1001', 'limit=x', 'limit=2.5'])(
    'with %s are refused as a problem [gateway:G5] [gateway:G3]',
    async (query) => {
      const response = await fetch(`${bindery.url}/v1/tools?${query}`);
      expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
        400,
        'application/problem+json',
        {
          type: text,
          title: text,
          status: 400,
          code: 'INVALID_ARGUMENTS',
          detail: text,
          request_id: text,
          errors: expect.anything(),
        },
      ]);
    },
  );

  test('of a command are the body of the route, and its failure is the same problem [gateway:G5] [gateway:G3]', async () => {
    const { stdout } = await home.run('approvals', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual(await get('/v1/approvals'));
    const failed = await home.run('approvals', 'show', 'apr_none', '--json');
    expect([failed.exitCode, JSON.parse(failed.stdout)]).toMatchObject([
      1,
      { code: 'APPROVAL_NOT_FOUND', status: 404 },
    ]);
    const plain = await home.run('approvals', 'show', 'apr_none');
    expect([plain.stdout, plain.stderr]).toEqual([
      '',
      expect.stringMatching(/^error: .* \(APPROVAL_NOT_FOUND\)\nnext: .*\n$/),
    ]);
  });
});

test('keys of every answer are snake_case, and times are UTC with milliseconds [gateway:G1]', async () => {
  const answers = await Promise.all(['/v1/servers', '/v1/audit', '/v1/approvals', '/v1/policy'].map(get));
  const wrong: string[] = [];
  const look = (value: unknown, path: string): void => {
    // What others wrote keeps its own spelling.
    if (/(arguments|annotations|schema|server_info)$/.test(path)) return;
    if (typeof value === 'string' && /(_at|\.time)$/.test(path) && !TIME.test(value)) wrong.push(`${path} ${value}`);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value) && !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name) && !path.endsWith('anchors'))
        wrong.push(`${path}.${name}`);
      look(member, `${path}.${name}`);
    }
  };
  look(answers, '');
  expect(wrong).toEqual([]);
});

test('servers show the host’s state beside the registry’s status; what a command is started with is in neither [gateway:A6] [gateway:A7] [gateway:A8] [gateway:H3]', async () => {
  await until('the old server was tried', async () => (await get('/v1/servers/old')).state !== 'connecting');
  const { items } = await get('/v1/servers?limit=1000');
  const byId = new Map(items.map((item: { id: string }) => [item.id, item]));
  expect([byId.get('s'), byId.get('old'), byId.get('gone')]).toMatchObject([
    { state: 'ready', status: 'running', era: '2026' },
    { transport: expect.stringMatching(/^(sse|http)$/) },
    { state: 'error', status: 'error', connected: false },
  ]);
  const database = new DatabaseSync(join(home.dataDir, 'registry.db'), { readOnly: true });
  const rows = database.prepare('SELECT * FROM mcp_servers').all() as { name: string; endpoint: string }[];
  database.close();
  expect([JSON.stringify(rows).includes('planted'), rows.find(({ name }) => name === 'local')?.endpoint]).toEqual([
    false,
    `stdio:${process.execPath}`,
  ]);
  expect(rows.find(({ name }) => name === 's')).toMatchObject({
    container_name: 's',
    endpoint: modern.url,
    transport: 'http',
    status: 'running',
    capabilities: expect.stringContaining('echo'),
  });
});

test('no operation that changes anything is a tool, and the host’s permissions do not count here [gateway:A9] [gateway:A11]', async () => {
  const tools = wirings
    .filter(({ room }) => room.name !== 'civic')
    .flatMap(({ room }) => room.operations)
    .filter(({ mcp, hints }) => mcp !== false && !hints.readOnly)
    .map(({ id }) => id);
  expect(tools).toEqual([]);
  // The permissions of the config deny every tool of `s`; the policy allows this one.
  expect((await callTool(bindery.url, 's__echo', { text: 'allowed' })).result.content[0].text).toBe('allowed');
});

test('what was seen once is not connected at the next start, and is listed at once [gateway:A22] [gateway:A6]', async () => {
  const seen = openCommandHome();
  seen.write(
    '.bindery/config.json',
    JSON.stringify({ version: 1, mcp: { servers: { s: { transport: 'http', url: modern.url } } } }),
  );
  const first = await startBindery(seen);
  await untilListed(first.url, 's__echo', { text: 'x' });
  await first.stop();
  const second = await startBindery(seen);
  try {
    const [{ items: tools }, { items: servers }] = await Promise.all(
      ['/v1/tools?server=s', '/v1/servers'].map(
        // biome-ignore lint/suspicious/noExplicitAny: two lists, looked at by their members.
        async (path): Promise<any> => (await fetch(`${second.url}${path}`)).json(),
      ),
    );
    expect([tools.length, servers.find(({ id }: { id: string }) => id === 's')]).toMatchObject([
      3,
      { state: 'ready', reason: 'idle', connected: false, status: 'stopped' },
    ]);
  } finally {
    await second.stop();
  }
});
