import { BinderyError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../wire/json.ts';
import { encodeRequest } from '../wire/messages.ts';
import { META } from '../wire/revisions.ts';
import type { Client, Exchange } from './client.ts';
import type { ClientRequest } from './client-message.ts';
import {
  decodedResult,
  type Forwarded,
  type ForwardOptions,
  forwardedResult,
  isAskable,
  mirroredArguments,
  plainMeta,
  progressTokenOf,
  type Rewrite,
  rawOptions,
} from './forward.ts';
import type { UpstreamPort } from './ports.ts';

/** Rounds of questions that one call may take. */
const INPUT_ROUNDS_MAX = 10;

/** Passes a request of a 2025 client to a 2026 server; its `input_required` results become questions to the client. */
export async function forwardToModern(
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  upstream: UpstreamPort,
  rewrite: Rewrite,
  options: ForwardOptions,
): Promise<Forwarded> {
  let further: JsonObject = {};
  for (let round = 0; round <= INPUT_ROUNDS_MAX; round += 1) {
    const answer = await sendModern(client, request, exchange, upstream, rewrite, options, further);
    const result = decodedResult(answer);
    if (result.resultType !== 'input_required') {
      const { resultType: _kind, ...legacy } = result;
      return forwardedResult(request, answer.bytes, legacy);
    }
    further = await answerInput(client, exchange, result);
  }
  throw new BinderyError('UPSTREAM_ERROR', {
    detail: `the server asked for input more than ${INPUT_ROUNDS_MAX} times`,
  });
}

/** Passes a request of a 2026 client to a 2025 server. */
export async function forwardToLegacy(
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  upstream: UpstreamPort,
  rewrite: Rewrite,
  options: ForwardOptions,
): Promise<Forwarded> {
  const id = upstream.nextId();
  const token = progressTokenOf(request);
  const meta = { ...plainMeta(request.params?._meta), ...(token === undefined ? {} : { progressToken: id }) };
  const params = rewritten(request, rewrite, Object.keys(meta).length > 0 ? { _meta: meta } : {});
  const answer = await upstream.requestRaw(
    {
      bytes: encodeRequest(id, { method: request.method, params }),
      id,
      method: request.method,
      ...(token === undefined ? {} : { progressToken: id }),
    },
    rawOptions(client, request, exchange, options),
  );
  return forwardedResult(request, answer.bytes, { resultType: 'complete', ...decodedResult(answer) });
}

function sendModern(
  client: Client,
  request: ClientRequest,
  exchange: Exchange,
  upstream: UpstreamPort,
  rewrite: Rewrite,
  options: ForwardOptions,
  further: JsonObject,
) {
  const id = upstream.nextId();
  const token = progressTokenOf(request);
  const meta = {
    ...plainMeta(request.params?._meta),
    ...(token === undefined ? {} : { progressToken: id }),
    [META.protocolVersion]: upstream.protocolVersion,
    [META.clientCapabilities]: client.capabilities,
    ...(client.info ? { [META.clientInfo]: client.info } : {}),
  };
  const mirrored = rewrite.name ?? rewrite.uri;
  return upstream.requestRaw(
    {
      bytes: encodeRequest(id, {
        method: request.method,
        params: rewritten(request, rewrite, { ...further, _meta: meta }),
      }),
      id,
      method: request.method,
      ...(mirrored === undefined ? {} : { name: mirrored }),
      paramHeaders: mirroredArguments(request, options.inputSchema),
      ...(token === undefined ? {} : { progressToken: id }),
    },
    rawOptions(client, request, exchange, options),
  );
}

/** Asks the client all questions of a round at once. What it cannot be asked is refused, never invented. */
async function answerInput(client: Client, exchange: Exchange, result: JsonObject): Promise<JsonObject> {
  const questions = isObject(result.inputRequests) ? Object.entries(result.inputRequests) : [];
  const answers = await Promise.all(
    questions.map(async ([key, question]) => {
      const method = isObject(question) ? String(question.method) : '';
      if (!isAskable(client, method))
        throw new BinderyError('CLIENT_CAPABILITY_MISSING', { detail: `the server asks for ${method}` });
      const params = isObject(question) && isObject(question.params) ? question.params : {};
      return [key, await exchange.ask(method, params, exchange.signal)] as const;
    }),
  );
  return {
    inputResponses: Object.fromEntries(answers),
    ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
  };
}

function rewritten({ params }: ClientRequest, rewrite: Rewrite, more: JsonObject): JsonObject {
  const { _meta: _replaced, ...rest } = params ?? {};
  return {
    ...rest,
    ...(rewrite.name === undefined ? {} : { name: rewrite.name }),
    ...(rewrite.uri === undefined ? {} : { uri: rewrite.uri }),
    ...more,
  };
}
