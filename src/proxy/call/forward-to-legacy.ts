import { encodeNotification } from '../../wire/messages.ts';
import { isAskable, namedQuestion } from '../../wire/server-question.ts';
import type { CallUpstream, RawRequestOptions } from '../../wire/upstream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { wantsNotification } from '../lists/log-levels.ts';
import { methodNotFound } from '../message/answers.ts';
import { HeldCall } from '../sessions/held-calls.ts';
import type { ClientCall, Forwarded } from './client-call.ts';
import type { ForwardOptions, OutgoingCall } from './outgoing-call.ts';
import { translatedRequest } from './outgoing-request.ts';
import { passProgress, progressTokenOf } from './progress.ts';
import { decodedResult, forwardedResult, refuseForeignKind } from './upstream-answer.ts';

/** Forwards a request of a 2026 client to a 2025 server. A question during the call becomes an `input_required` result. */
export async function forwardToLegacy(outgoing: OutgoingCall, upstream: CallUpstream): Promise<Forwarded> {
  const { request, options } = outgoing;
  const call = new HeldCall(upstream);
  const id = upstream.nextId();
  call.run(
    upstream.requestRaw(
      {
        bytes: translatedRequest(outgoing, id),
        id,
        method: request.method,
        ...(progressTokenOf(request) === undefined ? {} : { progressToken: id }),
      },
      heldOptions(outgoing, call),
    ),
  );
  return continueHeld(call, outgoing, options.held);
}

/** Waits for the answer or the next question of a held call, and returns it to the 2026 request that waits for it. */
export async function continueHeld(
  call: HeldCall,
  { client, request, exchange }: ClientCall,
  { calls, target }: ForwardOptions['held'],
): Promise<Forwarded> {
  const answer = await call.next(request, exchange);
  if (answer) {
    const result = decodedResult(answer);
    refuseForeignKind(result.resultType);
    return forwardedResult(request, answer.bytes, { ...modernMembers(request.method), ...result });
  }
  const asked = {
    resultType: 'input_required',
    inputRequests: call.inputRequests(),
    requestState: calls.hold(call, client, target, request),
  };
  return forwardedResult(request, Buffer.from(JSON.stringify(asked)), asked);
}

/** The members that revision 2026-07-28 requires in a result and 2025 servers do not send. Shared caches must not keep these results. */
function modernMembers(method: string) {
  const hints = method === 'resources/read' ? { ttlMs: PROXY_LIMITS.listTtlMs, cacheScope: 'private' } : {};
  return { resultType: 'complete', ...hints };
}

/** A held call outlives its request, so it sends its messages to the request that waits for it now. */
function heldOptions({ client, options }: OutgoingCall, call: HeldCall): RawRequestOptions {
  const { timeoutMs, answerBytesMax, scope } = options;
  const onProgress = (bytes: Uint8Array) => {
    const token = call.current && progressTokenOf(call.current.request);
    if (call.current && token !== undefined) passProgress(call.current.exchange, bytes, token);
  };
  return {
    signal: call.signal,
    answerBytesMax,
    scope,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    onProgress,
    onNotification: (notification, bytes) => {
      if (notification.method === 'notifications/progress') onProgress(bytes);
      else if (call.current && wantsNotification(call.current.request, notification))
        call.current.exchange.send(encodeNotification(notification));
    },
    onServerRequest: ({ method, params }, signal) => {
      if (!isAskable(client, method, params)) return Promise.reject(methodNotFound(method));
      return call.ask(method, namedQuestion(options.asker, method, params ?? {}), signal);
    },
  };
}
