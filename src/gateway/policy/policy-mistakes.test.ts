import { expect, test } from 'vitest';
import { parseAllowlistAt, parsePolicy, unreadablePolicy } from './parse-policy.ts';

/** Each member of the file stands in a line of its own; the first line is the brace. */
const lines = (...members: string[]) => `{\n${members.join(',\n')}\n}`;
const said = (text: string) =>
  parsePolicy(text).findings.map(({ level, code, line, pointer, message }) => [level, code, line, pointer, message]);
const SERVERS = '"allowlist":{"servers":["s"]}';
const inAllowlist = (member: string) => `{"allowlist":{"servers":["s"],\n${member}}}`;
const ofOperation = (member: string) => inAllowlist(`"operations":{"t":{\n${member}}}`);

test.each([
  ['"project":5', 'bad_type', '/project', 'project must be a string'],
  ['"version":1.0', 'bad_type', '/version', 'version must be "1.0"'],
  ['"hours":{}', 'unknown_key', '/hours', 'hours must stand in allowlist'],
  ['"writes":"ask"', 'unknown_key', '/writes', 'writes must stand in allowlist'],
])('beside the allowlist, %s is an error', (member, code, pointer, message) => {
  const text = lines(SERVERS, member);
  expect([said(text), parsePolicy(text).document]).toEqual([[['error', code, 3, pointer, message]], undefined]);
});

test.each([
  ['"project":"p"', []],
  ['"version":"1.0"', []],
  ['"$schema":"x"', []],
  ['"x-own":1', []],
  ['"server":[]', [['warning', 'unknown_key', 3, '/server', 'server is not a key of a policy file']]],
  [
    '"alowlist":{}',
    [['warning', 'unknown_key', 3, '/alowlist', 'alowlist is not a key of a policy file. Did you mean allowlist?']],
  ],
  [
    '"forbidden_operations":["t"]',
    [['warning', 'legacy_key', 3, '/forbidden_operations', 'forbidden_operations is an old key: write forbidden']],
  ],
  [
    '"allowed_operations":["t"]',
    [['warning', 'legacy_key', 3, '/allowed_operations', 'allowed_operations is an old key']],
  ],
])('beside the allowlist, %s leaves the file good', (member, findings) => {
  const text = lines(SERVERS, member);
  expect([said(text), parsePolicy(text).document !== undefined]).toEqual([findings, true]);
});

test.each([
  ['"allowlist":5', 2, '/allowlist', ['allowlist must be an object', 'allowlist.servers is missing']],
  ['"x-own":1', 1, '', ['allowlist is missing']],
])('a file with %s alone has no servers', (member, line, pointer, messages) => {
  expect(said(lines(member)).map(([, , at, where, message]) => [at, where, message])).toEqual(
    messages.map((message, index) => [index === 0 ? line : 1, pointer, message]),
  );
});

test.each([
  ['"servers ":[]', 'unknown_key', '/servers ', 'servers  is not a key of allowlist. Did you mean servers?'],
  ['"forbidden":"t"', 'bad_type', '/forbidden', 'allowlist.forbidden must be a list of strings'],
  ['"forbidden":[5]', 'bad_type', '/forbidden/0', 'allowlist.forbidden.0 must be a string'],
  ['"tools":[]', 'bad_type', '/tools', 'must be an object'],
  ['"tools":{"a/b":5}', 'bad_type', '/tools/a~1b', 'allowlist.tools.a/b must be a list of strings'],
  ['"operations":5', 'bad_type', '/operations', 'must be an object'],
  ['"operations":{"t":5}', 'bad_type', '/operations/t', 'must be an object'],
  ['"writes":"never"', 'bad_type', '/writes', 'writes must be one of allow, ask, deny'],
  ['"writes":null', 'bad_type', '/writes', 'writes must be one of allow, ask, deny'],
  ['"hours":5', 'bad_hours', '/hours', 'hours must be an object with from, to and time_zone'],
  [
    '"hours":{"from":"08:00","to":"18:00"}',
    'bad_hours',
    '/hours/time_zone',
    'time_zone must be the name of a time zone, such as "Europe/Brussels" or "UTC"',
  ],
  ['"forbidden":["t"],"forbidden_operations":["t"]', 'legacy_key', '/forbidden_operations', 'keep one of them'],
  ['"x-own":[{"a":1,"a":1}]', 'duplicate_entry', '/x-own/0/a', 'a stands twice in one object'],
])('in the allowlist, %s is an error in its own line', (member, code, pointer, message) => {
  const text = inAllowlist(member);
  expect([said(text), parsePolicy(text).document]).toEqual([
    [['error', code, 2, `/allowlist${pointer}`, expect.stringContaining(message)]],
    undefined,
  ]);
});

test.each([
  ['"approval_required":1', 'bad_type', '/approval_required', 'approval_required must be true or false'],
  ['"read_only":"yes"', 'bad_type', '/read_only', 'read_only must be true or false'],
  ['"reason":5', 'bad_type', '/reason', 'reason must be a string'],
  ['"approve":true', 'unknown_key', '/approve', 'approve is not a key of an operation'],
  ['"rate_per_minute":0', 'bad_type', '/rate_per_minute', 'rate_per_minute must be an integer of at least 1'],
  ['"rate_per_minute":1.5', 'bad_type', '/rate_per_minute', 'rate_per_minute must be an integer of at least 1'],
  ['"max_concurrency":"1"', 'bad_type', '/max_concurrency', 'max_concurrency must be an integer of at least 1'],
  ['"timeout_ms":-1', 'bad_type', '/timeout_ms', 'timeout_ms must be an integer of at least 1'],
  ['"remember":"for ever"', 'bad_type', '/remember', 'remember must be one of never, session, always'],
  ['"remember":null', 'bad_type', '/remember', 'remember must be one of never, session, always'],
  ['"surfaces":["cli","window"]', 'bad_type', '/surfaces/1', 'window is not one of console, cli, webhook, client'],
  ['"surfaces":"cli"', 'bad_type', '/surfaces', 'allowlist.operations.t.surfaces must be a list of strings'],
  ['"allowed_roots":"/srv"', 'bad_type', '/allowed_roots', 'must be a list of strings'],
  [
    '"allowed_domains":[1]',
    'bad_type',
    '/allowed_domains/0',
    'allowlist.operations.t.allowed_domains.0 must be a string',
  ],
  ['"arguments":true', 'bad_type', '/arguments', 'arguments must be a JSON Schema object'],
  ['"arguments":{"type":"nothing"}', 'bad_schema', '/arguments', 'the schema does not compile: '],
  ['"arguments":{"pattern":"(?=a)"}', 'unsupported_pattern', '/arguments', 'the schema does not compile: '],
  ['"arguments":{"patern":"a"}', 'bad_schema', '/arguments/patern', 'patern is no keyword'],
  ['"hours":{"from":"8","to":"18:00","time_zone":"UTC"}', 'bad_hours', '/hours/from', 'from must be a time'],
])('in an operation, %s is an error in its own line', (member, code, pointer, message) => {
  const text = ofOperation(member);
  expect([said(text), parsePolicy(text).document]).toEqual([
    [['error', code, 3, `/allowlist/operations/t${pointer}`, expect.stringContaining(message)]],
    undefined,
  ]);
});

test('a mistake within hours or a schema is reported at its line', () => {
  const hours = ofOperation('"hours":{"to":"18:00","time_zone":"UTC",\n"day":1,\n"from":5}');
  const schema = ofOperation('"arguments":{"properties":{\n"a":{"patern":1},\n"b":{\n"requierd":[]}}}');
  const places = (text: string) => said(text).map(([, , line, pointer]) => `${line} ${String(pointer).slice(23)}`);
  expect([places(hours), places(schema)]).toEqual([
    ['4 /hours/day', '5 /hours/from'],
    ['4 /arguments/properties/a/patern', '6 /arguments/properties/b/requierd'],
  ]);
});

test('every list reports duplicate entries, and a star is a wildcard only for servers and their tools', () => {
  const of = (member: string) =>
    said(inAllowlist(member))
      .filter(([, code]) => code !== 'legacy_key')
      .map(([level, code, line, pointer]) => `${level} ${code} ${line} ${String(pointer).replace('/allowlist', '')}`);
  expect([
    of('"tools":{"s":["*","a",\n"a","b*","b?"]}'),
    of('"forbidden":["*","a",\n"a"]'),
    of('"allowed_operations":["*"]'),
    of('"operations":{"*":{},\n"a/*":{},"a":{}}'),
    of('"operations":{"a":{"allowed_roots":["/*"],"path_arguments":["/*"]}}'),
  ]).toEqual([
    [
      'warning duplicate_entry 3 /tools/s/2',
      'warning glob_has_no_effect 3 /tools/s/3',
      'warning glob_has_no_effect 3 /tools/s/4',
    ],
    ['warning glob_has_no_effect 2 /forbidden/0', 'warning duplicate_entry 3 /forbidden/2'],
    ['warning glob_has_no_effect 2 /allowed_operations/0'],
    ['warning glob_has_no_effect 2 /operations/*', 'warning glob_has_no_effect 3 /operations/a~1*'],
    ['warning glob_has_no_effect 2 /operations/a/allowed_roots/0'],
  ]);
  expect(said('{"allowlist":{"servers":["*"]}}')).toEqual([]);
});

test('the members of an operation are read as written', () => {
  const rules = {
    approval_required: false,
    reason: 'why',
    rate_per_minute: 1,
    max_concurrency: 2,
    timeout_ms: 3,
    allowed_roots: ['/srv'],
    path_arguments: ['/a~1b/*/c~0d'],
    allowed_domains: ['a.example'],
    remember: 'session',
    surfaces: ['cli'],
    read_only: false,
  };
  const operations = { t: rules, u: { approval_required: true, read_only: true }, v: {} };
  const document = parsePolicy(JSON.stringify({ allowlist: { servers: ['s'], operations } }, null, 1)).document;
  const place = (line: number, pointer: string) => ({ line, pointer: `/allowlist/operations/${pointer}` });
  const none = {
    reason: undefined,
    limits: {},
    arguments: undefined,
    allowedRoots: undefined,
    allowedDomains: undefined,
  };
  const silent = { ...none, remember: undefined, surfaces: undefined, hours: undefined };
  expect([...(document?.operations.values() ?? [])]).toEqual([
    {
      key: 't',
      place: place(7, 't'),
      approval: undefined,
      reason: 'why',
      limits: { rate_per_minute: 1, max_concurrency: 2, timeout_ms: 3 },
      arguments: undefined,
      allowedRoots: { ...place(13, 't/allowed_roots'), roots: ['/srv'], places: [['a/b', '*', 'c~d']] },
      allowedDomains: { ...place(19, 't/allowed_domains'), domains: ['a.example'], places: undefined },
      remember: 'session',
      surfaces: ['cli'],
      hours: undefined,
      readOnly: false,
    },
    { ...silent, key: 'u', place: place(28, 'u'), approval: place(29, 'u/approval_required'), readOnly: true },
    { ...silent, key: 'v', place: place(32, 'v'), approval: undefined, readOnly: undefined },
  ]);
});

test('the allowlist of a profile is read at its position in the config, and nothing around it matters', () => {
  const read = (policy: string, path = ['profiles', 'a/b', 'policy']) =>
    parseAllowlistAt(`{"other":{"a":1,"a":2},\n"profiles":{"a/b":{\n"policy":${policy}}}}`, path);
  const errors = (...given: Parameters<typeof read>) =>
    read(...given).findings.map(({ level, code, line, pointer, message }) => [level, code, line, pointer, message]);
  const at = '/profiles/a~1b/policy';
  expect([
    errors('{"servers":["s"]}'),
    errors('{"servers":["s"],"server":1}'),
    errors('{"x-own":1}'),
    errors('[]'),
    errors('{}', ['profiles', 'c']),
    errors('{"servers":["s"],"forbidden":[],"forbidden":[]}').map(([, code, line, pointer]) => [code, line, pointer]),
    errors('{"servers":'),
  ]).toEqual([
    [],
    [['error', 'unknown_key', 3, `${at}/server`, 'server is not a key of allowlist. Did you mean servers?']],
    [['error', 'bad_type', 3, at, 'servers is missing']],
    [['error', 'bad_type', 3, at, 'a policy must be an object']],
    [['error', 'bad_type', 1, '/profiles/c', 'a policy must be an object']],
    [
      ['duplicate_entry', 3, `${at}/forbidden`],
      ['legacy_key', 3, `${at}/forbidden`],
    ],
    [['error', 'bad_type', 3, '', expect.stringMatching(/^not JSON: /)]],
  ]);
  expect(read('{"servers":["s"],"tools":{"s":["t"]}}').document?.tools.get('s')).toEqual({
    entries: [{ value: 't', line: 3, pointer: `${at}/tools/s/0` }],
    line: 3,
    pointer: `${at}/tools/s`,
  });
  expect([read('{}').document, read('[]').document, read('{').document]).toEqual([undefined, undefined, undefined]);
});

test('an unreadable policy is one error, and denies', () => {
  expect([unreadablePolicy('gone'), unreadablePolicy('gone', { line: 3, pointer: '/a' }).findings[0]]).toEqual([
    { document: undefined, findings: [{ level: 'error', code: 'bad_type', line: 1, pointer: '', message: 'gone' }] },
    { level: 'error', code: 'bad_type', line: 3, pointer: '/a', message: 'gone' },
  ]);
});
