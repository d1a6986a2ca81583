import { type BinderyError, toBinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Redactor } from '../../contract/redact.ts';
import type { AuditEntry, Outcome } from '../../gateway/audit/audit-record.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { errorBytes, idText, RpcFailure, resultBytes } from '../message/answers.ts';
import { oversizedArguments } from '../message/argument-bounds.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import type { CallContext } from './call-context.ts';
import { describeClient, digestIfAny, outcomeOf, traceIdOf } from './call-record.ts';
import type { RecordPorts } from './ports.ts';

/** A request that was refused before it had a target. */
export interface RefusedRequest {
  readonly kind: 'call' | 'read' | 'prompt' | 'search';
  readonly rule: string;
  /** The name that the client used. */
  readonly name: string;
  readonly target?: { readonly server?: string; readonly tool?: string };
  /** Absent: denied. */
  readonly outcome?: Outcome;
  readonly via?: string;
  /** The arguments. Without a target only their digest is recorded, because no redactor knows their secrets. */
  readonly arguments?: unknown;
}

/**
 * Records and answers a request whose target does not exist, or that cannot be sent as written: it was an attempt, too. If it cannot
 * be recorded, the answer is that error.
 */
export async function refuseRequest(
  ports: RecordPorts,
  client: Client,
  request: ClientRequest,
  refused: RefusedRequest,
  answer: (callId: string) => Uint8Array,
): Promise<Uint8Array> {
  const callId = ports.newCallId();
  ports.noteTrace?.(callId, request.params?._meta);
  if (refused.arguments !== undefined) ports.keepRaw?.(callId, refused.arguments);
  try {
    await ports.audit.append(refusedEntry(ports, client, request, refused, callId));
  } catch (thrown) {
    return failed(client, request, refused, callId, toBinderyError(thrown));
  }
  return answer(callId);
}

/** Refuses a request whose arguments are too large to judge, and does not record them. Returns undefined for other requests. */
export function refuseOversized(
  ports: RecordPorts,
  client: Client,
  request: ClientRequest,
): Promise<Uint8Array> | undefined {
  const error = request.oversized ?? oversizedArguments(request.params?.arguments);
  if (!error) return undefined;
  const kind = ATTEMPTS.get(request.method);
  if (!kind) throw new RpcFailure(RPC.invalidParams, `Invalid params: ${error.detail}`);
  return refuseWith(ports, { client, request }, { kind, name: nameOf(kind, request.params) }, error);
}

/** Records a refused request under the code of its error, and answers with the error. */
export function refuseWith(
  ports: RecordPorts,
  { client, request }: { readonly client: Client; readonly request: ClientRequest },
  attempt: Omit<RefusedRequest, 'rule'>,
  error: BinderyError,
): Promise<Uint8Array> {
  const refused = { outcome: outcomeOf(error), ...attempt, rule: error.code.toLowerCase() };
  return refuseRequest(ports, client, request, refused, (callId) => failed(client, request, refused, callId, error));
}

/**
 * Records an ambiguous call, read or prompt under the name that one parser reads, without its arguments. Does not record other
 * requests.
 */
export async function recordAmbiguous(
  ports: RecordPorts,
  client: Client,
  { method, params }: Pick<ClientRequest, 'method' | 'params'>,
): Promise<void> {
  const kind = ATTEMPTS.get(method);
  if (!kind) return;
  const refused = { kind, rule: 'invalid_request', name: nameOf(kind, params) };
  await ports.audit.append(refusedEntry(ports, client, { params }, refused, ports.newCallId()));
}

const ATTEMPTS: ReadonlyMap<string, RefusedRequest['kind']> = new Map([
  ['tools/call', 'call'],
  ['resources/read', 'read'],
  ['prompts/get', 'prompt'],
]);

function nameOf(kind: RefusedRequest['kind'], params: JsonObject | undefined): string {
  const named = kind === 'read' ? params?.uri : params?.name;
  return typeof named === 'string' ? named : '';
}

function refusedEntry(
  ports: RecordPorts,
  client: Client,
  request: Pick<ClientRequest, 'params'>,
  { kind, rule, name, target, via, arguments: args, outcome = 'denied' }: RefusedRequest,
  callId: string,
): AuditEntry {
  const trace = traceIdOf(request);
  const redactor = target?.server === undefined ? ports.redactor : ports.redactor.of(target.server);
  return {
    kind,
    phase: 'single',
    call_id: callId,
    time: ports.now(),
    ...describeClient(client),
    ...target,
    name: redactor.text(name.slice(0, PROXY_LIMITS.refusedNameCharsMax)).toWellFormed(),
    ...(via ? { via } : {}),
    ...(args === undefined ? {} : target ? argumentsOf(redactor, args) : digestIfAny(args)),
    decision: 'deny',
    rule: { rule },
    ...(trace ? { trace_id: trace } : {}),
    outcome,
  };
}

/** Masked arguments with their digest. Arguments without a canonical form are left out, since no record can hold them. */
function argumentsOf(
  redactor: Pick<Redactor, 'value'>,
  args: unknown,
): Pick<AuditEntry, 'arguments' | 'arguments_sha256'> {
  const digest = digestIfAny(args);
  return digest.arguments_sha256 === undefined ? {} : { arguments: redactor.value(args), ...digest };
}

function failed(
  client: Client,
  request: ClientRequest,
  { kind, target }: RefusedRequest,
  callId: string,
  error: BinderyError,
): Uint8Array {
  if (kind === 'call' || kind === 'search')
    return resultBytes(request, failedCallResult(error, client, { ...target, call_id: callId }));
  const data = { code: error.code, call_id: callId };
  return errorBytes(idText(request), RPC.internalError, `${error.code}: ${error.row.title}`, data);
}

/** The answer to a call that was not sent, or that got no usable answer. */
export function failureAnswer(
  { client, request, exchange, target, callId }: CallContext,
  error: BinderyError,
): Uint8Array {
  const { retry_after_ms } = error.members;
  if (typeof retry_after_ms === 'number') exchange.setHeader('retry-after', String(Math.ceil(retry_after_ms / 1_000)));
  if (target.kind === 'call') {
    return resultBytes(
      request,
      failedCallResult(error, client, { server: target.server, tool: target.tool, call_id: callId }),
    );
  }
  const data = { code: error.code, server: target.server, call_id: callId, retry_after_ms };
  return errorBytes(idText(request), RPC.internalError, `${error.code}: ${error.row.title}`, data);
}

export interface FailedCallMembers {
  readonly server?: string;
  readonly tool?: string;
  readonly call_id?: string;
}

/** An error result of our own, which a model can read and react to. */
export function failedCallResult(error: BinderyError, client: Client, members: FailedCallMembers): string {
  const { retry_after_ms, approval_id, rule } = error.members;
  const sentence = error.detail ?? error.row.title;
  return JSON.stringify({
    ...(client.era === '2026' ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text: `${error.code}: ${sentence.replace(/[.]?$/, '.')} ${error.next}` }],
    isError: true,
    _meta: { 'bindery/error': { code: error.code, ...members, retry_after_ms, approval_id, rule } },
  });
}
