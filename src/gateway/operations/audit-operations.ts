import { z } from 'zod';
import { byteStream } from '../../contract/byte-stream.ts';
import { BinderyError } from '../../contract/errors.ts';
import { defaultFailures } from '../../contract/execute.ts';
import { defineOperation, READ_ONLY } from '../../contract/operation.ts';
import { pageInput, pageSchema } from '../../contract/paging.ts';
import { toTime } from './audit-time.ts';
import type { GatewayDeps } from './deps.ts';
import { offsetPage } from './offset-page.ts';
import { isOfProfiles } from './profile-for.ts';
import { summariseAudit } from './summary-operation.ts';

const text = (what: string) => z.string().optional().describe(what);
const filters = {
  kind: text('call, read, prompt, search, admin or system'),
  server: text('id of the server'),
  tool: text('name of the tool on its server'),
  outcome: text('ok, tool_error, denied, …; or a group: failed, refused, undecided'),
  caller: text('who called'),
  who: text('a part of the caller, the user or the name of the client; several with commas: any of them'),
  tool_part: text('a part of the name of the tool'),
  session: text('in which session'),
  since: text('a time (RFC 3339), or how long ago: 15m, 2h, 7d'),
  until: text('a time (RFC 3339), or how long ago'),
  q: text('text to find in the record'),
};
const AuditRecordShape = z.record(z.string(), z.unknown());
const VerifyShape = z.object({
  ok: z.boolean(),
  records: z.number().int(),
  chains: z.array(
    z.object({
      chain: z.string(),
      first_seq: z.number(),
      last_seq: z.number(),
      head: z.string(),
      end: z
        .enum(['given', 'file', 'anchor', 'registry', 'unchecked'])
        .describe('who noted the newest record that was compared'),
      end_seq: z.number().nullable().describe('its number: what follows it may have been cut'),
    }),
  ),
  first_bad: z.object({ chain: z.string(), seq: z.number(), reason: z.string() }).nullable(),
  warnings: z.array(z.string()).describe('what could not be checked'),
});

const searchAudit = defineOperation({
  id: 'gateway.audit_search',
  summary: 'Search the audit log, newest first.',
  input: z.strictObject({ ...filters, ...pageInput }),
  output: pageSchema(AuditRecordShape),
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/audit', perProfile: true, showsCallers: true },
  mcp: false,
  cli: {
    command: 'audit search',
    print: ({ items }) => (items.length === 0 ? 'no call matches\n' : items.map(auditLine).join('')),
  },
  failures: defaultFailures,
  run: ({ limit, cursor, ...query }, deps: GatewayDeps, { profiles }) => {
    const asked = { ...query, profiles, since: timeOf(query.since, deps), until: timeOf(query.until, deps) };
    return offsetPage({ limit, cursor }, (most, offset) => deps.audit.search(asked, most, offset));
  },
});

const auditCall = defineOperation({
  id: 'gateway.audit_call',
  summary: 'Show one call of the audit log with its records.',
  input: z.strictObject({ call_id: z.string() }),
  output: AuditRecordShape,
  hints: READ_ONLY,
  http: { method: 'GET', path: '/v1/audit/{call_id}', perProfile: true, showsCallers: true },
  mcp: false,
  cli: false,
  failures: defaultFailures,
  run: async ({ call_id }, deps: GatewayDeps, call) => {
    const recorded = await deps.audit.call(call_id);
    if (!recorded || !isOfProfiles(call, recorded.profile))
      throw new BinderyError('CALL_NOT_FOUND', { members: { call_id } });
    return { ...recorded };
  },
});

const tailAudit = defineOperation({
  id: 'gateway.audit_tail',
  summary: 'Show the last calls, oldest of them first.',
  input: z.strictObject({ n: z.number().int().min(1).max(1_000).default(20).describe('how many') }),
  output: z.object({ items: z.array(AuditRecordShape) }),
  hints: READ_ONLY,
  http: false,
  mcp: false,
  cli: {
    command: 'audit tail',
    print: ({ items }) => (items.length === 0 ? 'no call was made yet\n' : items.map(auditLine).join('')),
  },
  failures: defaultFailures,
  encode: ({ items }) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  run: async ({ n }, deps: GatewayDeps) => ({
    items: [...(await deps.audit.search({}, n, 0))].reverse().map((item) => ({ ...item })),
  }),
});

const verifyAudit = defineOperation({
  id: 'gateway.audit_verify',
  summary: 'Verify the hash chains of the audit log.',
  input: z.strictObject({
    head: z
      .array(z.string().regex(/^.+=[0-9a-f]{64}$/))
      .default([])
      .describe('a head that you noted: CHAIN=HASH'),
    heads_file: text('a file of noted heads, instead of gateway.audit.heads_file (command line only)'),
    file: text('an export to verify instead of the log (command line only)'),
  }),
  output: VerifyShape,
  hints: READ_ONLY,
  http: { method: 'POST', path: '/v1/audit/verify', showsCallers: true, access: 'named' },
  mcp: false,
  cli: {
    command: 'audit verify',
    exit: ({ ok }) => (ok ? 0 : 1),
    print: ({ ok, records, chains, first_bad, warnings }) => {
      const lines = chains.map(({ chain, first_seq, last_seq, head, end, end_seq }) => {
        const checked = end_seq === null ? end : `${end} ${end_seq}`;
        return `${[chain, first_seq, last_seq, head, checked].join('\t')}\n`;
      });
      const verdict = ok
        ? `ok: ${records} records\n`
        : `not ok: ${first_bad?.reason} at ${first_bad?.chain} ${first_bad?.seq}\n`;
      return [...lines, ...warnings.map((warning) => `warning: ${warning}\n`), verdict].join('');
    },
  },
  failures: defaultFailures,
  run: async ({ head, file, heads_file }, deps: GatewayDeps, call) => {
    if ((file !== undefined || heads_file !== undefined) && call.face === 'http')
      throw new BinderyError('INVALID_ARGUMENTS', { detail: 'only `bindery audit verify` takes a file' });
    const heads = new Map(
      head.map((text) => [text.slice(0, text.lastIndexOf('=')), text.slice(text.lastIndexOf('=') + 1)]),
    );
    const report = await deps.audit.verify({ heads, headsFile: heads_file, file }, call.caller);
    return { ...report, chains: report.chains.map((chain) => ({ ...chain })), warnings: [...report.warnings] };
  },
});

const exportAudit = defineOperation({
  id: 'gateway.audit_export',
  summary: 'Export every record as a line of JSON, with its hash.',
  input: z.strictObject({
    redact_digests: z
      .boolean()
      .default(false)
      .describe(
        'replace digests by keyed ones, so that short arguments cannot be guessed; such an export cannot be verified',
      ),
  }),
  output: z.custom<ReadableStream<Uint8Array>>(),
  hints: READ_ONLY,
  http: {
    method: 'GET',
    path: '/v1/audit/export',
    showsCallers: true,
    access: 'named',
    streams: true,
    contentType: 'application/x-ndjson',
  },
  mcp: false,
  cli: { command: 'audit export' },
  failures: defaultFailures,
  run: ({ redact_digests }, deps: GatewayDeps, call) =>
    byteStream(deps.audit.lines(redact_digests, call.caller), (lines) => lines.map((line) => `${line}\n`).join('')),
});

const rawArguments = defineOperation({
  id: 'gateway.audit_raw',
  summary: 'Show the exact arguments of a call, if the config keeps them; the audit log records the access.',
  input: z.strictObject({ call_id: z.string().describe('id of the call') }),
  output: z.unknown(),
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  http: false,
  mcp: false,
  cli: { command: 'audit raw', positional: ['call_id'] },
  failures: defaultFailures,
  run: ({ call_id }, deps: GatewayDeps) => {
    const raw = deps.audit.raw(call_id);
    if (raw === undefined) throw new BinderyError('CALL_NOT_FOUND', { detail: 'its arguments were not kept' });
    return raw;
  },
});

export const auditOperations = [
  searchAudit,
  exportAudit,
  summariseAudit,
  auditCall,
  tailAudit,
  verifyAudit,
  rawArguments,
];

/** One call as a line: time, outcome, tool, caller, duration, id. */
export function auditLine(record: z.output<typeof AuditRecordShape>): string {
  const ms = typeof record.total_us === 'number' ? (record.total_us / 1_000).toFixed(1) : '-';
  const what =
    record.server === undefined
      ? String(record.action ?? record.name ?? record.kind)
      : `${record.server}/${record.tool}`;
  return `${[record.time, record.outcome ?? '-', what, record.caller ?? '-', `${ms} ms`, record.call_id].join('\t')}\n`;
}

function timeOf(given: string | undefined, deps: GatewayDeps): string | undefined {
  return given === undefined ? undefined : toTime(given, deps.audit.now());
}
