import { BinderyError, toBinderyError } from '../../contract/errors.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { AuditEntry, AuditKind } from '../../gateway/audit/audit-record.ts';
import type { HeldCode } from '../../gateway/catalogue/server-offer.ts';
import type { BreakerEvent } from '../../gateway/guard/breaker.ts';
import { type Judgement, judgeServer } from '../../gateway/policy/decide.ts';
import { judgeCached } from '../../gateway/policy/decision-cache.ts';
import { openingSentence } from '../../gateway/policy/hours.ts';
import type { UncheckedReason } from '../../gateway/search/validate-arguments.ts';
import { ambiguousMember } from '../../wire/object-members.ts';
import { RPC } from '../../wire/revisions.ts';
import { namedPages } from '../../wire/server-question.ts';
import { type ApprovedCall, InputRequired } from '../approvals/approval-gate.ts';
import type { Settled } from '../approvals/approval-ports.ts';
import { errorBytes, idText, resultBytes } from '../message/answer-bytes.ts';
import { type Client, canBeAsked, type Exchange } from '../message/client.ts';
import { type ClientRequest, namedMember } from '../message/client-message.ts';
import { RpcFailure } from '../message/rpc-failure.ts';
import { HeldCall } from '../sessions/held-calls.ts';
import { asksForTask } from '../tasks/tasks.ts';
import { describeAttempt, outcomeOf, resultRecord } from './attempt-record.ts';
import { failedCallResult } from './failed-call.ts';
import { type Forwarded, type ForwardOptions, forwardRaw } from './forward.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import type { Rewrite } from './outgoing-request.ts';
import { breaksSchema } from './output-check.ts';
import { isServerFault, isUpstreamFailure, type UpstreamPort } from './ports.ts';
import { approvalOf, ruleOf } from './refusal-members.ts';
import { refuseRequest } from './refuse-request.ts';
import type { GuardedTool, ServerGuard } from './server-guard.ts';
import { continueHeld, forwardToLegacy, forwardToModern } from './translate.ts';
import { upstreamError } from './upstream-error.ts';

/** What a request is about, once its name was looked up. */
export interface Target {
  readonly kind: Extract<AuditKind, 'call' | 'read' | 'prompt'>;
  readonly server: string;
  /** Original name of the tool or prompt, or the URI on its server. */
  readonly tool: string;
  /** What the client called it. */
  readonly name: string;
  readonly rewrite: Rewrite;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly via?: string;
  /** Why its server is left to judge the arguments by the tool's schema. */
  readonly unchecked?: UncheckedReason | undefined;
  /** Why it is refused until a person has looked at it. */
  readonly held?: HeldCode | undefined;
  /** The same as it is now: while a call waits for an approval the definition may change. */
  readonly heldNow?: () => HeldCode | undefined;
}

/** One attempt of a client: judged, guarded, recorded, sent, recorded, answered. */
export async function attempt(
  ports: GatewayPorts,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  target: Target,
): Promise<Uint8Array> {
  const started = performance.now();
  const callId = ports.newCallId();
  let judgement: Judgement;
  let described: AuditEntry;
  try {
    judgement = judgeAttempt(ports, client, request, target);
    described = describeAttempt(ports, client, request, target, judgement, callId);
  } catch (thrown) {
    return refuseUnclear(ports, client, request, target, thrown);
  }
  const describeNow = (): AuditEntry =>
    admission.judgement === judgement
      ? { ...described, time: ports.now() }
      : describeAttempt(ports, client, request, target, admission.judgement, callId);
  exchange.noteCall?.(callId);
  ports.keepRaw?.(callId, request.params?.arguments);
  ports.noteTrace?.(callId, request.params?._meta);
  const guard = ports.guardOf(target.server);
  const admission: Admission = { client, request, exchange, target, judgement, callId };
  let approved: ApprovedCall | undefined;
  try {
    const admitted = admit(ports, admission, guard);
    if (admitted) {
      approved = await admitted;
      described = describeNow();
    }
  } catch (thrown) {
    const single = { ...describeNow(), phase: 'single' } as const;
    if (thrown instanceof InputRequired) {
      const asked = { rule: { rule: 'approval_pending' }, outcome: 'denied', result_type: 'input_required' } as const;
      const about = thrown.approvalId === undefined ? {} : { approval_id: thrown.approvalId };
      const failed = await recordOnly(ports, { ...single, ...about, ...asked, total_us: micros(started) });
      if (failed) return failureBytes(client, request, exchange, target, callId, failed);
      return resultBytes(request, JSON.stringify(thrown.result));
    }
    const error = exchange.signal.aborted ? new BinderyError('CANCELLED') : toBinderyError(thrown);
    const refused = { ...approvalOf(error), ...ruleOf(error), outcome: outcomeOf(error), total_us: micros(started) };
    const failed = await recordOnly(ports, { ...single, ...refused });
    return failureBytes(client, request, exchange, target, callId, failed ?? error);
  }
  const begin = approved
    ? { ...described, approval_id: approved.approval.id, approver: approved.approval.decided_by ?? '' }
    : described;
  const queuedUs = micros(started);
  let event: BreakerEvent = 'abandoned';
  let failure: string | undefined;
  try {
    await ports.audit.append(begin);
    const sent = performance.now();
    const ending = await send(ports, client, ports.approvals.unwrap(request), exchange, target, admission.judgement);
    event = ending.event;
    failure = ending.error && whyOf(ending.error);
    const { outcome, result_bytes, result_sha256, result_type, schema_mismatch } = ending.record;
    const end: AuditEntry = {
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
      upstream_us: micros(sent),
      total_us: micros(started),
    };
    await ports.audit.append(end, target.server);
    if (ending.forwarded && target.kind === 'call' && asksForTask(client, request))
      await ports.tasks.note(target.server, client, ending.forwarded.bytes);
    if (!ending.forwarded) return failureBytes(client, request, exchange, target, callId, toBinderyError(ending.error));
    return approved && ending.forwarded.resultType === 'input_required'
      ? wrapped(ending.forwarded.bytes, approved)
      : ending.forwarded.bytes;
  } catch (thrown) {
    // What could not be recorded was not sent, or its answer does not leave.
    if (!(thrown instanceof BinderyError)) ports.log.error('a call failed', { server: target.server, error: thrown });
    return failureBytes(client, request, exchange, target, callId, toBinderyError(thrown));
  } finally {
    guard.leave(guardedTool(admission), event, failure);
  }
}

/** Arguments of which nobody can say what they are (a member stands there twice, or judging them failed) are refused, and that is recorded without them. */
function refuseUnclear(
  ports: GatewayPorts,
  client: Client,
  request: ClientRequest,
  { kind, server, tool, name, via }: Target,
  thrown: unknown,
): Promise<Uint8Array> {
  if (!(thrown instanceof RpcFailure)) ports.log.error('a call could not be judged', { server, tool, error: thrown });
  const refused = { kind, rule: 'invalid_request', name, target: { server, tool }, ...(via ? { via } : {}) };
  return refuseRequest(ports, client, request, refused, () => {
    throw thrown;
  });
}

/** Records an attempt that goes no further; gives the error where even that fails. */
function recordOnly(ports: GatewayPorts, entry: AuditEntry): Promise<BinderyError | undefined> {
  return ports.audit.append(entry).then(() => undefined, toBinderyError);
}

/** A server that asks something within an approved call: its state travels inside ours, so that the retry is the same call. */
function wrapped(bytes: Uint8Array, approved: ApprovedCall): Uint8Array {
  const answer = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as {
    result: { requestState?: string };
  };
  return Buffer.from(
    JSON.stringify({
      ...answer,
      result: { ...answer.result, requestState: approved.wrapState(answer.result.requestState ?? '') },
    }),
  );
}

interface Ending {
  readonly forwarded?: Forwarded;
  /** Why there is no answer to pass on. */
  readonly error?: BinderyError;
  readonly event: BreakerEvent;
  readonly record: Pick<AuditEntry, 'outcome' | 'result_bytes' | 'result_sha256' | 'result_type' | 'schema_mismatch'>;
}

async function send(
  ports: GatewayPorts,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  target: Target,
  judgement: Judgement,
): Promise<Ending> {
  const timeoutMs = judgement.decision.limits.timeout_ms;
  const options: ForwardOptions = {
    answerBytesMax: ports.outputBytesMax,
    logLevels: ports.logLevels,
    asker: ports.isBare(client.profile) ? undefined : target.server,
    held: { calls: ports.held, target },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(target.inputSchema === undefined ? {} : { inputSchema: target.inputSchema }),
  };
  const rewrite = judgement.judgesArguments
    ? { ...target.rewrite, judgedArguments: request.params?.arguments ?? {} }
    : target.rewrite;
  try {
    const held = ports.held.take(request, client, target);
    const forwarded =
      held === undefined
        ? await forward(ports, client, request, exchange, target, rewrite, options)
        : held instanceof HeldCall
          ? await continueHeld(held, client, request, exchange, options.held)
          : await held(exchange);
    const outcome = forwarded.isRpcError ? 'upstream_error' : forwarded.isError ? 'tool_error' : 'ok';
    return {
      forwarded,
      event: 'answered',
      record: {
        ...resultRecord(outcome, forwarded),
        ...(outcome === 'ok' && breaksSchema(ports.promises, target, forwarded.bytes) ? { schema_mismatch: true } : {}),
      },
    };
  } catch (thrown) {
    if (exchange.signal.aborted)
      return { error: new BinderyError('CANCELLED'), event: 'abandoned', record: { outcome: 'cancelled' } };
    if (thrown instanceof InputRequired) {
      const bytes = resultBytes(request, JSON.stringify(thrown.result));
      const resultType = 'input_required';
      const forwarded = { bytes, digest: {}, isError: false, isRpcError: false, resultType };
      return { forwarded, event: 'abandoned', record: { outcome: 'ok', result_type: resultType } };
    }
    if (thrown instanceof RpcFailure) {
      const bytes = errorBytes(idText(request), thrown.code, thrown.message, dataFor(options, thrown));
      const forwarded = { bytes, digest: {}, isError: false, isRpcError: true, resultType: undefined };
      return {
        forwarded,
        event: 'answered',
        record: { outcome: 'upstream_error' },
      };
    }
    const error = isUpstreamFailure(thrown) ? upstreamError(thrown) : toBinderyError(thrown, 'UPSTREAM_ERROR');
    const fault = isUpstreamFailure(thrown) && isServerFault(thrown);
    if (!isUpstreamFailure(thrown) && !(thrown instanceof BinderyError))
      ports.log.error('a call failed', { server: target.server, error: thrown });
    return { error, event: fault ? 'failed' : 'answered', record: { outcome: outcomeOf(error) } };
  }
}

/** What a server's error says besides; pages that it sends a person to have its name. */
function dataFor({ asker }: ForwardOptions, { code, data }: RpcFailure): unknown {
  return asker !== undefined && code === RPC.urlElicitationRequired ? namedPages(asker, data) : data;
}

async function forward(
  ports: GatewayPorts,
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  target: Target,
  rewrite: Rewrite,
  options: ForwardOptions,
): Promise<Forwarded> {
  const theirs = ports.signIns ? ports.signIns.unwrap(request) : request;
  for (let tries = 1; ; tries += 1) {
    try {
      const found = ports.connections.connection(target.server, client, exchange.signal);
      const upstream = found instanceof Promise ? await found : found;
      const between =
        client.era === upstream.era ? forwardRaw : upstream.era === '2026' ? forwardToModern : forwardToLegacy;
      const scope = scopeOf(ports, client, upstream);
      return await between(client, theirs, exchange, upstream, rewrite, scope ? { ...options, scope } : options);
    } catch (thrown) {
      // The server refused the caller's credential, not the call: after a sign-in it is sent again.
      if (tries > 1 || !ports.signIns?.canMend(thrown, target.server)) throw thrown;
      await ports.signIns.settle(client, request, exchange, target.server);
    }
  }
}

/** Whether a call is alone on its connection, as far as that makes a difference to its client; undefined: it makes none. */
function scopeOf({ connections }: GatewayPorts, client: Client, upstream: UpstreamPort): ForwardOptions['scope'] {
  if (!canBeAsked(client) && client.logLevel === undefined) return undefined;
  const isOwn = connections.open(client).some((own) => own.upstream === upstream);
  if (!isOwn) return 'shared';
  return client.era === '2026' ? 'own' : undefined;
}

interface Admission {
  readonly client: Client;
  readonly request: ClientRequest;
  readonly exchange: Exchange;
  readonly target: Target;
  readonly callId: string;
  /** By the policy that holds when the call is let through: a person may take longer to decide than the policy lasts. */
  judgement: Judgement;
}

/**
 * Policy, rate limit, breaker, approval, queue: in this order, so that nobody is asked about a call that could not be sent.
 * The approval is used last: an open breaker or a full queue does not burn it, and no two calls can use it.
 */
function admit(
  ports: GatewayPorts,
  admission: Admission,
  guard: ServerGuard,
): Promise<ApprovedCall | undefined> | undefined {
  const { client, target } = admission;
  refuseDenied(admission.judgement);
  if (target.held) throw new BinderyError(target.held);
  ports.held.refuseOther(admission.request);
  const counting = ports.countRate(client, target, admission.judgement.decision.limits.rate_per_minute);
  return counting ? counting.then(() => admitCounted(ports, admission, guard)) : admitCounted(ports, admission, guard);
}

function admitCounted(
  ports: GatewayPorts,
  admission: Admission,
  guard: ServerGuard,
): Promise<ApprovedCall | undefined> | undefined {
  if (admission.judgement.decision.decision === 'approval') return admitAsked(ports, admission, guard);
  guard.check(admission.target.tool);
  return enter(ports, admission, guard)?.then(() => undefined);
}

function enter(ports: GatewayPorts, admission: Admission, guard: ServerGuard): Promise<void> | undefined {
  const of = guardedTool(admission);
  if (!ports.held.goesOn(admission.request)) return guard.enter(of, admission.exchange.signal);
  guard.goOn(of);
  return undefined;
}

function guardedTool({ target, judgement }: Admission): GuardedTool {
  return { tool: target.tool, concurrencyMax: judgement.decision.limits.max_concurrency };
}

/** A call that a person has to approve. */
async function admitAsked(
  ports: GatewayPorts,
  admission: Admission,
  guard: ServerGuard,
): Promise<ApprovedCall | undefined> {
  const { client, request, exchange, target, callId } = admission;
  for (;;) {
    guard.check(target.tool);
    let approved: ApprovedCall | undefined;
    if (admission.judgement.decision.decision === 'approval') {
      approved = await ports.approvals.approve(client, request, exchange, target, admission.judgement, callId);
      admission.judgement = judgeAttempt(ports, client, request, target);
      refuseDenied(admission.judgement, approved);
      const held = target.heldNow?.();
      if (held) throw new BinderyError(held);
    }
    await enter(ports, admission, guard);
    let isOurs = approved === undefined;
    try {
      if (approved) isOurs = await useFor(exchange, approved);
    } finally {
      if (!isOurs) guard.leave(guardedTool(admission), 'abandoned');
    }
    if (isOurs) return approved;
    // Another equal call used it first: this one asks anew.
  }
}

/** Uses an approval for a client that is still there: the answer to one that has left would reach nobody. */
function useFor(exchange: Exchange, approved: ApprovedCall): Settled<boolean> {
  if (exchange.left().aborted)
    throw new BinderyError('CANCELLED', {
      detail: 'the client left before the call was sent',
      members: { approval_id: approved.approval.id },
    });
  return approved.use();
}

/** Refuses what policy denies, what nobody may approve, and a person's yes from where policy takes none. */
function refuseDenied({ decision, surfaces }: Judgement, approved?: ApprovedCall): void {
  if (decision.decision === 'deny') {
    const detail = [decision.reason, refusedArgument(decision)].filter((part) => part != null).join('; ');
    throw new BinderyError('POLICY_DENIED', {
      ...(detail ? { detail } : {}),
      ...openingHint(decision),
      members: { rule: decision.rule },
    });
  }
  if (decision.decision === 'approval' && surfaces.length === 0) {
    throw new BinderyError('POLICY_DENIED', {
      detail: 'a person has to approve this call, and every surface is excluded',
      next: 'Ask the person who keeps the policy and the config: their lists of surfaces have none in common.',
      members: { rule: decision.rule },
    });
  }
  const via = approved?.approval.decided_via;
  if (approved && via && decision.decision === 'approval' && !surfaces.includes(via)) {
    throw new BinderyError('APPROVAL_DENIED', {
      detail: `no decision that was made on the surface ${via} counts here`,
      members: { approval_id: approved.approval.id },
    });
  }
}

/** When to call again, for a call outside of the hours. */
function openingHint({ opens_at }: Judgement['decision']): { readonly next?: string } {
  return opens_at === undefined ? {} : { next: openingSentence(opens_at) };
}

/** Which argument was refused, for a model that may write another. What it was resolved as stays here. */
function refusedArgument({ refused }: Judgement['decision']): string | undefined {
  if (!refused) return undefined;
  return visibleLine(refused.pointer === null ? refused.why : `the argument at ${refused.pointer} ${refused.why}`);
}

function judgeAttempt(ports: GatewayPorts, client: Client, request: ClientRequest, target: Target): Judgement {
  const layers = ports.policyLayers(client.profile);
  const now = () => Date.parse(ports.now());
  if (target.kind !== 'call') return judgeServer(layers, target.server, now);
  const judgement = judgeCached(layers, {
    server: target.server,
    tool: target.tool,
    now,
    arguments: { value: request.params?.arguments ?? {}, files: () => ports.filesOf(target.server, client) },
  });
  const span = request.spans.params?.get('arguments');
  const twice = judgement.judgesArguments && span ? ambiguousMember(request.bytes, span) : undefined;
  if (twice !== undefined) {
    throw new RpcFailure(
      RPC.invalidRequest,
      `Invalid request: the member ${namedMember(twice)} of the arguments stands there twice or in another case`,
    );
  }
  if (judgement.decision.decision !== 'approval') return judgement;
  const allowed = ports.approvalSurfaces(client);
  return { ...judgement, surfaces: judgement.surfaces.filter((surface) => allowed.includes(surface)) };
}

function failureBytes(
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  target: Target,
  callId: string,
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

/** Why a server failed, for those who look after it. */
function whyOf({ cause, detail, row }: BinderyError): string {
  return isUpstreamFailure(cause) ? cause.message : (detail ?? row.title);
}

function micros(since: number): number {
  return Math.trunc((performance.now() - since) * 1_000);
}
