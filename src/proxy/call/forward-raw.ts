import { oneLine } from '../../wire/one-line.ts';
import { isAskable, namedQuestion } from '../../wire/server-question.ts';
import type { CallUpstream, RawRequestOptions } from '../../wire/upstream.ts';
import type { LogLevels } from '../lists/log-levels.ts';
import { methodNotFound } from '../message/answers.ts';
import type { HeldCalls, HeldTarget } from '../sessions/held-calls.ts';
import type { ClientCall, Forwarded } from './client-call.ts';
import { mirroredArguments, outgoingRequest, type Rewrite } from './outgoing-request.ts';
import { passProgress, progressTokenOf } from './progress.ts';
import { passedAnswer } from './upstream-answer.ts';

export interface ForwardOptions {
  readonly timeoutMs?: number;
  readonly answerBytesMax: number;
  readonly inputSchema?: unknown;
  readonly logLevels: LogLevels;
  /** The server's name for its questions; undefined in a bare profile, which adds nothing to them. */
  readonly asker: string | undefined;
  /** Whether other clients' calls run on the same connection. */
  readonly scope?: RawRequestOptions['scope'];
  /** Holds the call while its server waits for the answer to a question. */
  readonly held: { readonly calls: HeldCalls; readonly target: HeldTarget };
}

/** A request ready to be sent to a server. */
export interface OutgoingCall extends ClientCall {
  readonly rewrite: Rewrite;
  readonly options: ForwardOptions;
}

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
  return passedAnswer(answer, request, options.asker);
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
    onNotification: (_notification, bytes) => exchange.send(oneLine(bytes)),
    onServerRequest: ({ method, params }, signal) => {
      if (!isAskable(client, method, params)) return Promise.reject(methodNotFound(method));
      return exchange.ask(method, namedQuestion(options.asker, method, params ?? {}), signal);
    },
  };
}
