import type { BinderyError } from '../contract/errors.ts';
import { argumentsSha256 } from '../gateway/approval/approval.ts';
import type { AuditBegin, AuditEntry, Outcome } from '../gateway/audit/audit-record.ts';
import type { Judgement } from '../gateway/policy/decide.ts';
import { traceContextOf } from '../gateway/trace/trace-context.ts';
import { RPC } from '../wire/revisions.ts';
import type { Target } from './attempt.ts';
import type { Client } from './client.ts';
import type { ClientRequest } from './client-message.ts';
import type { Forwarded } from './forward.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { RpcFailure } from './rpc-failure.ts';

/** What is known of an attempt when it begins. */
export function describeAttempt(
  ports: GatewayPorts,
  client: Client,
  request: ClientRequest,
  target: Target,
  { decision }: Judgement,
): AuditBegin {
  const args = request.params?.arguments ?? {};
  const trace = traceIdOf(request);
  return {
    ...describeClient(client),
    server: target.server,
    // A URI may hold a password or a key.
    tool: target.kind === 'read' ? ports.redactor.text(target.tool) : target.tool,
    name: target.kind === 'read' ? ports.redactor.text(target.name) : target.name,
    ...(target.via ? { via: target.via } : {}),
    ...(target.kind === 'read'
      ? {}
      : {
          arguments: ports.redactor.value(args),
          arguments_sha256: digestOf(args),
        }),
    decision: decision.decision,
    rule: {
      rule: decision.rule,
      ...(decision.layer ? { layer: decision.layer } : {}),
      ...(decision.file ? { file: decision.file } : {}),
      ...(decision.line === null ? {} : { line: decision.line }),
    },
    ...(trace ? { trace_id: trace } : {}),
  };
}

/** Who asks. */
export function describeClient(client: Client): Pick<AuditEntry, 'caller' | 'client' | 'profile' | 'session'> {
  return {
    caller: client.caller,
    ...(client.info ? { client: client.info } : {}),
    profile: client.profile,
    ...(client.session ? { session: client.session } : {}),
  };
}

/** Digest of the arguments, where they have one. */
export function digestIfAny(args: unknown): Pick<AuditBegin, 'arguments_sha256'> {
  return isWellFormed(args) ? { arguments_sha256: argumentsSha256(args) } : {};
}

/** Digest of the arguments. Text that is not well-formed has no canonical form: nobody could say what was called. */
function digestOf(args: unknown): string {
  if (!isWellFormed(args))
    throw new RpcFailure(RPC.invalidParams, 'Invalid params: the arguments have no canonical form');
  return argumentsSha256(args);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
}

/** How an attempt that failed with this error is recorded. */
export function outcomeOf(error: BinderyError): Outcome {
  switch (error.code) {
    case 'RATE_LIMITED':
    case 'BUSY':
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

/** What an answer is recorded as. */
export function resultRecord(
  outcome: Outcome,
  { digest, resultType }: Forwarded,
): Pick<AuditEntry, 'outcome' | 'result_bytes' | 'result_sha256' | 'result_type'> {
  return {
    outcome,
    ...digest,
    ...(resultType ? { result_type: resultType } : {}),
  };
}

/** The trace that a request belongs to, where it says so. */
export function traceIdOf({ params }: ClientRequest): string | undefined {
  return traceContextOf(params?._meta)?.traceId;
}
