// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how config files spell variables.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { knownSecrets } from '../redact/known-secrets.ts';
import { expandEnv } from './expand-env.ts';
import { checkServerEntry, requestTimeoutMs, type ServerEntry } from './server-entry.ts';
import { toServerSpec } from './to-server-spec.ts';

const http = (more: object = {}) => ({ transport: 'http', url: 'https://example.com/mcp', ...more });
const stdio = (more: object = {}) => ({ transport: 'stdio', command: 'npx', ...more });
const KEY = `ed25519:${Buffer.alloc(32, 'k').toString('base64')}`;
const context = {
  env: { HOST: 'h.example', EMPTY: '' },
  projectDir: '/project',
  serversDir: '/data/servers',
};
const specOf = (entry: ServerEntry) =>
  toServerSpec({ id: 'a', source: 'project', file: '/project/.bindery/config.json', entry }, context);

describe('an entry', () => {
  test.each([
    ['a/b', http(), 'the id must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -'],
    ['x'.repeat(65), http(), 'the id must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -'],
    ['a', { transport: 'http' }, 'url: is required for transport http (or identity)'],
    ['a', { transport: 'stdio' }, 'command: is required for transport stdio'],
    ['a', stdio({ url: 'https://x/' }), 'url: does not go with transport stdio'],
    ['a', http({ command: 'x' }), 'command: does not go with transport http'],
    ['a', http({ identity: 'ai://sentinel' }), 'identity: stands in place of url, not beside it'],
    ['a', { transport: 'http', identity: 'sentinel' }, 'identity: is no ai:// name'],
    ['a', http({ identity_keys: [KEY] }), 'identity_keys: stands beside identity'],
    ['a', stdio({ identity_keys: [KEY] }), 'identity_keys: does not go with transport stdio'],
    ['a', http({ health_check: 'https://other.example/health' }), 'health_check: is not at the origin of the endpoint'],
    ['a', http({ health_check: '//other.example' }), 'health_check: is not at the origin of the endpoint'],
    ['a', http({ url: 'ftp://x/' }), 'url: must begin with http:// or https://'],
    ['a', http({ url: 'nonsense' }), 'url: is not a URL'],
    ['a', http({ headers: { 'X-A': 'a\nb' } }), 'headers.X-A: must be one line'],
    ['a', http({ headers: { 'X A': 'a' } }), 'headers: has a name that no header can have'],
    ['a', stdio({ env: { 'A=B': 'x' } }), 'env: has a name that no environment variable can have'],
  ])('[host:M1] [gateway:M1] [gateway:A20] [host:X30] %s %j is refused: %s', (id, raw, reason) => {
    expect(checkServerEntry(id, raw)).toEqual({ entry: undefined, reason, warnings: [] });
  });

  test.each([
    [http({ headers: { a: 1 } }), 'headers.a'],
    [stdio({ env: { A: null } }), 'env.A'],
    [stdio({ args: ['a', 2] }), 'args.1'],
    [http({ enabled: 'yes' }), 'enabled'],
    [{ url: 'https://x/' }, 'transport'],
    [http({ transport: 'carrier-pigeon' }), 'transport'],
    [http({ oauth: true }), 'oauth'],
    [http({ oauth: { allow_private_endpoints: 'yes' } }), 'oauth'],
    [{ transport: 'http', identity: 'ai://x', identity_keys: ['ed25519:BASE64...'] }, 'identity_keys.0'],
    [{ transport: 'http', identity: 'ai://x', identity_keys: [] }, 'identity_keys'],
    [http({ startup_timeout_ms: -1 }), 'startup_timeout_ms'],
    [[], 'must be an object'],
    ['text', 'must be an object'],
  ])('[host:M1] [host:X30] %j is refused with a reason that names %s', (raw, part) => {
    const { entry, reason } = checkServerEntry('a', raw);
    expect([entry, reason]).toEqual([undefined, expect.stringContaining(part)]);
  });

  test.each([
    ['a', true],
    ['A-b_9'.padEnd(64, 'x'), true],
    ['', false],
    ['x'.repeat(65), false],
    ['a.b', false],
    ['ä', false],
    ['a b', false],
    ['a\n', false],
  ])('[host:S5] the id %j is fine: %s', (id, fine) => {
    expect(checkServerEntry(id, http()).entry !== undefined).toBe(fine);
  });

  test('[host:M1] a reason contains none of the values', () => {
    expect(checkServerEntry('a', http({ headers: { Authorization: ['s3cr3t-value'] } })).reason).not.toContain(
      's3cr3t',
    );
  });

  test('[host:M1] unknown keys are kept and warned about', () => {
    expect(checkServerEntry('a', http({ colour: 'red', oauth: { tenant: 'x' } }))).toEqual({
      entry: http({ colour: 'red', oauth: { tenant: 'x' } }),
      reason: undefined,
      warnings: [
        'unknown key "colour" is kept, but has no effect',
        'unknown key "oauth.tenant" is kept, but has no effect',
      ],
    });
  });

  test.each([
    [undefined, 30_000, 0],
    [1500.4, 1500, 0],
    [0, 30_000, 1],
    [-5, 30_000, 1],
    [Number.POSITIVE_INFINITY, 30_000, 1],
    ['90', 30_000, 1],
  ])('[host:M1] request_timeout_ms %s counts as %i', (value, effective, warnings) => {
    const checked = checkServerEntry('a', http(value === undefined ? {} : { request_timeout_ms: value }));
    expect([requestTimeoutMs(checked.entry as ServerEntry), checked.warnings.length]).toEqual([effective, warnings]);
  });

  test.each([
    ['http://example.com/mcp', 1],
    ['http://127.0.0.1:3000/mcp', 0],
    ['http://localhost/mcp', 0],
    ['http://[::1]/mcp', 0],
    ['https://example.com/mcp', 0],
  ])('[host:M3] [gateway:M3] %s has %i warnings', (url, warnings) => {
    expect(checkServerEntry('a', http({ url })).warnings).toHaveLength(warnings);
  });

  test('[host:A18] [gateway:A18] every documented key is known', () => {
    const all = http({
      ...{ enabled: true, headers: {}, request_timeout_ms: 1, startup_timeout_ms: 1, tool_timeout_max_ms: 1 },
      ...{ include_tools: ['a*'], exclude_tools: ['b'], required: true, expand_env: false, keep_alive: true },
      ...{ idle_stop_ms: 1, sharing: 'auto', max_concurrency: 1, queue_max: 0, health_check: '/h' },
      ...{
        pin_definitions: true,
        breaker: { failures: 5, open_ms: 60000 },
        tool_breakers: ['x'],
        credentials: 'shared',
      },
      oauth: {
        ...{ authorization_url: 'a', token_url: 'b', registration_url: 'c', client_id: 'd', client_secret: 'e' },
        ...{ scope: 'f', redirect_uri: 'g', callback_port: 1, resource: 'h' },
      },
    });
    expect(checkServerEntry('a', all)).toEqual({ entry: all, reason: undefined, warnings: [] });
  });
});

describe('variables', () => {
  test('[host:H1] stay literal unless the entry asks for them', () => {
    expect(expandEnv(http({ url: 'https://${HOST}/' }) as ServerEntry, context.env)).toEqual({
      entry: http({ url: 'https://${HOST}/' }),
    });
  });

  test('[host:H1] are expanded in every part of the launch definition, with defaults', () => {
    const entry = stdio({
      expand_env: true,
      command: '${HOST}',
      args: ['${MISSING:-x}', '${EMPTY:-y}', '$HOST ${}'],
      env: { A: '${EMPTY}' },
      include_tools: ['${HOST}'],
    }) as ServerEntry;
    expect(expandEnv(entry, context.env)).toEqual({
      entry: { ...entry, command: 'h.example', args: ['x', 'y', '$HOST ${}'], env: { A: '' } },
    });
  });

  test('[host:H1] an unset one is an error of that server, by name', () => {
    const entry = http({ expand_env: true, url: 'https://${NO_HOST}/', headers: { A: '${NO_TOKEN}' } });
    const checked = checkServerEntry('a', entry);
    expect(specOf(checked.entry as ServerEntry)).toEqual({
      reason: 'the variables NO_HOST, NO_TOKEN are not set',
    });
  });

  test('[host:H1] expanded values are validated too', () => {
    const entry = http({ expand_env: true, url: '${HOST}' }) as ServerEntry;
    expect(specOf(entry)).toEqual({ reason: 'url: is not a URL' });
  });
});

describe('the spec of a connection', () => {
  test('[host:H1] a stdio entry', () => {
    const entry = stdio({ args: ['-y'], cwd: 'sub', env: { A: 'b' }, request_timeout_ms: 5 }) as ServerEntry;
    expect(specOf(entry)).toEqual({
      spec: {
        id: 'a',
        transport: 'stdio',
        command: 'npx',
        args: ['-y'],
        cwd: '/project/sub',
        env: { A: 'b' },
        requestTimeoutMs: 5,
        handshakeTimeoutMs: 5,
      },
    });
  });

  test('[host:H1] an http entry with OAuth', () => {
    const oauth = { client_id: 'c', callback_port: 9, resource: false, allow_private_endpoints: true };
    const entry = http({ oauth, startup_timeout_ms: 7 });
    expect(specOf(entry as unknown as ServerEntry)).toEqual({
      spec: {
        id: 'a',
        transport: 'http',
        url: 'https://example.com/mcp',
        oauth: { clientId: 'c', callbackPort: 9, resource: false, allowPrivateEndpoints: true },
        requestTimeoutMs: 30_000,
        startupTimeoutMs: 7,
      },
    });
  });

  test('[host:H1] keep_alive wins over idle_stop_ms', () => {
    const spec = (more: object) => specOf(http({ idle_stop_ms: 9, ...more }) as ServerEntry).spec;
    expect([spec({})?.idleStopMs, spec({ keep_alive: true })?.idleStopMs]).toEqual([9, undefined]);
  });

  test('[host:H1] a time that exceeds the longest timer means the longest', () => {
    const [day, longest] = [86_400_000, 2_147_483_647];
    const written = (ms: number) => ({
      ...{ request_timeout_ms: ms, startup_timeout_ms: ms, tool_timeout_max_ms: ms, idle_stop_ms: ms },
      breaker: { open_ms: ms },
    });
    const effective = (ms: number) => {
      const entry = checkServerEntry('a', http(written(ms))).entry as ServerEntry;
      const { requestTimeoutMs, startupTimeoutMs, toolTimeoutMaxMs, idleStopMs } = specOf(entry).spec ?? {};
      return [requestTimeoutMs, startupTimeoutMs, toolTimeoutMaxMs, idleStopMs, entry.breaker?.open_ms];
    };
    expect([effective(30 * day), effective(24 * day)]).toEqual([Array(5).fill(longest), Array(5).fill(24 * day)]);
  });

  test('[host:H1] parsing an identity again gives an equal spec, so that nothing reconnects', () => {
    const spec = () => specOf({ transport: 'http', identity: 'ai://sentinel' }).spec;
    expect(isDeepStrictEqual(spec(), spec())).toBe(true);
  });

  test('[host:H1] oauth: false is kept', () => {
    expect(specOf(http({ oauth: false }) as ServerEntry).spec).toMatchObject({ oauth: false });
  });

  test('[host:H1] a name and its keys are in the spec unchanged, and are resolved when connecting', () => {
    const entry = { transport: 'http', identity: 'ai://sentinel', identity_keys: [KEY] } as const;
    expect(specOf(entry as unknown as ServerEntry).spec).toEqual({
      ...{ id: 'a', transport: 'http', requestTimeoutMs: 30_000 },
      identity: { name: 'ai://sentinel', keys: [KEY] },
    });
  });
});

test('[host:U8] the secrets of an entry are found in all its members', () => {
  const entry = {
    ...http({ url: 'https://ann:p%40ss@example.com/?api_key=qqqq&page=2', expand_env: true }),
    args: ['--token', 'tttt', '--api-key=kkkk', '--verbose', 'vvvv'],
    env: { DB_PASSWORD: '${HOST}', NODE_ENV: 'production' },
    headers: { Authorization: 'Bearer bbbb', 'X-Workspace': 'wwww' },
    oauth: { client_secret: 'cccc', client_id: 'iiii' },
  } as unknown as ServerEntry;
  expect(knownSecrets(entry, context.env)).toEqual([
    'h.example',
    'Bearer bbbb',
    'bbbb',
    'tttt',
    'kkkk',
    'cccc',
    'p@ss',
    'qqqq',
  ]);
});
