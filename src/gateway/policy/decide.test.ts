import { describe, expect, test } from 'vitest';
import { SCHEMA_LIMITS } from '../schema/limits.ts';
import { judge, judgeServer, type LayerName, type PolicyLayer } from './decide.ts';
import { parsePolicy } from './parse-policy.ts';
import { plainFiles } from './testing/plain-files.ts';

const layerOf = (text: string, layer: LayerName = 'project'): PolicyLayer => ({
  layer,
  file: `${layer}.json`,
  policy: parsePolicy(text),
});
const attempt = (server: string, tool: string, value?: unknown) => ({
  server,
  tool,
  now: undefined,
  ...(value === undefined ? {} : { arguments: { value, files: () => plainFiles() } }),
});

const SAMPLE = `{
  "version": "1.0",
  "project": "sample",
  "allowlist": {
    "servers": ["rag", "git"],
    "tools": {
      "git": ["status", "commit"]
    },
    "operations": {
      "commit": {
        "approval_required": true,
        "reason": "a person reads commits"
      },
      "rag/ingest": { "rate_per_minute": 2, "arguments": { "type": "object", "required": ["path"] }, "allowed_roots": ["./docs"] }
    },
    "forbidden": ["rag/drop"]
  }
}`;

describe('the decision names its rule, its file, its line and its pointer [gateway:P4] [gateway:P9]', () => {
  test.each([
    ['rag', 'drop', 'deny', 'forbidden', 16, '/allowlist/forbidden/0'],
    ['mail', 'send', 'deny', 'server_not_listed', 5, '/allowlist/servers'],
    ['git', 'push', 'deny', 'tool_not_listed', 7, '/allowlist/tools/git'],
    ['git', 'commit', 'approval', 'approval_required', 11, '/allowlist/operations/commit/approval_required'],
    ['git', 'status', 'allow', 'tool_listed', 7, '/allowlist/tools/git/0'],
    ['rag', 'query', 'allow', 'server_listed', 5, '/allowlist/servers/0'],
  ])('%s/%s → %s by %s', (server, tool, decision, rule, line, pointer) => {
    expect(judge([layerOf(SAMPLE)], attempt(server, tool, {})).decision).toMatchObject({
      decision,
      rule,
      layer: 'project',
      file: 'project.json',
      line,
      pointer,
    });
  });

  test.each([
    ['["a", "*", "b"]', 0, 1, 1],
    ['["*", "a"]', 0, 0, 0],
    ['["b", "a", "a"]', 1, 0, undefined],
  ])('of servers %s the first entry that fits is named', (servers, a, b, c) => {
    const pointerOf = (server: string) =>
      judge([layerOf(`{"allowlist":{"servers":${servers}}}`)], attempt(server, 't')).decision.pointer;
    const at = (index: number | undefined) => `/allowlist/servers${index === undefined ? '' : `/${index}`}`;
    expect(['a', 'b', 'c'].map(pointerOf)).toEqual([a, b, c].map(at));
  });

  test('without layers everything is allowed', () => {
    expect(judge([], attempt('a', 'b')).decision).toEqual({
      decision: 'allow',
      rule: 'no_policy',
      layer: null,
      file: null,
      line: null,
      pointer: null,
      reason: null,
      limits: {},
      server: 'a',
      tool: 'b',
      unchecked: [],
    });
  });
});

describe('argument rules [gateway:P6]', () => {
  test.each([
    [{ path: './docs/a.md' }, 'allow', 'server_listed'],
    [{ path: '/srv/project/docs' }, 'allow', 'server_listed'],
    [{}, 'deny', 'arguments'],
    [{ path: 'x', deep: [{ other: '/etc/passwd' }] }, 'deny', 'arguments'],
    [{ path: 'docs/../../secret' }, 'deny', 'arguments'],
    [{ path: '~/docs' }, 'deny', 'arguments'],
    [{ path: './docs-private/a' }, 'deny', 'arguments'],
  ])('%j → %s', (value, decision, rule) => {
    expect(judge([layerOf(SAMPLE)], attempt('rag', 'ingest', value)).decision).toMatchObject({ decision, rule });
  });

  test('argument rules that were not reached are not named as unchecked [gateway:P9]', () => {
    const text =
      '{"allowlist":{"servers":["s"],"forbidden":["t"],"operations":{"t":{"arguments":{"type":"object"}},"u":{"allowed_roots":[]}}}}';
    const unchecked = (...[server, tool, value]: Parameters<typeof attempt>) =>
      judge([layerOf(text)], attempt(server, tool, value)).decision.unchecked;
    expect([unchecked('s', 't'), unchecked('r', 'u'), unchecked('s', 'u'), unchecked('s', 'u', {})]).toEqual([
      [],
      [],
      ['arguments'],
      [],
    ]);
  });

  test.each([
    'https:evil.example',
    'https:/evil.example/x',
    'https:\\\\evil.example',
    'HTTPS:\\evil.example',
    ' https://evil.example',
    '\thttps://evil.example',
    'ht\ntps://evil.example',
    'wss:evil.example',
  ])('%j leads to a host, as every reader of URLs reads it [gateway:P6]', (url) => {
    const text = '{"allowlist":{"servers":["*"],"operations":{"get":{"allowed_domains":["a.example"]}}}}';
    const decide = (value: unknown) => judge([layerOf(text)], attempt('s', 'get', value)).decision.decision;
    expect([decide({ url }), decide({ [url]: 1 }), decide({ url: url.replace('evil', 'a') })]).toEqual([
      'deny',
      'deny',
      'allow',
    ]);
  });

  test('member names are strings of the arguments too [gateway:P6]', () => {
    const text = '{"allowlist":{"servers":["*"],"operations":{"write":{"allowed_roots":["/srv/project"]}}}}';
    const decide = (value: unknown) => judge([layerOf(text)], attempt('s', 'write', value)).decision.decision;
    expect([decide({ files: { '/etc/passwd': 'x' } }), decide({ files: { '/srv/project/a': 'x' } })]).toEqual([
      'deny',
      'allow',
    ]);
  });

  test.each(['FILE:///etc/passwd', 'File:/etc/passwd', ' file:///etc/passwd', 'fi\tle:///etc/passwd'])(
    '%j names a file, as every reader of URLs reads it [gateway:P6]',
    (path) => {
      const text = (rule: string) => `{"allowlist":{"servers":["*"],"operations":{"get":{${rule}}}}}`;
      const decide = (rule: string) => judge([layerOf(text(rule))], attempt('s', 'get', { path })).decision;
      expect(decide('"allowed_roots":["/srv"]')).toMatchObject({
        decision: 'deny',
        refused: { read_as: '/etc/passwd' },
      });
      expect(decide('"allowed_roots":["/etc","/srv"]').decision).toBe('allow');
      expect(decide('"allowed_domains":["etc"]')).toMatchObject({
        decision: 'deny',
        refused: { why: expect.stringContaining('names a file') },
      });
    },
  );

  test('strings are found at any depth', () => {
    const text = '{"allowlist":{"servers":["*"],"operations":{"get":{"allowed_roots":["/srv"]}}}}';
    const deep = (value: unknown) => {
      let nested = value;
      for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
      return { nested };
    };
    const decide = (value: unknown) => judge([layerOf(text)], attempt('s', 'get', value)).decision;
    expect([decide(deep('/srv/x')).decision, decide(deep('/etc/x')).decision]).toEqual(['allow', 'deny']);
    expect(decide(deep('/etc/x')).refused?.pointer).toBe(`/nested${'/0'.repeat(100_000)}`);
  });

  test('without arguments the rules are named as unchecked, with the effective limits', () => {
    expect(judge([layerOf(SAMPLE)], attempt('rag', 'ingest')).decision).toMatchObject({
      decision: 'allow',
      unchecked: ['arguments'],
      limits: { rate_per_minute: 2 },
    });
  });

  test('a host is allowed by its own name, or as a subdomain of a name with a leading dot', () => {
    const policy = layerOf(
      '{"allowlist":{"servers":["*"],"operations":{"get":{"allowed_domains":["a.example",".b.example"]}}}}',
    );
    const decide = (url: string) => judge([policy], attempt('web', 'get', { url })).decision.decision;
    expect(
      [
        'https://a.example/x',
        'https://x.b.example',
        'https://b.example',
        'http://c.example',
        'ftp://x.a.example',
        'no url',
      ].map(decide),
    ).toEqual(['allow', 'allow', 'deny', 'deny', 'deny', 'allow']);
  });
});

test('each layer decides alone; the smallest limits apply, and the first denial is reported [gateway:P1]', () => {
  const open = (limit: number) => `{"allowlist":{"servers":["*"],"operations":{"t":{"rate_per_minute":${limit}}}}}`;
  const closed = '{"allowlist":{"servers":[]}}';
  const layers = [layerOf(open(5), 'global'), layerOf(closed, 'project'), layerOf(open(3), 'profile')];
  expect(judge(layers, attempt('s', 't')).decision).toMatchObject({
    decision: 'deny',
    layer: 'project',
    limits: { rate_per_minute: 3 },
  });
});

test('an invalid layer denies everything and says why [gateway:P3]', () => {
  expect(judge([layerOf('{"allowlist":{"servers":["*"],"toolz":{}}}')], attempt('s', 't')).decision).toMatchObject({
    decision: 'deny',
    rule: 'policy_invalid',
    errors: [{ line: 1, pointer: '/allowlist/toolz', message: 'toolz is not a key of allowlist. Did you mean tools?' }],
  });
});

test('a refusal by a schema says what is wrong and where, and exceeding the step limit is a refusal too [gateway:P6]', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: { type: ['string', 'array'], items: {} } } };
  const operations = { t: { arguments: schema, reason: 'why' } };
  const layer = layerOf(JSON.stringify({ allowlist: { servers: ['s'], operations } }));
  const decide = (value: unknown) => judge([layer], attempt('s', 't', value)).decision;
  const refused = (why: unknown) => ({ pointer: null, value: null, read_as: null, why });
  const denied = { decision: 'deny', reason: 'why', pointer: '/allowlist/operations/t/arguments' };
  expect([
    decide({}),
    decide({ a: 5 }),
    decide({ a: Array(SCHEMA_LIMITS.stepsMax).fill(0) }),
    decide({ a: 'ab' }),
  ]).toMatchObject([
    { ...denied, rule: 'arguments', refused: refused(expect.stringMatching(/^the arguments /)) },
    { ...denied, rule: 'arguments', refused: refused(expect.stringMatching(/^\/a /)) },
    {
      ...denied,
      rule: 'arguments_not_judged',
      refused: refused(`judging the arguments by this schema takes more than ${SCHEMA_LIMITS.stepsMax} steps`),
    },
    { decision: 'allow' },
  ]);
});

test('an invalid layer reports its errors and not its warnings [gateway:P3]', () => {
  const { errors } = judge([layerOf('{"other":1,"allowlist":{"servers":[5]}}')], attempt('s', 't')).decision;
  expect(errors).toEqual([
    { line: 1, pointer: '/allowlist/servers/0', message: 'allowlist.servers.0 must be a string' },
  ]);
});

test('the file system is accessed only if a rule judges paths or addresses', () => {
  let looks = 0;
  const operations = {
    t: { arguments: {} },
    u: { allowed_domains: ['a.example'] },
    v: { arguments: { required: ['x'] }, allowed_roots: [] },
  };
  const layer = layerOf(JSON.stringify({ allowlist: { servers: ['s'], operations } }));
  const looked = (tool: string) => {
    looks = 0;
    const files = () => {
      looks += 1;
      return plainFiles();
    };
    judge([layer], { server: 's', tool, now: undefined, arguments: { value: {}, files } });
    return looks;
  };
  expect(['t', 'u', 'v', 'other'].map(looked)).toEqual([0, 1, 0, 0]);
});

test('the time is read once, and only if a rule has hours', () => {
  const hours = { from: '08:00', to: '18:00', time_zone: 'UTC' };
  const policies = [{ servers: ['s'] }, { servers: ['s'], hours }, { servers: ['s'], operations: { t: { hours } } }];
  const asked = (judgeAt: (layers: PolicyLayer[], now: () => number) => unknown) =>
    policies.map((allowlist) => {
      let times = 0;
      judgeAt([layerOf(JSON.stringify({ allowlist })), layerOf(JSON.stringify({ allowlist }))], () => {
        times += 1;
        return 0;
      });
      return times;
    });
  expect([
    asked((layers, now) => judge(layers, { server: 's', tool: 't', now })),
    asked((layers, now) => judgeServer(layers, 's', now)),
  ]).toEqual([
    [0, 1, 1],
    [0, 1, 0],
  ]);
});
