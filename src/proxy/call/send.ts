import { BinderyError } from '../../contract/errors.ts';
import type { BreakerEvent } from '../../gateway/throttle/breaker.ts';
import { isServerFault, isUpstreamError } from '../../wire/upstream.ts';
import { InputRequired } from '../approvals/approval-ports.ts';
import { errorBytes, idText, RpcFailure, resultBytes } from '../message/answers.ts';
import type { CallContext } from './call-context.ts';
import { outcomeOf, type ResultRecord, resultRecord } from './call-record.ts';
import type { Forwarded } from './client-call.ts';
import { askerOf, forward } from './forward.ts';
import { breaksSchema } from './output-check.ts';
import { errorData } from './server-error.ts';
import { callError } from './upstream-error.ts';

/** The result of a call that was sent. */
export interface Ending {
  readonly forwarded?: Forwarded;
  /** Why there is no answer to forward. */
  readonly error?: BinderyError;
  readonly event: BreakerEvent;
  /** Why the server failed, for its operator. */
  readonly failure?: string;
  /** The client whose own server process failed. */
  readonly lessee?: string;
  readonly record: ResultRecord;
}

/** Sends a call to its server and reports how it ended. Does not throw. */
export async function send(call: CallContext): Promise<Ending> {
  const { ports, target } = call;
  try {
    const forwarded = await forward(call);
    const outcome = forwarded.isRpcError ? 'upstream_error' : forwarded.isError ? 'tool_error' : 'ok';
    const isMismatch = outcome === 'ok' && breaksSchema(ports.promises, target, forwarded.bytes);
    return {
      forwarded,
      event: 'answered',
      record: { ...resultRecord(outcome, forwarded), ...(isMismatch ? { schema_mismatch: true } : {}) },
    };
  } catch (thrown) {
    return failedEnding(call, thrown);
  }
}

function failedEnding(call: CallContext, thrown: unknown): Ending {
  const { ports, client, request, exchange, target, upstream } = call;
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
    const bytes = errorBytes(idText(request), code, message, errorData(askerOf(call), code, data));
    const forwarded = { bytes, digest: {}, isError: false, isRpcError: true, resultType: undefined };
    return { forwarded, event: 'answered', record: { outcome: 'upstream_error' } };
  }
  const error = callError(thrown, target.server);
  const isFault = isUpstreamError(thrown) && isServerFault(thrown);
  if (!isUpstreamError(thrown) && !(thrown instanceof BinderyError))
    ports.log.error('a call failed', { server: target.server, error: thrown });
  const record = { outcome: outcomeOf(error) };
  if (!isFault) return { error, event: 'answered', record };
  // An HTTP session is not the client's own process: all clients share the server behind it.
  const isOwnProcess = upstream?.transport === 'stdio' && ports.connections.isOwn(upstream);
  return { error, event: 'failed', failure: thrown.message, record, ...(isOwnProcess ? { lessee: client.key } : {}) };
}
