import { describe, expect, test } from 'vitest';
import { lintPolicy } from './lint-policy.ts';
import { parsePolicy } from './parse-policy.ts';

const findings = (text: string) =>
  parsePolicy(text).findings.map(({ level, code, line, pointer }) => [level, code, line, pointer]);
const wrap = (members: string) => `{"allowlist":{"servers":["a"],${members}}}`;

test('comments, trailing commas and a BOM are accepted [gateway:P3]', () => {
  expect(parsePolicy('\uFEFF// ours\n{"version":"1.0","allowlist":{"servers":["a",],},}').findings).toEqual([]);
});

test.each([
  ['not an object', '[]', [['error', 'bad_type', 1, '']]],
  ['not JSON', '{\n"allowlist":', [['error', 'bad_type', 2, '']]],
  ['no allowlist', '{}', [['error', 'bad_type', 1, '']]],
  ['no servers', '{"allowlist":{}}', [['error', 'bad_type', 1, '/allowlist']]],
  ['another version', '{"version":"2.0","allowlist":{"servers":[]}}', [['error', 'bad_type', 1, '/version']]],
  ['a repeated key', wrap('"tools":{"a":[],"a":[]}'), [['error', 'duplicate_entry', 1, '/allowlist/tools/a']]],
  [
    'a misspelt key',
    wrap('"operations":{"t":{"approval_requird":true}}'),
    [['error', 'unknown_key', 1, '/allowlist/operations/t/approval_requird']],
  ],
  [
    'a text for a boolean',
    wrap('"operations":{"t":{"approval_required":"true"}}'),
    [['error', 'bad_type', 1, '/allowlist/operations/t/approval_required']],
  ],
  [
    'a limit of zero',
    wrap('"operations":{"t":{"timeout_ms":0}}'),
    [['error', 'bad_type', 1, '/allowlist/operations/t/timeout_ms']],
  ],
  [
    'a schema that refers elsewhere',
    wrap('"operations":{"t":{"arguments":{"$ref":"https://x.example/s"}}}'),
    [['error', 'bad_schema', 1, '/allowlist/operations/t/arguments']],
  ],
  [
    'an old key beside its new one',
    '{"allowed_servers":["a"],"allowlist":{"servers":["a"]}}',
    [
      ['warning', 'legacy_key', 1, '/allowed_servers'],
      ['error', 'legacy_key', 1, '/allowlist/servers'],
    ],
  ],
])('%s makes the file bad [gateway:P3]', (_name, text, expected) => {
  expect(findings(text)).toEqual(expected);
  expect(parsePolicy(text).document).toBeUndefined();
});

test('note keys pass, unknown ones at the top cause warnings [gateway:P3]', () => {
  expect(
    findings(
      '{"x-team":1,"$comment":"c","other":1,"allowlist":{"servers":[],"x-note":1,"operations":{"t":{"$comment":"c"}}}}',
    ),
  ).toEqual([['warning', 'unknown_key', 1, '/other']]);
});

test('old keys work like their new names, and filter additionally [gateway:P5]', () => {
  const { document } = parsePolicy(
    '{"allowed_servers":["a"],"allowed_tools":{"a":["t"]},"forbidden_operations":["u"],"allowed_operations":["a/t"]}',
  );
  expect(
    document &&
      [
        document.servers.entries,
        [...document.tools.keys()],
        document.forbidden,
        document.allowedOperations?.entries,
      ].flat().length,
  ).toBe(4);
});

test('lint reports for the sample only that one of its operations is never allowed [gateway:P10]', () => {
  const sample = {
    version: '1.0',
    project: 'Project_Sanctuary',
    allowlist: {
      servers: ['rag_cortex', 'task', 'git_workflow', 'protocol', 'chronicle'],
      tools: {
        git_workflow: ['git_get_status', 'git_add', 'git_smart_commit', 'git_push_feature'],
        rag_cortex: ['cortex_query', 'cortex_ingest_incremental'],
      },
      operations: {
        git_smart_commit: { approval_required: true, reason: 'Protocol 101 v3.0 enforcement' },
        cortex_ingest_full: { approval_required: true, reason: 'Database purge operation' },
      },
    },
  };
  expect(lintPolicy(parsePolicy(JSON.stringify(sample, null, 2)), undefined)).toEqual({
    ok: true,
    findings: [
      {
        level: 'warning',
        code: 'operation_never_allowed',
        line: 29,
        pointer: '/allowlist/operations/cortex_ingest_full',
        message: 'cortex_ingest_full is in no list of allowed tools: it stays denied',
      },
    ],
  });
});

test.each([
  ['a server without a list may have it', { servers: ['s'] }, 't', undefined, true],
  ['a server without a list has it', { servers: ['s', 'r'], tools: { r: [] } }, 't', { s: ['t'] }, true],
  ['a server without a list has others', { servers: ['s'] }, 't', { s: ['u'] }, false],
  ['any server may have it', { servers: ['*'], tools: { r: ['u'] } }, 't', undefined, true],
  ['it is in the list of its server', { servers: ['s'], tools: { s: ['t'] } }, 's/t', undefined, true],
  ['all tools of its server are', { servers: ['s'], tools: { s: ['*'] } }, 't', undefined, true],
  ['its server is not listed', { servers: ['s'] }, 'r/t', undefined, false],
  ['it is forbidden', { servers: ['s'], forbidden: ['t'] }, 's/t', undefined, false],
  ['it is forbidden there alone', { servers: ['s', 'r'], forbidden: ['s/t'] }, 't', undefined, true],
  ['the old filter lacks it', { servers: ['s'], allowed_operations: ['u'] }, 't', undefined, false],
  ['the old filter has it', { servers: ['s'], allowed_operations: ['s/t'] }, 't', undefined, true],
])('an operation can be allowed or not: %s [gateway:P10]', (_, allowlist, key, seen, isAllowed) => {
  const known = seen && new Map(Object.entries(seen).map(([server, tools]) => [server, new Set(tools)]));
  const text = JSON.stringify({ allowlist: { ...allowlist, operations: { [key]: { approval_required: true } } } });
  const codes = lintPolicy(parsePolicy(text), known).findings.map(({ code }) => code);
  expect(codes.includes('operation_never_allowed')).toBe(!isAllowed);
});

test('a public name is reported once at each position, with the name to write [gateway:P10]', () => {
  const allowlist = {
    servers: ['s', 'r'],
    tools: { s: ['s__a', 'b', 'r__x'] },
    forbidden: ['s__b'],
    operations: { s__b: { approval_required: true }, r__c: {} },
  };
  const known = new Map([
    ['s', new Set(['a', 'b', 'r__x'])],
    ['r', new Set(['c'])],
  ]);
  const said = (names: typeof known | undefined) =>
    lintPolicy(parsePolicy(JSON.stringify({ allowlist })), names).findings.map(({ pointer, message }) => [
      pointer,
      message.replace(/.*: write/, 'write'),
    ]);
  const expected = [
    ['/allowlist/forbidden/0', 'write s/b'],
    ['/allowlist/operations/r__c', 'write r/c'],
    ['/allowlist/operations/s__b', 'write s/b'],
    ['/allowlist/tools/s/0', 'write a'],
  ];
  expect([said(known), said(undefined)]).toEqual([expected, expected]);
});

test('lint reports rules without effect [gateway:P10] [gateway:P2]', () => {
  const text =
    '{"allowlist":{"servers":["git*","rag","rag","ghost"],"tools":{"rag":["q"],"mail":["send"]},"operations":{"cortex_ingest_full":{"approval_required":true},"q":{}}}}';
  const known = new Map([['rag', new Set(['other'])]]);
  const report = lintPolicy(parsePolicy(text), known);
  expect([report.ok, report.findings.map(({ code, pointer }) => `${code} ${pointer}`).sort()]).toEqual([
    true,
    [
      'duplicate_entry /allowlist/servers/2',
      'glob_has_no_effect /allowlist/servers/0',
      'operation_never_allowed /allowlist/operations/cortex_ingest_full',
      'tools_for_unlisted_server /allowlist/tools/mail',
      'unknown_server /allowlist/servers/0',
      'unknown_server /allowlist/servers/3',
      'unknown_tool /allowlist/tools/rag/0',
    ],
  ]);
  const closed =
    '{"allowlist":{"servers":["rag"],"tools":{"rag":["q"]},"operations":{"cortex_ingest_full":{"approval_required":true},"rag/q":{}}}}';
  expect(lintPolicy(parsePolicy(closed), undefined).findings.map(({ code, pointer }) => [code, pointer])).toEqual([
    ['operation_never_allowed', '/allowlist/operations/cortex_ingest_full'],
  ]);
});

test('a restricting rule that matches nothing is reported, however it misses its tool [gateway:P2] [gateway:P10]', () => {
  const known = new Map([['files', new Set(['read_file', 'write_file'])]]);
  const asks = { approval_required: true };
  const operations = { '*': asks, 'files/*': asks, files__read_file: asks, raed_file: asks, 'files/write_file': asks };
  const forbidden = ['*', 'files/*', 'files__write_file', 'files/wirte_file', 'files'];
  const policy = parsePolicy(JSON.stringify({ allowlist: { servers: ['files'], operations, forbidden } }));
  const said = (tools: typeof known | undefined) =>
    new Set(lintPolicy(policy, tools).findings.map(({ pointer }) => pointer.replace('/allowlist/', '')));
  const always = ['operations/*', 'operations/files~1*', 'operations/files__read_file', 'forbidden/0', 'forbidden/1'];
  expect([said(undefined), said(known)]).toEqual([
    new Set([...always, 'forbidden/2']),
    new Set([...always, 'operations/raed_file', 'forbidden/2', 'forbidden/3', 'forbidden/4']),
  ]);
  const messages = lintPolicy(policy, known).findings.map(({ message }) => message);
  expect(messages).toContain('no server has a tool raed_file: the rule has no effect. Did you mean read_file?');
  expect(messages).toContain(
    'files__write_file is the name that clients see, and matches no tool: write files/write_file',
  );
});

test('the arguments that are paths or addresses are JSON pointers, at least one, next to their rule [gateway:P3] [gateway:P6]', () => {
  const errors = (rules: object) =>
    parsePolicy(JSON.stringify({ allowlist: { servers: ['s'], operations: { t: rules } } })).findings.map(
      ({ level, pointer, message }) => [level, pointer.replace('/allowlist/operations/t', ''), message],
    );
  const roots = { allowed_roots: ['/srv'] };
  expect([
    errors({ ...roots, path_arguments: ['/path', '/edits/*/path', '/a~1b'] }),
    errors({ allowed_domains: ['a.example'], url_arguments: ['/url'] }),
    errors({ path_arguments: ['/path'] }),
    errors({ ...roots, url_arguments: ['/url'] }),
    errors({ ...roots, path_arguments: [] }),
    errors({ ...roots, path_arguments: ['path', '', '/', '/a~2'] }),
    errors({ ...roots, path_arguments: '/path' }),
  ]).toEqual([
    [],
    [],
    [['error', '/path_arguments', 'this needs allowed_roots beside it']],
    [['error', '/url_arguments', 'this needs allowed_domains beside it']],
    [['error', '/path_arguments', 'must name at least one argument']],
    ['path', '', '/', '/a~2'].map((written, index) => [
      'error',
      `/path_arguments/${index}`,
      `${written} is not a JSON pointer such as "/path"`,
    ]),
    [
      ['error', '/path_arguments', 'allowlist.operations.t.path_arguments must be a list of strings'],
      ['error', '/path_arguments', 'must name at least one argument'],
    ],
  ]);
});

test('lint reports where every string counts as a path or an address [gateway:P10]', () => {
  const operations = {
    a: { allowed_roots: ['/srv'] },
    b: { allowed_domains: ['a.example'] },
    c: { allowed_roots: ['/srv'], path_arguments: ['/path'] },
  };
  const text = JSON.stringify({ allowlist: { servers: ['s'], operations } });
  expect(lintPolicy(parsePolicy(text), undefined).findings).toMatchObject([
    { level: 'warning', code: 'arguments_not_named', pointer: '/allowlist/operations/a/allowed_roots' },
    { level: 'warning', code: 'arguments_not_named', pointer: '/allowlist/operations/b/allowed_domains' },
  ]);
});

describe('a schema of arguments [gateway:P6]', () => {
  const parsed = (schema: object) =>
    parsePolicy(JSON.stringify({ allowlist: { servers: ['s'], operations: { t: { arguments: schema } } } }, null, 1));

  test('with a misspelt keyword or an unsupported format is an error at any position', () => {
    const schema = {
      type: 'object',
      propertys: {},
      properties: {
        patern: { type: 'string', patern: '^a' },
        to: { anyOf: [{ format: 'phone' }, { items: { requierd: ['x'] } }] },
        when: { format: 'date', 'x-note': 1, examples: [{ patern: 1 }], default: { patern: 1 } },
      },
      $defs: { a: { not: { minLenght: 1 } } },
    };
    const { document, findings } = parsed(schema);
    expect([document, findings.map(({ level, code, pointer }) => [level, code, pointer])]).toEqual([
      undefined,
      [
        '/propertys',
        '/properties/patern/patern',
        '/properties/to/anyOf/0/format',
        '/properties/to/anyOf/1/items/requierd',
        '/$defs/a/not/minLenght',
      ].map((pointer) => ['error', 'bad_schema', `/allowlist/operations/t/arguments${pointer}`]),
    ]);
    expect(new Set(findings.map(({ line }) => line)).size).toBe(findings.length);
  });

  test.each([
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-1', '2024-13-01', 'x']],
    ['time', ['10:00:00Z', '23:59:60.5+01:00'], ['24:00:00Z', '10:00:00', '10:00']],
    ['date-time', ['2024-02-29T10:00:00Z'], ['2024-02-30T10:00:00Z', '2024-02-29 10:00:00Z', '2024-02-29']],
    ['duration', ['P1Y2M3DT4H5M6S', 'P3W', 'PT0.5S'], ['P', 'PT', '1D']],
    ['email', ['a.b@x.example'], ['a b@x.example', 'a@', '@x', 'a@b@c', 'a@-x']],
    ['hostname', ['a.example', 'localhost'], ['-a.example', 'a..b', 'a_b', '']],
    ['ipv4', ['10.0.0.1'], ['10.0.0.256', '10.0.1', '::1', '10.0.0.1/8']],
    ['ipv6', ['::1', '2001:db8::1'], ['10.0.0.1', ':::', '[::1]', '::1/64', '::1%lo']],
    ['uri', ['https://a.example/x', 'urn:x:y'], ['/x', 'a b:c', 'https://']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123e4567', '{123e4567-e89b-12d3-a456-426614174000}']],
  ])('checks the format %s', (format, good, bad) => {
    const { document, findings } = parsed({ properties: { it: { format } } });
    const judge = document?.operations.get('t')?.arguments?.judge;
    const judged = (texts: string[]) => texts.filter((it) => judge?.({ it }, 1).failures.length === 0);
    expect([findings, judged(good), judged(bad)]).toEqual([[], good, []]);
  });
});
