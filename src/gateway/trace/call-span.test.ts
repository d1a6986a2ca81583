import { expect, test } from 'vitest';
import type { AuditEntry } from '../audit/audit-record.ts';
import { callSpan, hasSpan } from './call-span.ts';

const identity = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const begin: AuditEntry = {
  kind: 'call',
  phase: 'begin',
  call_id: 'c1',
  time: '2026-11-15T00:00:00.000Z',
  caller: 'local',
  profile: 'default',
  server: 's',
  tool: 't',
  name: 's__t',
  arguments: { secret: 'never part of a span' },
  arguments_sha256: 'd'.repeat(64),
  decision: 'allow',
  rule: { rule: 'server_listed', layer: 'project', file: '/somewhere/project_mcp.json' },
};
const end: AuditEntry = {
  kind: 'call',
  phase: 'end',
  call_id: 'c1',
  time: '2026-11-15T00:00:01.000Z',
  outcome: 'ok',
  result_bytes: 12,
  queue_us: 5,
  upstream_us: 900,
  total_us: 1_000,
};

test('a span contains what the two records of its call contain, without arguments, digests and paths', () => {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const integer = (key: string, intValue: string) => ({ key, value: { intValue } });
  expect(callSpan(identity, begin, end)).toEqual({
    ...identity,
    name: 'tools/call t',
    kind: 2,
    startTimeUnixNano: '1794700800999000000',
    endTimeUnixNano: '1794700801000000000',
    attributes: [
      text('mcp.method.name', 'tools/call'),
      text('gen_ai.tool.name', 't'),
      text('bindery.call_id', 'c1'),
      text('bindery.server', 's'),
      text('bindery.caller', 'local'),
      text('bindery.profile', 'default'),
      text('bindery.decision', 'allow'),
      text('bindery.rule', 'server_listed'),
      text('bindery.outcome', 'ok'),
      integer('bindery.result_bytes', '12'),
      integer('bindery.queue_us', '5'),
      integer('bindery.upstream_us', '900'),
    ],
    status: { code: 0 },
  });
});

test('a failed call is an error with its outcome, below the caller’s span', () => {
  const parent = { traceId: identity.traceId, spanId: 'e'.repeat(16), isSampled: true, state: 'k=v' };
  const { total_us: _none, ...short } = end;
  const span = callSpan({ ...identity, parent }, begin, { ...short, outcome: 'timed_out' });
  expect(span).toMatchObject({
    parentSpanId: parent.spanId,
    traceState: 'k=v',
    startTimeUnixNano: '1794700800000000000',
    status: { code: 2, message: 'timed_out' },
  });
  expect(span.attributes.at(-1)).toEqual({ key: 'error.type', value: { stringValue: 'timed_out' } });
});

test('a URI is an attribute and not part of the name; long texts are truncated', () => {
  const read = callSpan(identity, { ...begin, kind: 'read', tool: `note://${'x'.repeat(400)}` }, end);
  const uri = read.attributes.find(({ key }) => key === 'mcp.resource.uri')?.value as { stringValue: string };
  expect([read.name, uri.stringValue.length, uri.stringValue.at(-1)]).toEqual(['resources/read', 256, '…']);
  expect(callSpan(identity, { ...begin, kind: 'prompt' }, end).name).toBe('prompts/get t');
});

test('actions of people and events of the system have no span', () => {
  expect(
    (['call', 'read', 'prompt', 'search', 'admin', 'system'] as const).filter((kind) => hasSpan({ kind })),
  ).toEqual(['call', 'read', 'prompt', 'search']);
});
