import { BinderyError } from '../../contract/errors.ts';
import type { BreakerEvent } from '../../gateway/throttle/breaker.ts';
import { type CallUpstream, canBeAsked, isServerFault, isUpstreamError } from '../../wire/upstream.ts';
import { InputRequired } from '../approvals/approval-gate.ts';
import { errorBytes, idText, RpcFailure, resultBytes } from '../message/answers.ts';
import type { CallContext } from './call-context.ts';
import { outcomeOf, type ResultRecord, resultRecord } from './call-record.ts';
import type { Forwarded } from './client-call.ts';
import { errorData, type ForwardOptions, forwardRaw, type OutgoingCall } from './forward.ts';
import { breaksSchema } from './output-check.ts';
import { continueHeld, forwardToLegacy, forwardToModern } from './translate.ts';
import { callError } from './upstream-error.ts';

/** How a call that was sent ended. */
export interface Ending {
  readonly forwarded?: Forwarded;
  /** Why there is no answer to pass on. */
  readonly error?: BinderyError;
  readonly event: BreakerEvent;
  /** The client whose own process failed. */
  readonly lessee?: string;
  readonly record: ResultRecord;
}

/** Sends a call to its server and reports how it ended; it does not throw. */
export async function send(call: CallContext): Promise<Ending> {
  const { ports, client, exchange, target } = call;
  const outgoing = outgoingCall(call);
  try {
    const held = ports.held.take(outgoing.request, client, target);
    const isElsewhere = typeof held === 'function';
    if (held && !isElsewhere) call.upstream = held.upstream;
    const forwarded =
      held === undefined
        ? await forward(call, outgoing)
        : isElsewhere
          ? await held(exchange)
          : await continueHeld(held, outgoing, outgoing.options.held);
    const outcome = forwarded.isRpcError ? 'upstream_error' : forwarded.isError ? 'tool_error' : 'ok';
    const isMismatch = outcome === 'ok' && breaksSchema(ports.promises, target, forwarded.bytes);
    return {
      forwarded,
      event: 'answered',
      record: { ...resultRecord(outcome, forwarded), ...(isMismatch ? { schema_mismatch: true } : {}) },
    };
  } catch (thrown) {
    return failedEnding(call, outgoing, thrown);
  }
}

/** The request as its server gets it, and the limits that hold for it. */
function outgoingCall({ ports, client, request, exchange, target, judgement }: CallContext): OutgoingCall {
  const timeoutMs = judgement.decision.limits.timeout_ms;
  const options: ForwardOptions = {
    answerBytesMax: ports.answerBytesMax,
    logLevels: ports.logLevels,
    asker: ports.isBare(client.profile) ? undefined : target.server,
    held: { calls: ports.held, target },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(target.inputSchema === undefined ? {} : { inputSchema: target.inputSchema }),
  };
  const theirs = ports.approvals.unwrap(request);
  const rewrite = judgement.judgesArguments
    ? { ...target.rewrite, judgedArguments: theirs.params?.arguments ?? {} }
    : target.rewrite;
  return { client, request: theirs, exchange, rewrite, options };
}

async function forward(call: CallContext, outgoing: OutgoingCall): Promise<Forwarded> {
  const { ports, client, exchange, target } = call;
  const theirs = ports.signIns ? { ...outgoing, request: ports.signIns.unwrap(outgoing.request) } : outgoing;
  for (let tries = 1; ; tries += 1) {
    try {
      const found = ports.connections.connection(target.server, client, exchange.signal);
      const upstream = found instanceof Promise ? await found : found;
      call.upstream = upstream;
      const between =
        client.era === upstream.era ? forwardRaw : upstream.era === '2026' ? forwardToModern : forwardToLegacy;
      const scope = scopeOf(call, upstream);
      return await between(scope ? { ...theirs, options: { ...theirs.options, scope } } : theirs, upstream);
    } catch (thrown) {
      // The server refused the caller's credential, not the call: after a sign-in it is sent again.
      if (tries > 1 || !ports.signIns?.canMend(thrown, target.server)) throw thrown;
      await ports.signIns.requireSignIn(client, outgoing.request, exchange, target.server);
    }
  }
}

/** Whether a call is alone on its connection, as far as that makes a difference to its client; undefined: it makes none. */
function scopeOf({ ports, client }: CallContext, upstream: CallUpstream): ForwardOptions['scope'] {
  if (!canBeAsked(client) && client.logLevel === undefined) return undefined;
  if (!ports.connections.isOwn(upstream)) return 'shared';
  return client.era === '2026' ? 'own' : undefined;
}

function failedEnding(
  { ports, client, exchange, target, upstream }: CallContext,
  { request, options }: OutgoingCall,
  thrown: unknown,
): Ending {
  if (exchange.signal.aborted)
    return { error: new BinderyError('CANCELLED'), event: 'abandoned', record: { outcome: 'cancelled' } };
  if (thrown instanceof InputRequired) {
    const bytes = resultBytes(request, JSON.stringify(thrown.result));
    const resultType = 'input_required';
    const forwarded = { bytes, digest: {}, isError: false, isRpcError: false, resultType };
    return { forwarded, event: 'abandoned', record: { outcome: 'ok', result_type: resultType } };
  }
  if (thrown instanceof RpcFailure) {
    const { code, message, data } = thrown;
    const bytes = errorBytes(idText(request), code, message, errorData(options.asker, code, data));
    const forwarded = { bytes, digest: {}, isError: false, isRpcError: true, resultType: undefined };
    return { forwarded, event: 'answered', record: { outcome: 'upstream_error' } };
  }
  const error = callError(thrown, target.server);
  const isFault = isUpstreamError(thrown) && isServerFault(thrown);
  if (!isUpstreamError(thrown) && !(thrown instanceof BinderyError))
    ports.log.error('a call failed', { server: target.server, error: thrown });
  const record = { outcome: outcomeOf(error) };
  if (!isFault) return { error, event: 'answered', record };
  // A session over HTTP is another matter: the server behind it is everybody's.
  const isOwnProcess = upstream?.transport === 'stdio' && ports.connections.isOwn(upstream);
  return { error, event: 'failed', record, ...(isOwnProcess ? { lessee: client.key } : {}) };
}
