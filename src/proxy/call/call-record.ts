import type { BinderyError } from '../../contract/errors.ts';
import { argumentsSha256 } from '../../gateway/approval/approval.ts';
import type { AuditEntry, Outcome } from '../../gateway/audit/audit-record.ts';
import type { Decision } from '../../gateway/policy/decide.ts';
import { traceContextOf } from '../../gateway/trace/trace-context.ts';
import { furtherMeta } from '../../wire/request-params.ts';
import { RPC } from '../../wire/revisions.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { theirAnswers } from '../sessions/asked-rounds.ts';
import type { Forwarded, JudgedCall } from './client-call.ts';
import type { GatewayPorts } from './gateway-ports.ts';

/** The audit entry that begins a call. */
export function beginEntry(ports: GatewayPorts, call: JudgedCall): AuditEntry {
  const { client, request, target, callId } = call;
  const { decision } = call.judgement;
  const isRead = target.kind === 'read';
  const redactor = ports.redactor.of(target.server);
  const args = request.params?.arguments ?? {};
  const answers = theirAnswers(request.params?.inputResponses);
  return {
    kind: target.kind,
    phase: 'begin',
    call_id: callId,
    time: ports.now(),
    caller: client.caller,
    client: client.info,
    profile: client.profile,
    session: client.session || undefined,
    server: target.server,
    // A URI may hold a password or a key.
    tool: isRead ? redactor.text(target.tool) : target.tool,
    name: isRead ? redactor.text(target.name) : target.name,
    via: target.via || undefined,
    unchecked: target.unchecked,
    arguments: isRead ? undefined : redactor.value(args),
    arguments_sha256: isRead ? undefined : digestOf(args, ports.isBuiltin?.(target.server) ?? false),
    answers: Object.keys(answers).length === 0 ? undefined : redactor.value(canonical(answers, 'answers')),
    meta: call.judgement.judgesArguments ? undefined : recordedMeta(redactor, request),
    decision: decision.decision,
    rule: decidedRule(decision),
    trace_id: traceIdOf(request),
  };
}

/** The members of `_meta` that reach the server and that the protocol does not define. */
function recordedMeta(redactor: Pick<GatewayPorts['redactor'], 'value'>, { params }: ClientRequest): unknown {
  const further = furtherMeta(params?._meta);
  return further && redactor.value(canonical(further, 'members of _meta'));
}

/** The rule that decided, in the form of audit records. */
export function decidedRule({ file, layer, line, rule }: Decision): AuditEntry['rule'] {
  return { file: file ?? undefined, layer: layer ?? undefined, line: line ?? undefined, rule };
}

/** The entry of a call that was refused before it was sent. */
export function refusedEntry(entry: AuditEntry, error: BinderyError, totalUs: number): AuditEntry {
  return {
    ...entry,
    phase: 'single',
    ...approvalOf(error),
    ...ruleOf(error),
    outcome: outcomeOf(error),
    total_us: totalUs,
  };
}

/** Rule names for refusals that no policy rule made. */
const OWN_RULES: Readonly<Record<string, string>> = {
  APPROVAL_PENDING: 'approval_pending',
  APPROVAL_DENIED: 'approval_denied',
  APPROVAL_EXPIRED: 'approval_expired',
  APPROVAL_MISMATCH: 'approval_mismatch',
  TOO_MANY_APPROVALS: 'too_many_approvals',
  DEFINITION_CHANGED: 'definition_changed',
  QUARANTINED: 'quarantined',
  BUSY: 'queue_full',
};

/** The rule name for a refusal, if it has one. */
function ruleOf({ code }: BinderyError): Pick<AuditEntry, 'rule'> {
  const rule = OWN_RULES[code];
  return rule === undefined ? {} : { rule: { rule } };
}

/** The approval that a refusal is about, and the person who denied it. */
function approvalOf({
  members: { approval_id, approver },
}: BinderyError): Pick<AuditEntry, 'approval_id' | 'approver'> {
  return {
    ...(typeof approval_id === 'string' ? { approval_id } : {}),
    ...(typeof approver === 'string' ? { approver } : {}),
  };
}

/** The audit fields that identify the client. */
export function describeClient(client: Client): Pick<AuditEntry, 'caller' | 'client' | 'profile' | 'session'> {
  return {
    caller: client.caller,
    ...(client.info ? { client: client.info } : {}),
    profile: client.profile,
    ...(client.session ? { session: client.session } : {}),
  };
}

/** Digest of the arguments, if they have a canonical form. */
export function digestIfAny(args: unknown): Pick<AuditEntry, 'arguments_sha256'> {
  return isWellFormed(args) ? { arguments_sha256: argumentsSha256(args) } : {};
}

/**
 * Digest of the arguments. Ill-formed text and non-finite numbers have no canonical form, so a record could not say what was called.
 * Bindery's own operations refuse ill-formed text themselves, with the same code on every interface.
 */
function digestOf(args: unknown, judgesText: boolean): string {
  return argumentsSha256(judgesText && hasFiniteNumbers(args) ? args : canonical(args, 'arguments'));
}

/** Throws `RpcFailure` if a value has no canonical form: no record could hold it. */
export function canonical<T>(value: T, name: string): T {
  if (isWellFormed(value)) return value;
  throw new RpcFailure(RPC.invalidParams, `Invalid params: the ${name} have no canonical form`, {
    data: { code: 'INVALID_ARGUMENTS' },
  });
}

function isWellFormed(value: unknown): boolean {
  return isThroughout(value, (part) => (typeof part === 'string' ? part.isWellFormed() : Number.isFinite(part)));
}

function hasFiniteNumbers(value: unknown): boolean {
  return isThroughout(value, (part) => typeof part === 'string' || Number.isFinite(part));
}

/** Whether `holds` is true for every string, number and member name in a value. */
function isThroughout(value: unknown, holds: (part: string | number) => boolean): boolean {
  if (typeof value === 'string' || typeof value === 'number') return holds(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isThroughout(item, holds));
  return Object.entries(value).every(([name, member]) => holds(name) && isThroughout(member, holds));
}

/** The audit outcome for an attempt that failed with this error. */
export function outcomeOf(error: BinderyError): Outcome {
  switch (error.code) {
    case 'RATE_LIMITED':
    case 'BUSY':
    case 'TOO_MANY_APPROVALS':
      return 'rate_limited';
    case 'BREAKER_OPEN':
      return 'breaker_open';
    case 'TIMED_OUT':
      return 'timed_out';
    case 'UPSTREAM_ERROR':
    case 'SERVER_UNAVAILABLE':
    case 'AUTH_REQUIRED':
    case 'OUTPUT_TOO_LARGE':
    case 'CLIENT_CAPABILITY_MISSING':
      return 'upstream_error';
    case 'INTERRUPTED':
      return 'interrupted';
    case 'CANCELLED':
      return 'cancelled';
    default:
      return 'denied';
  }
}

/** The audit fields about an answer. */
export type ResultRecord = Pick<
  AuditEntry,
  'outcome' | 'result_bytes' | 'result_sha256' | 'result_type' | 'schema_mismatch'
>;

export function resultRecord(outcome: Outcome, { digest, resultType }: Forwarded): ResultRecord {
  return { outcome, ...digest, ...(resultType ? { result_type: resultType } : {}) };
}

/** The trace id that a request carries, if any. */
export function traceIdOf({ params }: Pick<ClientRequest, 'params'>): string | undefined {
  return traceContextOf(params?._meta)?.traceId;
}
