import { type BinderyError, toBinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { Redactor } from '../../contract/redact.ts';
import type { AuditEntry } from '../../gateway/audit/audit-record.ts';
import { RPC } from '../../wire/revisions.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { errorBytes, idText, RpcFailure, resultBytes } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import type { UnclearRequest } from '../message/client-message.ts';
import { describeClient, digestIfAny, traceIdOf } from './call-record.ts';
import { failedCallResult } from './failure-answer.ts';
import type { GatewayPorts } from './gateway-ports.ts';

/** Why a request came to nothing before it had a target. */
export interface RefusedRequest {
  readonly kind: 'call' | 'read' | 'prompt' | 'search';
  readonly rule: string;
  /** What the client called it. */
  readonly name: string;
  readonly target?: { readonly server?: string; readonly tool: string };
  readonly via?: string;
  /** What it was to be called with. Without a target they are recorded by their digest alone: nobody knows what kind of data they are. */
  readonly arguments?: unknown;
}

/**
 * Records a request that named nothing there is, or said it in a way that cannot be sent, and answers it: that was an attempt,
 * too. What cannot be recorded is not answered otherwise.
 */
export async function refuseRequest(
  ports: GatewayPorts,
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

/** Refuses arguments that are too large to be judged, by the name that was called; they are not recorded. */
export function refuseOversized(
  ports: GatewayPorts,
  client: Client,
  request: ClientRequest,
  error: BinderyError,
): Promise<Uint8Array> {
  const kind = ATTEMPTS.get(request.method);
  if (!kind) throw new RpcFailure(RPC.invalidParams, `Invalid params: ${error.detail}`);
  const refused = { kind, rule: error.code.toLowerCase(), name: nameOf(kind, request.params) };
  return refuseRequest(ports, client, request, refused, (callId) => failed(client, request, refused, callId, error));
}

/**
 * Records a call, a read or a prompt that two parsers would read in two ways, by the name that one of them reads. Its arguments are
 * left out. Other requests are no attempts.
 */
export async function recordUnclear(
  ports: GatewayPorts,
  client: Client,
  { method, params }: Pick<UnclearRequest, 'method' | 'params'>,
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
  ports: GatewayPorts,
  client: Client,
  request: Pick<ClientRequest, 'params'>,
  { kind, rule, name, target, via, arguments: args }: RefusedRequest,
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
    outcome: 'denied',
  };
}

/** Masked, with their digest; what has no canonical form is left out, since no record could hold it. */
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
