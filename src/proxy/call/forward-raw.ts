import { oneLine } from '../../wire/one-line.ts';
import { isAskable, namedQuestion } from '../../wire/server-question.ts';
import type { CallUpstream, RawRequestOptions } from '../../wire/upstream.ts';
import { methodNotFound } from '../message/answers.ts';
import type { Forwarded } from './client-call.ts';
import type { OutgoingCall } from './outgoing-call.ts';
import { mirroredArguments, outgoingRequest } from './outgoing-request.ts';
import { passProgress, progressTokenOf } from './progress.ts';
import { passedAnswer } from './upstream-answer.ts';

/** Forwards a request to a server of the same revision: arguments and answers as bytes, in an envelope of our own. */
export async function forwardRaw(call: OutgoingCall, upstream: CallUpstream): Promise<Forwarded> {
  const { request, rewrite, options } = call;
  const id = upstream.nextId();
  const { progressToken } = request.spans;
  const bytes = outgoingRequest(request, id, rewrite);
  const mirrored = rewrite.name ?? rewrite.uri;
  const answer = await upstream.requestRaw(
    {
      bytes,
      id,
      method: request.method,
      ...(mirrored === undefined ? {} : { name: mirrored }),
      ...(upstream.era === '2026' ? { paramHeaders: mirroredArguments(request, options.inputSchema) } : {}),
      ...(progressToken ? { progressToken: id } : {}),
    },
    rawOptions(call),
  );
  return passedAnswer(answer, call, upstream.era);
}

/** Routes the server's messages before the answer to the client, and the client's answers to the server. */
export function rawOptions({ client, request, exchange, options }: OutgoingCall): RawRequestOptions {
  const token = progressTokenOf(request);
  return {
    signal: exchange.signal,
    answerBytesMax: options.answerBytesMax,
    ...(exchange.origin ? { origin: exchange.origin } : {}),
    scope: options.scope,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    ...(token === undefined ? {} : { onProgress: (bytes) => passProgress(exchange, bytes, token) }),
    onNotification: ({ method }, bytes) => {
      if (method !== 'notifications/progress') exchange.send(oneLine(bytes));
      // Progress under a token that the server was not given is about this call, too: it came on its stream.
      else if (token !== undefined) passProgress(exchange, bytes, token);
    },
    onServerRequest: ({ method, params }, signal) => {
      if (!isAskable(client, method, params)) return Promise.reject(methodNotFound(method));
      return exchange.ask(method, namedQuestion(options.asker, method, params ?? {}), signal);
    },
  };
}
