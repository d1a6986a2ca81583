import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { naiveDecision } from '../../../test/naive/policy.ts';
import { judge, type LayerName, type PolicyLayer } from './decide.ts';
import { parsePolicy } from './parse-policy.ts';

const layerOf = (text: string, layer: LayerName = 'project'): PolicyLayer => ({
  layer,
  file: `${layer}.json`,
  policy: parsePolicy(text),
});
const attempt = (server: string, tool: string, value?: unknown) => ({
  server,
  tool,
  ...(value === undefined ? {} : { arguments: { value } }),
  resolvePath: (path: string) =>
    new URL(path.startsWith('~') ? `/home/me${path.slice(1)}` : path, 'file:///srv/project/').pathname,
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

  test('no layer allows everything', () => {
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

  test('without arguments the rules are named as unchecked, with the limits that hold', () => {
    expect(judge([layerOf(SAMPLE)], attempt('rag', 'ingest')).decision).toMatchObject({
      decision: 'allow',
      unchecked: ['arguments'],
      limits: { rate_per_minute: 2 },
    });
  });

  test('a host is allowed by its own name, or below a name that begins with a dot', () => {
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

test('each layer decides alone; limits are the smallest and the first denial is reported [gateway:P1]', () => {
  const open = (limit: number) => `{"allowlist":{"servers":["*"],"operations":{"t":{"rate_per_minute":${limit}}}}}`;
  const closed = '{"allowlist":{"servers":[]}}';
  const layers = [layerOf(open(5), 'global'), layerOf(closed, 'project'), layerOf(open(3), 'profile')];
  expect(judge(layers, attempt('s', 't')).decision).toMatchObject({
    decision: 'deny',
    layer: 'project',
    limits: { rate_per_minute: 3 },
  });
});

test('a bad layer denies everything and says why [gateway:P3]', () => {
  expect(judge([layerOf('{"allowlist":{"servers":["*"],"toolz":{}}}')], attempt('s', 't')).decision).toMatchObject({
    decision: 'deny',
    rule: 'policy_invalid',
    errors: [{ line: 1, pointer: '/allowlist/toolz', message: 'toolz is not a key of allowlist' }],
  });
});

const names = fc.constantFrom('a', 'b', 'a/b', 'constructor', '__proto__', 'toString', 'A', 'ä', '');
const entry = fc.oneof(
  names,
  fc.tuple(names, names).map(([server, tool]) => `${server}/${tool}`),
);
const goodFile = fc.record({
  allowlist: fc.record(
    {
      servers: fc.array(fc.oneof(names, fc.constant('*')), { maxLength: 4 }),
      tools: fc.dictionary(names, fc.array(fc.oneof(names, fc.constant('*')), { maxLength: 3 }), { maxKeys: 3 }),
      forbidden: fc.array(entry, { maxLength: 2 }),
      operations: fc.dictionary(entry, fc.record({ approval_required: fc.boolean() }, { requiredKeys: [] }), {
        maxKeys: 3,
      }),
    },
    { requiredKeys: ['servers'] },
  ),
});
const badFile = goodFile.chain((file) =>
  fc.constantFrom(
    JSON.stringify({ allowlist: { ...file.allowlist, approval_requird: true } }),
    JSON.stringify({ allowlist: { ...file.allowlist, servers: 'a' } }),
    JSON.stringify({ allowlist: { ...file.allowlist, operations: { a: { approval_required: 'true' } } } }),
    JSON.stringify({ allowlist: { ...file.allowlist, operations: { a: { rate_per_minute: 0 } } } }),
    JSON.stringify({ version: '2.0', ...file }),
    `{"allowlist":{"servers":["*"],"servers":["*"]}}`,
    `{"allowlist":${JSON.stringify(file.allowlist)}`,
    '[]',
    '',
  ),
);
const layer = fc.oneof(
  {
    weight: 4,
    arbitrary: goodFile.map((file) => ({
      text: JSON.stringify(file),
      naive: file as Record<string, unknown> | undefined,
    })),
  },
  { weight: 1, arbitrary: badFile.map((text) => ({ text, naive: undefined })) },
);

test('decides as the naive model does, for any layers and names [gateway:P2] [gateway:P4]', () => {
  fc.assert(
    fc.property(fc.array(layer, { maxLength: 3 }), names, names, (layers, server, tool) => {
      const { decision, rule } = judge(
        layers.map(({ text }) => layerOf(text)),
        attempt(server, tool),
      ).decision;
      expect({ decision, rule }).toEqual(
        naiveDecision(
          layers.map(({ naive }) => naive),
          server,
          tool,
        ),
      );
    }),
    { numRuns: Number(process.env.POLICY_CASES ?? 5_000) },
  );
});

test('one more layer never opens what was closed [gateway:P1]', () => {
  const rank = { deny: 0, approval: 1, allow: 2 };
  fc.assert(
    fc.property(fc.array(layer, { maxLength: 2 }), layer, names, names, (layers, more, server, tool) => {
      const decide = (texts: readonly string[]) =>
        rank[
          judge(
            texts.map((text) => layerOf(text)),
            attempt(server, tool),
          ).decision.decision
        ];
      const texts = layers.map(({ text }) => text);
      expect(decide([...texts, more.text])).toBeLessThanOrEqual(decide(texts));
    }),
    { numRuns: Number(process.env.POLICY_CASES ?? 3_000) },
  );
});
