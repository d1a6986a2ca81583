import { BinderyError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { META, RPC } from '../../wire/revisions.ts';
import type { CallUpstream, RawAnswer } from '../../wire/upstream.ts';
import { PROXY_LIMITS } from '../limits.ts';
import { RpcFailure } from '../message/answers.ts';
import { answerInput } from './answer-input.ts';
import { rawOptions } from './forward-raw.ts';
import type { OutgoingCall } from './outgoing-call.ts';
import { mirroredArguments, translatedRequest } from './outgoing-request.ts';
import { progressTokenOf } from './progress.ts';
import { decodedResult, forwardedResult } from './upstream-answer.ts';

/** Forwards a request of a 2025 client to a 2026 server. Its `input_required` results become questions to the client. */
export async function forwardToModern(
  call: OutgoingCall,
  upstream: CallUpstream,
): Promise<ReturnType<typeof forwardedResult>> {
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

function sendModern(call: OutgoingCall, upstream: CallUpstream, further: JsonObject): Promise<RawAnswer> {
  const { client, request, rewrite, options } = call;
  const id = upstream.nextId();
  const envelope = {
    [META.protocolVersion]: upstream.protocolVersion,
    [META.clientCapabilities]: client.capabilities,
    [META.logLevel]: options.logLevels.wanted(client.key),
    ...(client.info ? { [META.clientInfo]: client.info } : {}),
  };
  const mirrored = rewrite.name ?? rewrite.uri;
  return upstream.requestRaw(
    {
      bytes: translatedRequest(call, id, further, envelope),
      id,
      method: request.method,
      ...(mirrored === undefined ? {} : { name: mirrored }),
      paramHeaders: mirroredArguments(request, options.inputSchema),
      ...(progressTokenOf(request) === undefined ? {} : { progressToken: id }),
    },
    rawOptions(call),
  );
}

/** The result of a 2026 server. A missing client capability becomes an error text that a model can read. */
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
