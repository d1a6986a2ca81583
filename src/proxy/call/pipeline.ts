import { BinderyError, toBinderyError } from '../../contract/errors.ts';
import { type ApprovedCall, InputRequired } from '../approvals/approval-ports.ts';
import { RpcFailure, resultBytes } from '../message/answers.ts';
import { asksForTask } from '../tasks/tasks.ts';
import { admit, limitedTool } from './admission.ts';
import { judgeCall, refuseAmbiguous } from './authorize.ts';
import { type CallContext, microsSince } from './call-context.ts';
import { beginEntry, refusedEntry } from './call-record.ts';
import type { ClientCall, Target } from './client-call.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { failureAnswer, refuseRequest } from './refuse-request.ts';
import { type Ending, send } from './send.ts';

/**
 * The path of every tool call, resource read and prompt. Before it: *authenticate* (`../http`, `../stdio`) and *resolve*
 * (`gateway.ts`, `targets.ts`).
 *
 *     judge         authorize.ts   ambiguous arguments, answers that were not asked for ─▶ recorded, invalid request
 *     admit         admission.ts   authorize → rate limit → circuit breaker → approve → enqueue ─▶ recorded, refused
 *     audit begin                  what cannot be recorded is not sent
 *     send          send.ts        timeout, lost connection, wrong answer ─▶ recorded, failed
 *     audit end                    an answer that cannot be recorded does not leave
 *     answer
 *
 * A new stage (a time rule, a flow rule) is a function in `admission.ts`. A call that is allowed and finds a free place creates no
 * promise before its record is written.
 */
export async function runCall(ports: GatewayPorts, incoming: ClientCall, target: Target): Promise<Uint8Array> {
  let call: CallContext;
  try {
    call = judge(ports, incoming, target);
  } catch (thrown) {
    return refuseUnjudged(ports, incoming, target, thrown);
  }
  const { request, exchange, callId } = call;
  exchange.noteCall?.(callId);
  ports.keepRaw?.(callId, request.params?.arguments);
  ports.noteTrace?.(callId, request.params?._meta);
  const { judgement } = call;
  try {
    const waiting = admit(call);
    if (waiting) {
      await waiting;
      renewEntry(call, judgement);
    }
  } catch (thrown) {
    renewEntry(call, judgement);
    return refuse(call, thrown);
  }
  return sendRecorded(call);
}

function judge(ports: GatewayPorts, { client, request, exchange }: ClientCall, target: Target): CallContext {
  refuseAmbiguous(request, 'inputResponses');
  // Policy and approvers judge the arguments alone: answers reach a server only if it asked for them.
  ports.rounds.read({ client, request: ports.approvals.unwrap(request), target });
  const judged = {
    ports,
    client,
    request,
    exchange,
    target,
    callId: ports.newCallId(),
    startedMs: performance.now(),
    judgement: judgeCall(ports, { client, request, exchange }, target),
    limiter: ports.limiterOf(target.server),
    approved: undefined,
  };
  return Object.assign(judged, { entry: beginEntry(ports, judged) });
}

/** Updates the audit entry after a wait: a later time, and perhaps another decision. */
function renewEntry(call: CallContext, judged: CallContext['judgement']): void {
  const { ports } = call;
  call.entry = call.judgement === judged ? { ...call.entry, time: ports.now() } : beginEntry(ports, call);
}

/** The server has received the call, so repeating it may repeat its effects. */
function unrecordedAnswer(cause: BinderyError): BinderyError {
  return new BinderyError('STORE_UNAVAILABLE', {
    ...(cause.detail === undefined ? {} : { detail: cause.detail }),
    next: 'The call was sent, but its answer could not be recorded and is withheld. Check what the call did before you repeat it.',
    cause,
  });
}

async function sendRecorded(call: CallContext): Promise<Uint8Array> {
  const { ports, client, request, target, callId, startedMs, approved } = call;
  const begin = approved ? { ...call.entry, ...approvalRecord(approved) } : call.entry;
  const queuedUs = microsSince(startedMs + (call.approvalMs ?? 0));
  let ending: Ending | undefined;
  let isSent = false;
  try {
    await ports.audit.append(begin);
    const sentMs = performance.now();
    isSent = true;
    ending = await send(call);
    if (target.kind === 'call' && asksForTask(client, request)) ending = await withTaskOwner(call, ending);
    const { outcome, result_bytes, result_sha256, result_type, schema_mismatch } = ending.record;
    await ports.audit.append(
      {
        kind: target.kind,
        phase: 'end',
        call_id: callId,
        time: ports.now(),
        outcome,
        result_bytes,
        result_sha256,
        result_type,
        schema_mismatch,
        queue_us: queuedUs,
        upstream_us: microsSince(sentMs),
        total_us: microsSince(startedMs),
      },
      target.server,
    );
    const { forwarded } = ending;
    if (!forwarded) return failureAnswer(call, toBinderyError(ending.error));
    return approved && !approved.isRemembered && forwarded.resultType === 'input_required'
      ? withOurState(forwarded.bytes, approved)
      : forwarded.bytes;
  } catch (thrown) {
    // Either the call was not recorded and not sent, or its answer was not recorded and is withheld.
    if (!(thrown instanceof BinderyError)) ports.log.error('a call failed', { server: target.server, error: thrown });
    const error = toBinderyError(thrown);
    return failureAnswer(call, isSent && error.code === 'STORE_UNAVAILABLE' ? unrecordedAnswer(error) : error);
  } finally {
    call.limiter.release(limitedTool(call), ending?.event ?? 'abandoned', ending?.failure, ending?.lessee);
  }
}

/** Records the owner of a task that the answer announces. The id of another caller's task is a bad answer. */
async function withTaskOwner(call: CallContext, ending: Ending): Promise<Ending> {
  const { ports, client, target, upstream } = call;
  if (!ending.forwarded) return ending;
  const { connections, tasks } = ports;
  const isApart = (upstream && connections.isOwn(upstream)) || (connections.isPerCaller?.(target.server) ?? false);
  if (await tasks.note(target.server, client, ending.forwarded.bytes, isApart)) return ending;
  const error = new BinderyError('UPSTREAM_ERROR', { detail: 'the server answered with the id of an earlier task' });
  return { error, event: 'answered', record: { outcome: 'upstream_error' } };
}

/** The audit fields of the approval that admitted the call: its own, or a remembered one. */
function approvalRecord({ approval: { id, decided_by } }: ApprovedCall) {
  return id === null ? {} : { approval_id: id, approver: decided_by ?? '' };
}

/** Records and answers a call that a stage refused, or that needs the client's input first. */
async function refuse(call: CallContext, thrown: unknown): Promise<Uint8Array> {
  const { request, exchange, entry, startedMs } = call;
  if (thrown instanceof InputRequired) {
    const failed = await recordOnly(call, {
      ...entry,
      phase: 'single',
      ...(thrown.approvalId === undefined ? {} : { approval_id: thrown.approvalId }),
      rule: { rule: 'approval_pending' },
      outcome: 'denied',
      result_type: 'input_required',
      total_us: microsSince(startedMs),
    });
    return failed ? failureAnswer(call, failed) : resultBytes(request, JSON.stringify(thrown.result));
  }
  const error = exchange.signal.aborted ? new BinderyError('CANCELLED') : toBinderyError(thrown);
  const failed = await recordOnly(call, refusedEntry(entry, error, microsSince(startedMs)));
  return failureAnswer(call, failed ?? error);
}

/** Records a call that ends here. Returns the error if recording fails. */
function recordOnly({ ports }: CallContext, entry: CallContext['entry']): Promise<BinderyError | undefined> {
  return ports.audit.append(entry).then(() => undefined, toBinderyError);
}

/** Rejects ambiguous arguments and answers (duplicate keys, or judging them failed), and answers that were not asked for. Records none of them. */
function refuseUnjudged(
  ports: GatewayPorts,
  { client, request }: ClientCall,
  { kind, server, tool, name, via }: Target,
  thrown: unknown,
): Promise<Uint8Array> {
  if (!(thrown instanceof RpcFailure))
    ports.log.error('policy could not judge a call', { server, tool, error: thrown });
  const refused = { kind, rule: 'invalid_request', name, target: { server, tool }, ...(via ? { via } : {}) };
  return refuseRequest(ports, client, request, refused, () => {
    throw thrown;
  });
}

/** Wraps the state of a server that asks something within an approved call, so that the retry counts as the same call. */
function withOurState(bytes: Uint8Array, approved: ApprovedCall): Uint8Array {
  const answer = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as {
    result: { requestState?: string };
  };
  const requestState = approved.wrapState(answer.result.requestState ?? '');
  return Buffer.from(JSON.stringify({ ...answer, result: { ...answer.result, requestState } }));
}
