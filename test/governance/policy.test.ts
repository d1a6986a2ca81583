import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openCommandHome } from '../support/command-home.ts';
import { startBindery, until } from '../support/running-bindery.ts';

let home: ReturnType<typeof openCommandHome>;
let file: string;
beforeEach(() => {
  home = openCommandHome();
  file = join(home.home, 'project_mcp.json');
});
const at = (...argv: string[]) => [...argv, '--cwd', home.home];
const check = async (...argv: string[]) => {
  const { stdout, exitCode } = await home.run(...at('policy', 'check', ...argv, '--json'));
  return [exitCode, JSON.parse(stdout)];
};
const nowhere = { layer: null, file: null, line: null, pointer: null, reason: null, limits: {} };

test('policy check prints every member, in order, and its exit code is the answer [gateway:P9] [gateway:G4]', async () => {
  expect(await check('s', 't')).toEqual([
    0,
    { decision: 'allow', rule: 'no_policy', ...nowhere, server: 's', tool: 't', unchecked: [] },
  ]);
  home.write(
    'project_mcp.json',
    '{"allowlist": {\n"servers": ["s"],\n"operations": {\n"t": {"rate_per_minute": 3,\n"arguments": {"required": ["a"]},\n"approval_required": true, "reason": "why"}}}}',
  );
  const { stdout } = await home.run(...at('policy', 'check', 's', 't', '--json'));
  expect(stdout).toBe(
    `{"decision":"approval","rule":"approval_required","layer":"project","file":"${file}","line":6,"pointer":"/allowlist/operations/t/approval_required","reason":"why","limits":{"rate_per_minute":3},"server":"s","tool":"t","unchecked":["arguments"]}\n`,
  );
  const denied = { decision: 'deny', rule: 'arguments', line: 5, pointer: '/allowlist/operations/t/arguments' };
  expect([await check('s', 't', '--args', '{}'), await check('s', 't', '--args', '{"a":1}')]).toMatchObject([
    [10, { ...denied, reason: 'why', unchecked: [] }],
    [11, { decision: 'approval', unchecked: [] }],
  ]);
});

test('policy check judges hours by the time that it is given, and lint names hours that are none [gateway:P9]', async () => {
  const hours = { from: '22:00', to: '06:00', days: ['fri'], time_zone: 'Europe/Brussels' };
  const write = (rule: object) =>
    home.write(
      'project_mcp.json',
      JSON.stringify({ allowlist: { servers: ['s'], operations: { t: { hours: rule } } } }),
    );
  write(hours);
  const place = { rule: 'outside_hours', pointer: '/allowlist/operations/t/hours' };
  expect([
    await check('s', 't', '--at', '2026-11-21T05:59:59+01:00'),
    await check('s', 't', '--at', '2026-11-21T05:00:00Z'),
    await check('s', 'u', '--at', '2026-11-21T05:00:00Z'),
  ]).toMatchObject([
    [0, { decision: 'allow' }],
    [10, { decision: 'deny', ...place, opens_at: '2026-11-27T22:00:00+01:00' }],
    [0, { decision: 'allow' }],
  ]);
  const { stdout } = await home.run(...at('policy', 'check', 's', 't', '--at', '2026-11-21T05:00:00Z'));
  expect(stdout).toContain('The hours of the policy allow it again from 2026-11-27T22:00:00+01:00.');
  expect((await home.run(...at('policy', 'check', 's', 't', '--at', 'noon'))).exitCode).toBe(1);
  write({ ...hours, to: '22:00', days: ['friday'], time_zone: 'Europe/Atlantis' });
  const lint = await home.run(...at('policy', 'lint', '--json'));
  expect([lint.exitCode, JSON.parse(lint.stdout)]).toMatchObject([
    1,
    {
      ok: false,
      findings: ['days/0', 'time_zone', 'to'].map((member) => ({
        level: 'error',
        code: 'bad_hours',
        pointer: `/allowlist/operations/t/hours/${member}`,
      })),
    },
  ]);
});

test('policy check says what the files say now: a bad one is bad, however good it was before [gateway:P9] [gateway:P3]', async () => {
  home.write('project_mcp.json', '{"allowlist": {"servers": ["s"]}}');
  const before = await check('s', 't');
  home.write('project_mcp.json', '{"allowlist": {\n"servers": ["s"],\n"tolls": {}}}');
  const bad = await check('s', 't');
  const message = 'tolls is not a key of allowlist. Did you mean tools?';
  expect([before, bad]).toMatchObject([
    [0, { decision: 'allow' }],
    [
      10,
      {
        decision: 'deny',
        rule: 'policy_invalid',
        layer: 'project',
        file,
        line: null,
        pointer: null,
        errors: [{ line: 3, pointer: '/allowlist/tolls', message }],
      },
    ],
  ]);
  const { stdout } = await home.run(...at('policy', 'check', 's', 't'));
  expect(stdout).toBe(`deny s/t: policy_invalid (${file})\nerror line 3: ${message}\n`);
});

test('the policy of a profile is a layer, with its place in the config, and one that cannot be read denies [gateway:P1] [gateway:P9] [gateway:M2]', async () => {
  const config = home.write(
    '.bindery/config.json',
    '{"version": 1,\n"gateway": {"profiles": {\n"dev": {"policy": {\n"servers": ["a"]}},\n"odd": {"policy": "none"},\n"wrong": {"servers": 7}}}}',
  );
  const layer = { layer: 'profile', file: config };
  expect([
    await check('b', 't', '--profile', 'dev'),
    await check('a', 't', '--profile', 'dev'),
    await check('a', 't'),
    await check('a', 't', '--profile', 'odd'),
    await check('a', 't', '--profile', 'wrong'),
    await check('a', 't', '--profile', 'none'),
  ]).toMatchObject([
    [10, { rule: 'server_not_listed', ...layer, line: 4, pointer: '/gateway/profiles/dev/policy/servers' }],
    [0, { rule: 'server_listed', ...layer, line: 4, pointer: '/gateway/profiles/dev/policy/servers/0' }],
    [0, { rule: 'no_policy', layer: null }],
    [10, { rule: 'policy_invalid', ...layer, errors: [{ line: 5, pointer: '/gateway/profiles/odd/policy' }] }],
    [10, { rule: 'policy_invalid', ...layer }],
    [1, { code: 'PROFILE_NOT_FOUND' }],
  ]);
});

test('a running gateway shows the policies of profiles among its layers [gateway:D3] [gateway:D4]', async () => {
  const write = (servers: string) =>
    home.write(
      '.bindery/config.json',
      `{"version": 1, "gateway": {"profiles": {"default": {"policy": {"servers": ${servers}}}}}}`,
    );
  const config = write('["context"]');
  const bindery = await startBindery(home);
  const events = await fetch(`${bindery.url}/v1/events`);
  const get = async () => (await fetch(`${bindery.url}/v1/policy`)).json();
  const before = await get();
  write('"none"');
  let told = '';
  const decoder = new TextDecoder();
  for await (const chunk of events.body as ReadableStream<Uint8Array>) {
    told += decoder.decode(chunk, { stream: true });
    if (/event: policy\.changed\ndata: .*\n/.test(told)) break;
  }
  const after = await get();
  await bindery.stop();
  const layer = {
    layer: 'profile',
    file: config,
    profile: 'default',
    status: 'ok',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    loaded_at: expect.stringMatching(/Z$/),
    errors: [],
    warnings: [],
  };
  const message = 'gateway.profiles.default.policy.servers must be a list of strings';
  const pointer = '/gateway/profiles/default/policy/servers';
  const bad = { ...layer, status: 'bad', errors: [{ level: 'error', code: 'bad_type', line: 1, pointer, message }] };
  const approval = [{ profile: 'default', surfaces: ['console', 'cli', 'webhook'] }];
  expect([before, after]).toEqual([
    { open: false, layers: [layer], approval },
    { open: false, layers: [bad], approval },
  ]);
  const [, data] = /event: policy\.changed\ndata: (.*)\n/.exec(told) ?? [];
  expect(JSON.parse(data ?? '').data).toEqual(after);
});

test('a config.json that breaks while the gateway runs keeps its policies, also where it names no server [gateway:M8]', async () => {
  const write = (config: string) => home.write('.bindery/config.json', config);
  write('{"version": 1, "gateway": {"profiles": {"default": {"policy": {"servers": []}}}}}');
  const bindery = await startBindery(home);
  type Answer = { config_error?: string | null; layers: unknown[] };
  const get = async (path: string) => (await (await fetch(`${bindery.url}${path}`)).json()) as Answer;
  const before = await get('/v1/policy');
  write('{"gateway": {');
  await until('the file was read', async () => (await get('/v1/servers')).config_error != null);
  const after = await get('/v1/policy');
  await bindery.stop();
  write('{}');
  const kept = before.layers.map((layer) => ({ ...(layer as object), status: 'bad' }));
  expect([before.layers.length, after]).toEqual([1, { ...before, layers: kept }]);
});

test('one file replaces the global and the project’s, for the check and for lint [gateway:P1]', async () => {
  home.write('project_mcp.json', '{"allowlist": {"servers": []}}');
  const other = home.write('other.json', '{"allowlist": {"servers": ["s"], "operations": {"r/t": {}}}}');
  const flags = ['--policy', 'other.json'];
  expect(await check('s', 't', ...flags)).toMatchObject([0, { layer: 'file', file: other }]);
  const lints = [await home.json(...at('policy', 'lint', ...flags)), await home.json(...at('policy', 'lint', other))];
  expect(lints[0]).toEqual(lints[1]);
  expect(lints[0].findings.map(({ code }: { code: string }) => code)).toEqual([
    'operation_never_allowed',
    'unknown_server',
  ]);
});

test('a check says where its names are doubtful, and decides as before [gateway:P9]', async () => {
  const servers = { mine: { transport: 'http', url: 'https://mine.example/mcp' } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
  home.write('project_mcp.json', '{"allowlist": {"servers": ["mine"]}}');
  const said = async (...names: string[]) => {
    const { stderr, exitCode } = await home.run(...at('policy', 'check', ...names));
    return [exitCode, stderr.split('\n').filter((line) => line !== '')];
  };
  expect([await said('mine', 'anything'), await said('mien', 'anything'), await said('mine', 'mine__read')]).toEqual([
    [0, []],
    [10, ['note: no server is called mien. Did you mean mine?']],
    [0, ['note: mine__read is the name that clients see; policy calls it read: `bindery policy check mine read`']],
  ]);
});

test('findings name their file, so that two files do not seem to say one thing twice [gateway:P10]', async () => {
  const text = '{"allowlist": {"servers": ["ghost"]}}';
  const files = [home.write('.bindery/project_mcp.json', text), home.write('project_mcp.json', text)];
  const { stdout } = await home.run(...at('policy', 'lint'));
  expect(stdout).toBe(
    `${files.map((path) => `warning ${path}, line 1 unknown_server: no server is called ghost\n`).join('')}ok\n`,
  );
  // In the folder of the config both are one file.
  const here = await home.run('policy', 'lint', '--cwd', home.dataDir);
  expect(here.stdout.split('\n')).toHaveLength(3);
});

test('lint knows the servers that are configured and those that every gateway has [gateway:P2] [gateway:P10]', async () => {
  const servers = { mine: { transport: 'http', url: 'https://mine.example/mcp' } };
  home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers } }));
  home.write('project_mcp.json', '{"allowlist": {"servers": ["mine", "context", "bind", "civic", "ghost"]}}');
  const { stdout, exitCode } = await home.run(...at('policy', 'lint', '--json'));
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    {
      ok: true,
      findings: [
        {
          level: 'warning',
          code: 'unknown_server',
          line: 1,
          pointer: '/allowlist/servers/4',
          message: 'no server is called ghost',
        },
      ],
    },
  ]);
});

test('a policy that is there and cannot be read is bad, at the start and later, and stops nobody else [gateway:P3] [gateway:P8]', async () => {
  mkdirSync(file);
  expect(await check('s', 't')).toMatchObject([10, { rule: 'policy_invalid' }]);
  const bindery = await startBindery(home);
  const get = async (path: string): Promise<unknown> => (await fetch(`${bindery.url}${path}`)).json();
  const status = async () => ((await get('/v1/policy')) as { layers: { status: string }[] }).layers[0]?.status;
  const atStart = await status();
  rmSync(file, { recursive: true });
  home.write('project_mcp.json', '{"allowlist": {"servers": ["context"]}}');
  await bindery.api('POST', '/v1/policy/reload', {});
  const good = await status();
  rmSync(file);
  mkdirSync(file);
  await until('the change is seen', async () => (await status()) !== 'ok');
  const later = await status();
  const { items } = (await get('/v1/servers')) as { items: { id: string }[] };
  const known = items.map(({ id }) => id);
  const code = await bindery.stop();
  expect([atStart, good, later, known, code]).toEqual(['bad', 'ok', 'bad', [], 0]);
});
