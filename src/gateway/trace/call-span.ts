import type { AuditEntry, AuditKind } from '../audit/audit-record.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import type { TraceContext } from './trace-context.ts';

/** A span in OTLP JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

export interface SpanIdentity {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: TraceContext;
}

const SERVER = 2;
const UNSET = 0;
const ERROR = 2;

/** Calls of clients have spans; actions of people and events of the system have none. */
const METHODS: Readonly<Partial<Record<AuditKind, string>>> = {
  call: 'tools/call',
  search: 'tools/call',
  read: 'resources/read',
  prompt: 'prompts/get',
};

export function hasSpan({ kind }: Pick<AuditEntry, 'kind'>): boolean {
  return METHODS[kind] !== undefined;
}

/** The span of a call, built only from its audit records; contains no arguments or results. */
export function callSpan({ traceId, spanId, parent }: SpanIdentity, begin: AuditEntry, end: AuditEntry): OtlpSpan {
  const method = METHODS[begin.kind] ?? begin.kind;
  // A URI has high cardinality: it is an attribute, not a part of the name.
  const subject = begin.kind === 'read' ? undefined : begin.tool;
  const endMs = Date.parse(end.time);
  const startMs = end.total_us === undefined ? Date.parse(begin.time) : endMs;
  const facts = { ...begin, ...end };
  return {
    traceId,
    spanId,
    ...(parent ? { parentSpanId: parent.spanId } : {}),
    ...(parent?.state === undefined ? {} : { traceState: parent.state }),
    name: cut(subject === undefined ? method : `${method} ${subject}`),
    kind: SERVER,
    startTimeUnixNano: nanos(startMs, -(end.total_us ?? 0)),
    endTimeUnixNano: nanos(endMs, 0),
    attributes: [
      ...text('mcp.method.name', method),
      ...text('gen_ai.tool.name', method === 'tools/call' ? begin.tool : undefined),
      ...text('gen_ai.prompt.name', begin.kind === 'prompt' ? begin.tool : undefined),
      ...text('mcp.resource.uri', begin.kind === 'read' ? begin.tool : undefined),
      ...text('bindery.call_id', begin.call_id),
      ...text('bindery.server', begin.server),
      ...text('bindery.via', begin.via),
      ...text('bindery.caller', begin.caller),
      ...text('bindery.client', begin.client?.name),
      ...text('bindery.profile', begin.profile),
      ...text('bindery.session', begin.session),
      ...text('bindery.decision', begin.decision),
      ...text('bindery.rule', facts.rule?.rule),
      ...text('bindery.approval_id', begin.approval_id),
      ...text('bindery.outcome', end.outcome),
      ...text('bindery.result_type', end.result_type),
      ...integer('bindery.result_bytes', end.result_bytes),
      ...integer('bindery.queue_us', end.queue_us),
      ...integer('bindery.upstream_us', end.upstream_us),
      ...text('error.type', end.outcome === 'ok' ? undefined : end.outcome),
    ],
    status: end.outcome === 'ok' ? { code: UNSET } : { code: ERROR, message: end.outcome ?? 'unknown' },
  };
}

/** Nanoseconds as a decimal string, because they exceed the exact range of a number. */
function nanos(ms: number, us: number): string {
  return String(BigInt(ms) * 1_000_000n + BigInt(us) * 1_000n);
}

function text(key: string, value: string | undefined): OtlpAttribute[] {
  return value === undefined ? [] : [{ key, value: { stringValue: cut(value) } }];
}

function integer(key: string, value: number | undefined): OtlpAttribute[] {
  return value === undefined ? [] : [{ key, value: { intValue: String(value) } }];
}

function cut(value: string): string {
  return value.length > GATEWAY_LIMITS.spanTextCharsMax
    ? `${value.slice(0, GATEWAY_LIMITS.spanTextCharsMax - 1).toWellFormed()}…`
    : value;
}
