import { expect, test } from 'vitest';
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

test('free keys pass, unknown ones at the top are warned of [gateway:P3]', () => {
  expect(
    findings(
      '{"x-team":1,"$comment":"c","other":1,"allowlist":{"servers":[],"x-note":1,"operations":{"t":{"$comment":"c"}}}}',
    ),
  ).toEqual([['warning', 'unknown_key', 1, '/other']]);
});

test('old keys do what their new names do, and filter once more [gateway:P5]', () => {
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

test('lint shows rules that cannot work [gateway:P10] [gateway:P2]', () => {
  const text =
    '{"allowlist":{"servers":["git*","rag","rag","ghost"],"tools":{"rag":["q"],"mail":["send"]},"operations":{"cortex_ingest_full":{"approval_required":true},"q":{}}}}';
  const known = new Map([['rag', new Set(['other'])]]);
  const report = lintPolicy(parsePolicy(text), known);
  expect([report.ok, report.findings.map(({ code, pointer }) => `${code} ${pointer}`).sort()]).toEqual([
    true,
    [
      'duplicate_entry /allowlist/servers/2',
      'glob_has_no_effect /allowlist/servers/0',
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
