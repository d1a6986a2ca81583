import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortSignalOf } from '../../contract/cancellation.ts';
import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { encodeNotification, encodeRequest } from '../../wire/messages.ts';
import { META, plainMeta, RPC } from '../../wire/revisions.ts';
import type { CallUpstream, RawAnswer, RawRequestOptions } from '../../wire/upstream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { isToldTo } from '../lists/log-levels.ts';
import { RpcFailure } from '../message/answers.ts';
import type { Client, ClientRequest } from '../message/client.ts';
import { HeldCall } from '../sessions/held-calls.ts';
import type { ClientCall, Forwarded } from './client-call.ts';
import {
  decodedResult,
  type ForwardOptions,
  forwardedResult,
  isAskable,
  mirroredArguments,
  type OutgoingCall,
  passProgress,
  progressTokenOf,
  questionFor,
  rawOptions,
} from './forward.ts';
import { translatedParams } from './outgoing-request.ts';

/** Passes a request of a 2025 client to a 2026 server; its `input_required` results become questions to the client. */
export async function forwardToModern(call: OutgoingCall, upstream: CallUpstream): Promise<Forwarded> {
  const { request } = call;
  let further: JsonObject = {};
  for (let round = 0; ; round += 1) {
    const answer = await sendModern(call, upstream, further);
    const result = modernResult(answer);
    if (result.resultType !== 'input_required') {
      const { resultType: _kind, ...legacy } = result;
      return forwardedResult(request, answer.bytes, legacy);
    }
    if (round >= PROXY_LIMITS.inputRoundsMax)
      throw new BinderyError('UPSTREAM_ERROR', {
        detail: `the server asked for input more than ${PROXY_LIMITS.inputRoundsMax} times`,
      });
    further = await answerInput(call, result);
  }
}

/** Passes a request of a 2026 client to a 2025 server; what that asks in mid-call becomes an `input_required` result. */
export async function forwardToLegacy(outgoing: OutgoingCall, upstream: CallUpstream): Promise<Forwarded> {
  const { client, request, rewrite, options } = outgoing;
  const call = new HeldCall(upstream);
  const id = upstream.nextId();
  const token = progressTokenOf(request);
  const meta = { ...plainMeta(request.params?._meta), ...(token === undefined ? {} : { progressToken: id }) };
  const params = {
    ...translatedParams(request, rewrite),
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
  call.run(
    upstream.requestRaw(
      {
        bytes: encodeRequest(id, { method: request.method, params }),
        id,
        method: request.method,
        ...(token === undefined ? {} : { progressToken: id }),
      },
      heldOptions(client, call, options),
    ),
  );
  return continueHeld(call, outgoing, options.held);
}

/** Waits with a request of a 2026 client for what its call on a 2025 server brings next. */
export async function continueHeld(
  call: HeldCall,
  { client, request, exchange }: ClientCall,
  { calls, target }: ForwardOptions['held'],
): Promise<Forwarded> {
  const answer = await call.next(request, exchange);
  if (answer) return forwardedResult(request, answer.bytes, { ...modernMembers(request), ...decodedResult(answer) });
  const asked = {
    resultType: 'input_required',
    inputRequests: call.inputRequests(),
    requestState: calls.hold(call, client, target, request),
  };
  return forwardedResult(request, Buffer.from(JSON.stringify(asked)), asked);
}

/** What every result of revision 2026-07-28 says of itself, and 2025 servers do not: nothing of theirs may be kept. */
function modernMembers({ method }: ClientRequest): JsonObject {
  const hints = method === 'resources/read' ? { ttlMs: PROXY_LIMITS.listTtlMs, cacheScope: 'private' } : {};
  return { resultType: 'complete', ...hints };
}

/** A call that outlives its request speaks to whichever request waits with it now. */
function heldOptions(client: Client, call: HeldCall, options: ForwardOptions): RawRequestOptions {
  const { timeoutMs, answerBytesMax, scope } = options;
  return {
    signal: call.signal,
    answerBytesMax,
    scope,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    onProgress: (bytes) => {
      const token = call.current && progressTokenOf(call.current.request);
      if (call.current && token !== undefined) passProgress(call.current.exchange, bytes, token);
    },
    onNotification: (notification) => {
      if (call.current && isToldTo(call.current.request, notification))
        call.current.exchange.send(encodeNotification(notification));
    },
    onServerRequest: ({ method, params }, signal) => {
      if (!isAskable(client, method, params))
        return Promise.reject(new RpcFailure(RPC.methodNotFound, `Method not found: ${method}`));
      return call.ask(method, questionFor(options, method, params ?? {}), signal);
    },
  };
}

function sendModern(call: OutgoingCall, upstream: CallUpstream, further: JsonObject): Promise<RawAnswer> {
  const { client, request, rewrite, options } = call;
  const id = upstream.nextId();
  const token = progressTokenOf(request);
  const meta = {
    ...plainMeta(request.params?._meta),
    ...(token === undefined ? {} : { progressToken: id }),
    [META.protocolVersion]: upstream.protocolVersion,
    [META.clientCapabilities]: client.capabilities,
    [META.logLevel]: options.logLevels.wanted(client.key),
    ...(client.info ? { [META.clientInfo]: client.info } : {}),
  };
  const mirrored = rewrite.name ?? rewrite.uri;
  return upstream.requestRaw(
    {
      bytes: encodeRequest(id, {
        method: request.method,
        params: { ...translatedParams(request, rewrite), ...further, _meta: meta },
      }),
      id,
      method: request.method,
      ...(mirrored === undefined ? {} : { name: mirrored }),
      paramHeaders: mirroredArguments(request, options.inputSchema),
      ...(token === undefined ? {} : { progressToken: id }),
    },
    rawOptions(call),
  );
}

/** The result of a 2026 server; a missing client capability becomes a text that a model can read. */
function modernResult(answer: RawAnswer): JsonObject {
  try {
    return decodedResult(answer);
  } catch (thrown) {
    if (!(thrown instanceof RpcFailure) || thrown.code !== RPC.missingClientCapability) throw thrown;
    const { requiredCapabilities } = isObject(thrown.data) ? thrown.data : {};
    const names = isObject(requiredCapabilities) ? Object.keys(requiredCapabilities).join(', ') : 'a capability';
    throw new BinderyError('CLIENT_CAPABILITY_MISSING', { detail: `the server needs a client with ${names}` });
  }
}

/** Asks the client all questions of a round at once. What it cannot be asked is refused before anything is asked. */
async function answerInput({ client, exchange, options }: OutgoingCall, result: JsonObject): Promise<JsonObject> {
  const questions = isObject(result.inputRequests) ? Object.entries(result.inputRequests).map(readQuestion) : [];
  const refused = questions.find(({ method, params }) => !isAskable(client, method, params));
  if (refused) throw new BinderyError('CLIENT_CAPABILITY_MISSING', { detail: `the server asks for ${refused.method}` });
  if (questions.length === 0)
    await sleep(PROXY_LIMITS.inputRetryMs, undefined, { signal: abortSignalOf(exchange.signal) });
  const answers = await Promise.all(
    questions.map(
      async ({ key, method, params }) =>
        [key, await exchange.ask(method, questionFor(options, method, withPageId(params)), exchange.signal)] as const,
    ),
  );
  return {
    inputResponses: Object.fromEntries(answers),
    ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
  };
}

/** A page has an id at 2025-11-25, which clients insist on, and none at 2026-07-28. */
function withPageId(params: JsonObject): JsonObject {
  return params.mode === 'url' && params.elicitationId === undefined
    ? { ...params, elicitationId: randomUUID() }
    : params;
}

function readQuestion([key, question]: [string, unknown]) {
  const { method, params } = isObject(question) ? question : {};
  return { key, method: typeof method === 'string' ? method : '', params: isObject(params) ? params : {} };
}
