import { once } from 'node:events';
import type { IncomingRequest, JsonObject, MessageId, NotificationMessage } from '../../../contract/json.ts';
import { ShortLivedMap } from '../../../contract/short-lived-map.ts';
import {
  ABOUT_CALLS,
  beginsAsLogMessage,
  decodeParams,
  type Envelope,
  encodeError,
  encodeNotification,
  encodeResult,
  guessId,
  LOG_MESSAGE,
  readId,
  readMethod,
  readServerMessage,
  scanEnvelope,
  splitBatch,
  TOO_DEEP,
  writtenId,
} from '../../../wire/messages.ts';
import { RPC } from '../../../wire/revisions.ts';
import {
  type Era,
  type RawAnswer,
  type RawRequest,
  type RawRequestOptions,
  UpstreamError,
} from '../../../wire/upstream.ts';
import { tooLarge } from '../../transports/http-exchange.ts';
import { SessionLost } from '../../transports/streamable-http.ts';
import type { Transport } from '../../transports/transport.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import { FloodMeter } from './flood-meter.ts';
import { closedError, idInUse, PendingRequest, unanswered, withNoise } from './pending-request.ts';

const LOGS_LEFT_OUT: NotificationMessage = {
  method: LOG_MESSAGE,
  params: {
    level: 'warning',
    logger: 'bindery',
    data: `The server sent more than ${LIMITS.noisyMessagesMax} messages in ${LIMITS.unaskedWindowMs / 1_000} s: lines of its log are left out.`,
  },
};

/** The answer to a server's question. */
export type Reply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string };

export interface ExchangeHooks {
  readonly era: () => Era;
  /** Gets a notification that belongs to no running request. */
  readonly onNotification: (notification: NotificationMessage) => void;
  /** Whether a question that belongs to no running request waits for the next call. */
  readonly isForCall?: (question: IncomingRequest) => boolean;
  /** Answers a question that belongs to no running request. */
  readonly onQuestion: (question: IncomingRequest, signal: AbortSignal) => Promise<Reply>;
  readonly onClose: (error: UpstreamError) => void;
  /** The last running call has ended. */
  readonly onIdle?: () => void;
  /** A request failed in a way that may affect the whole server. */
  readonly onTrouble: (error: UpstreamError) => void;
}

const UNANSWERED = 'The client could not answer';

/** Our own requests, which do not count as use of the server. */
const HOUSEKEEPING = new Set(['ping', 'server/discover', 'subscriptions/listen']);

/** Requests that are not calls; servers ask nothing during them. */
const NO_CALLS = new Set([
  ...HOUSEKEEPING,
  'initialize',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);

/** The requests in flight on one transport: matches answers, routes notifications and questions, cancels. */
export class Exchanges {
  closed = false;
  /** When a request other than housekeeping last began or ended, by `performance.now()`. */
  lastUsedAt = performance.now();
  /** Replaces a lost session, if it is still the current one; set by the handshake. */
  renewSession: ((lost: string | undefined) => Promise<void>) | undefined;
  readonly #transport: Transport;
  readonly #hooks: ExchangeHooks;
  readonly #pending = new ShortLivedMap<MessageId, PendingRequest>();
  readonly #byToken = new ShortLivedMap<MessageId, PendingRequest>();
  readonly #questions = new Map<MessageId, AbortController>();
  readonly #unasked = new FloodMeter(LIMITS.unaskedMessagesMax, LIMITS.unaskedWindowMs);
  /** Calls that were cancelled or timed out, and that the server has not answered yet. */
  readonly #abandoned = new Set<MessageId>();
  #renewing: Promise<void> | undefined;
  #isLeavingLogsOut = false;
  #calls = 0;
  #hasCalled = false;
  /** The server asked something after its calls had ended, so the question belongs to an unknown call. */
  #hasAskedLate = false;
  /** Resolved by the next call, if a question waits for one. */
  #nextCall: PromiseWithResolvers<void> | undefined;

  constructor(transport: Transport, hooks: ExchangeHooks) {
    this.#transport = transport;
    this.#hooks = hooks;
    transport.onMessage = (bytes) => void this.#receive(bytes, undefined);
    transport.onOversized = (head, tail) => this.#receiveOversized(head, tail);
    transport.onClose = (error) => this.#lose(error);
    transport.restMs = (bytes) =>
      bytes >= LIMITS.noisyFullBytes && this.#unasked.holdsMoreThan(LIMITS.noisyMessagesMax) ? LIMITS.noisyRestMs : 0;
  }

  /** Whether a request with a deadline is in flight. */
  get busy(): boolean {
    return this.#pending.values().some(({ options }) => options.timeoutMs !== Number.POSITIVE_INFINITY);
  }

  get isCalling(): boolean {
    return this.#calls > 0;
  }

  /** Whether the server may still ask a question for a cancelled or ended call. */
  get hasAbandonedCalls(): boolean {
    return this.#hasAskedLate || this.#abandoned.size > 0;
  }

  isPending(id: MessageId): boolean {
    return this.#pending.has(id);
  }

  /** Sends a request and waits for its answer. If the server lost the session, opens a new one and retries once. */
  async exchange(
    request: RawRequest,
    options: RawRequestOptions,
    headers: Readonly<Record<string, string>> | undefined,
  ): Promise<RawAnswer> {
    this.#use(request.method);
    // While the session is being replaced, only the handshake may send.
    if (this.#renewing !== undefined && request.method !== 'initialize') await this.#renewing.catch(() => {});
    try {
      return await this.#exchangeOnce(request, options, headers);
    } catch (thrown) {
      if (!(thrown instanceof SessionLost) || this.renewSession === undefined || this.closed) throw thrown;
      await this.renew(thrown.sessionId);
      return this.#exchangeOnce(request, options, headers);
    }
  }

  async notify(message: NotificationMessage): Promise<void> {
    if (this.closed) throw closedError();
    await this.#transport.send(encodeNotification(message));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.#end(closedError());
    await this.#transport.close();
  }

  #exchangeOnce(
    request: RawRequest,
    options: RawRequestOptions,
    headers: Readonly<Record<string, string>> | undefined,
  ): Promise<RawAnswer> {
    if (this.closed) return Promise.reject(closedError());
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(cancelledError());
    if (this.#pending.has(request.id)) return Promise.reject(idInUse());
    const isCall = !NO_CALLS.has(request.method);
    const onAbort = () => this.#cancel(pending, cancelledError());
    const pending = new PendingRequest(request, options, {
      onDeadline: (error) => this.#cancel(pending, error),
      onSettled: () => {
        this.#pending.delete(pending.id);
        if (pending.progressToken !== undefined) this.#byToken.delete(pending.progressToken);
        signal?.removeEventListener('abort', onAbort);
        this.#use(request.method);
        if (isCall) this.#endCall();
      },
    });
    if (isCall) this.#beginCall();
    this.#pending.set(pending.id, pending);
    if (pending.progressToken !== undefined) this.#byToken.set(pending.progressToken, pending);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#send(request, pending, headers);
    return pending.answer;
  }

  #send(request: RawRequest, pending: PendingRequest, headers: Readonly<Record<string, string>> | undefined): void {
    this.#transport
      .send(request.bytes, {
        beginsSession: request.method === 'initialize',
        ...(headers === undefined ? {} : { headers }),
        signal: pending.exchange,
        answerBytesMax: pending.options.answerBytesMax ?? LIMITS.messageBytesMax,
        whileWaiting: (work) => pending.whileWaiting(work),
        onMessage: (bytes, isLast) => this.#receive(bytes, pending, isLast),
        answered: () => pending.settled,
      })
      .then(
        () => {
          if (!this.#transport.answersOnOwnStream) return;
          pending.finish();
          // Creates the error only if it is needed, because a stack trace is expensive.
          if (!pending.settled) pending.reject(unanswered());
        },
        (thrown: unknown) => {
          const error = toUpstreamError(thrown);
          pending.finish();
          pending.reject(error);
          if (error.kind === 'refused' || error.kind === 'lost' || error.kind === 'auth') this.#hooks.onTrouble(error);
        },
      );
  }

  #beginCall(): void {
    this.#calls += 1;
    this.#hasCalled = true;
    this.#nextCall?.resolve();
    this.#nextCall = undefined;
  }

  #endCall(): void {
    this.#calls -= 1;
    if (this.#calls === 0) this.#hooks.onIdle?.();
  }

  /** Before revision 2026-07-28, a question over stdio does not name its call; over HTTP it arrives on the stream of the call. */
  #mayAskLater({ method, hasAsked }: PendingRequest): boolean {
    return hasAsked || (!NO_CALLS.has(method) && this.#transport.kind === 'stdio' && this.#hooks.era() !== '2026');
  }

  #cancel(pending: PendingRequest, error: UpstreamError): void {
    if (pending.settled) return;
    if (this.#mayAskLater(pending) && this.#abandoned.size < LIMITS.abandonedCallsMax) this.#abandoned.add(pending.id);
    pending.reject(error.kind === 'timed_out' ? withNoise(error, this.#transport.noise) : error);
    pending.exchange.abort();
    const byStream = this.#hooks.era() === '2026' && this.#transport.kind === 'http';
    const handshake = pending.method === 'initialize' || pending.method === 'server/discover';
    if (byStream || handshake || this.closed) return;
    const reason = error.kind === 'timed_out' ? 'timed out' : 'cancelled';
    this.notify({ method: 'notifications/cancelled', params: { requestId: pending.id, reason } }).catch(() => {
      // Best effort: the caller no longer waits for the answer.
    });
  }

  /** Returns false for an answer that does not belong to the request on whose stream it arrived. */
  #receive(bytes: Uint8Array, origin: PendingRequest | undefined, isLast = false): boolean {
    if (this.#isLeavingLogsOut && beginsAsLogMessage(bytes) && (this.#isFlooded() || this.#leavesLogsOut(origin)))
      return true;
    const message = readServerMessage(bytes);
    if (message === undefined) return this.#receiveOther(bytes, origin);
    const { envelope } = message;
    if (envelope.kind === 'notification') this.#receiveNotification(message.bytes, envelope, origin);
    else if (envelope.kind === 'request') this.#receiveQuestion(message.bytes, envelope, origin);
    else return this.#receiveAnswer(message, origin, isLast);
    return true;
  }

  /** Servers of revision 2025-03-26 may send batches; anything else is not a message. */
  #receiveOther(bytes: Uint8Array, origin: PendingRequest | undefined): boolean {
    const batch = splitBatch(bytes, LIMITS.batchMessagesMax);
    if (batch !== undefined) return batch.map((message) => this.#receive(message, origin)).every(Boolean);
    if (this.#isFlooded()) return false;
    const deep = scanEnvelope(bytes);
    if (deep !== undefined) this.#refuseDeep(bytes, deep, origin);
    else origin?.reject(new UpstreamError('bad_answer', 'the server sent something that is no JSON-RPC message'));
    return false;
  }

  /** Parsers of clients may fail on such an answer; a notification is dropped. */
  #refuseDeep(bytes: Uint8Array, deep: Envelope, origin: PendingRequest | undefined): void {
    const id = readId(bytes, deep);
    if (deep.kind === 'request') this.#reply(encodeError(writtenId(bytes, deep), RPC.invalidRequest, TOO_DEEP));
    else if (deep.kind !== 'notification')
      (origin ?? this.#pending.get(id ?? ''))?.reject(new UpstreamError('bad_answer', TOO_DEEP));
  }

  #receiveAnswer(answer: RawAnswer, origin: PendingRequest | undefined, isLast: boolean): boolean {
    const { bytes, envelope } = answer;
    const id = readId(bytes, envelope);
    // An error without an id can only belong to the request on whose stream it arrived.
    const pending = id === undefined && envelope.kind === 'error' ? origin : this.#pending.get(id ?? '');
    // Drops answers with late, unknown or foreign ids.
    if (pending === undefined || pending.settled || (origin !== undefined && pending !== origin)) {
      if (id !== undefined) this.#abandoned.delete(id);
      this.#isFlooded();
      return false;
    }
    const { answerBytesMax } = pending.options;
    if (answerBytesMax !== undefined && bytes.length > answerBytesMax) {
      pending.reject(tooLarge(answerBytesMax));
    } else pending.resolve(answer);
    if (this.#transport.answersOnOwnStream && !isLast) pending.leaveStreamAfter(LIMITS.streamLingerMs);
    return true;
  }

  /** An oversized answer fails its own request only; the connection and the other requests continue. */
  #receiveOversized(head: Uint8Array, tail: Uint8Array): boolean {
    const pending = this.#pending.get(guessId(head, tail) ?? '');
    pending?.reject(tooLarge(LIMITS.messageBytesMax));
    return pending !== undefined;
  }

  #receiveNotification(bytes: Uint8Array, envelope: Envelope, origin: PendingRequest | undefined): void {
    const method = readMethod(bytes, envelope);
    if (method === undefined || this.#isFlooded()) return;
    if (method === LOG_MESSAGE && this.#leavesLogsOut(origin)) return;
    const params = decodeParams(bytes, envelope);
    const prolonged =
      method === 'notifications/progress' ? this.#byToken.get(params?.progressToken as MessageId) : undefined;
    if (prolonged !== undefined) {
      prolonged.touch();
      prolonged.options.onProgress?.(bytes);
      return;
    }
    if (method === 'notifications/cancelled') this.#questions.get(params?.requestId as MessageId)?.abort();
    // Malformed parameters are left out of the notification, so the original bytes must not be forwarded.
    const isWhole = params !== undefined || envelope.params === undefined;
    this.#pass(params === undefined ? { method } : { method, params }, isWhole ? bytes : undefined, origin);
  }

  #pass(notification: NotificationMessage, bytes: Uint8Array | undefined, origin: PendingRequest | undefined): void {
    const taker = ABOUT_CALLS.has(notification.method) ? (origin ?? this.#logTaker(notification)) : undefined;
    if (taker?.options.onNotification === undefined || taker.settled) this.#hooks.onNotification(notification);
    else taker.options.onNotification(notification, bytes ?? encodeNotification(notification));
  }

  /** The call that a log line without a stream belongs to: the only call, if it runs on a connection of its own. */
  #logTaker({ method }: NotificationMessage): PendingRequest | undefined {
    if (method !== LOG_MESSAGE || this.#calls !== 1) return undefined;
    return this.#pending.values().find(({ options }) => options.scope === 'own');
  }

  /** Drops log lines above `noisyMessagesMax`, because forwarding them slows down everything else. One line tells the client. */
  #leavesLogsOut(origin: PendingRequest | undefined): boolean {
    const isFirst = !this.#isLeavingLogsOut;
    this.#isLeavingLogsOut = this.#unasked.holdsMoreThan(LIMITS.noisyMessagesMax);
    if (this.#isLeavingLogsOut && isFirst) this.#pass(LOGS_LEFT_OUT, undefined, origin);
    return this.#isLeavingLogsOut;
  }

  #receiveQuestion(bytes: Uint8Array, envelope: Envelope, origin: PendingRequest | undefined): void {
    const id = readId(bytes, envelope);
    const method = readMethod(bytes, envelope);
    if (id === undefined || method === undefined || this.#isFlooded()) return;
    const written = writtenId(bytes, envelope);
    if (method === 'ping') {
      this.#reply(encodeResult(written, {}));
    } else if (this.#questions.size >= LIMITS.questionsMax || this.#questions.has(id)) {
      this.#reply(encodeError(written, RPC.internalError, 'Too many questions at once'));
    } else {
      const params = decodeParams(bytes, envelope);
      this.#ask(params === undefined ? { id, method } : { id, method, params }, written, origin);
    }
  }

  #ask(question: IncomingRequest, written: string, origin: PendingRequest | undefined): void {
    const asked = new AbortController();
    const { id } = question;
    this.#questions.set(id, asked);
    const withdraw = () => asked.abort();
    // The call has ended: the server no longer needs the answer to its question.
    origin?.answer.then(withdraw, withdraw);
    this.#answer(question, origin, asked.signal)
      .then((reply) =>
        reply.kind === 'result' ? encodeResult(written, reply.result) : encodeError(written, reply.code, reply.message),
      )
      // The reply may be nested too deeply to serialize.
      .catch(() => encodeError(written, RPC.internalError, UNANSWERED))
      .then((bytes) => {
        if (this.#questions.get(id) === asked) this.#questions.delete(id);
        if (!asked.signal.aborted) this.#reply(bytes);
      })
      .catch(() => {
        // A failing question must not end the process.
      });
  }

  #answer(question: IncomingRequest, origin: PendingRequest | undefined, signal: AbortSignal): Promise<Reply> {
    const running =
      origin === undefined ? this.#pending.values().filter(({ options }) => options.scope !== 'shared') : [origin];
    const handler = running.findLast(({ options }) => options.onServerRequest)?.options.onServerRequest;
    for (const pending of running) pending.hasAsked = true;
    const ask = () =>
      handler === undefined ? this.#askOutside(question, signal) : askHandler(() => handler(question, signal));
    // Any running request may be waiting for the answer: pause the deadlines of all of them.
    return running.reduce<() => Promise<Reply>>((work, pending) => () => pending.whileWaiting(work), ask)();
  }

  /** Some servers ask for roots as soon as they start, which may be before the first call: such a question waits for that call. */
  async #askOutside(question: IncomingRequest, signal: AbortSignal): Promise<Reply> {
    if (this.#hasCalled && this.#calls === 0) this.#hasAskedLate = true;
    if (this.#hooks.isForCall?.(question) !== true) return this.#hooks.onQuestion(question, signal);
    this.#nextCall ??= Promise.withResolvers();
    await Promise.race([this.#nextCall.promise, once(signal, 'abort')]);
    return signal.aborted
      ? { kind: 'error', code: RPC.internalError, message: UNANSWERED }
      : this.#answer(question, undefined, signal);
  }

  #reply(bytes: Uint8Array): void {
    if (this.closed) return;
    this.#transport.send(bytes).catch(() => {
      // The server is gone; its connection reports that.
    });
  }

  /** Opens one new session for all requests that found the old one lost; if that fails, closes the connection. */
  renew(lost: string | undefined): Promise<void> {
    if (this.#renewing === undefined) this.#withdrawQuestions();
    this.#renewing ??= (this.renewSession ?? (async () => {}))(lost)
      .catch((thrown: unknown) => {
        this.#giveUp(toUpstreamError(thrown));
        throw thrown;
      })
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  #use(method: string): void {
    if (!HOUSEKEEPING.has(method)) this.lastUsedAt = performance.now();
  }

  /** Counts an unsolicited message; disconnects a server that sends too many. */
  #isFlooded(): boolean {
    if (this.closed) return true;
    if (!this.#unasked.isFlooded()) return false;
    this.#giveUp(
      new UpstreamError('bad_answer', 'the server floods the connection with messages that nobody asked for'),
    );
    return true;
  }

  #giveUp(error: UpstreamError): void {
    if (this.closed) return;
    this.#lose(error);
    this.#transport.close().catch(() => {});
  }

  #lose(error: UpstreamError): void {
    if (this.closed) return;
    this.closed = true;
    this.#end(error);
    this.#hooks.onClose(error);
  }

  #end(error: UpstreamError): void {
    for (const pending of this.#pending.values()) {
      pending.reject(error);
      pending.exchange.abort();
    }
    this.#withdrawQuestions();
  }

  /** The server has lost its questions with the session, and may reuse their ids in the next one. */
  #withdrawQuestions(): void {
    for (const asked of this.#questions.values()) asked.abort();
    this.#questions.clear();
  }
}

/** Converts any thrown value to an `UpstreamError`. */
export function toUpstreamError(thrown: unknown): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError') return cancelledError();
  return new UpstreamError('lost', 'the connection failed', { cause: thrown });
}

async function askHandler(handler: () => Promise<JsonObject>): Promise<Reply> {
  try {
    return { kind: 'result', result: await handler() };
  } catch (thrown) {
    const { code, message } = rpcOf(thrown) ?? { code: RPC.internalError, message: UNANSWERED };
    return { kind: 'error', code, message };
  }
}

/** The JSON-RPC error to answer with, if the thrown error has a numeric code. */
function rpcOf(thrown: unknown): { readonly code: number; readonly message: string } | undefined {
  if (thrown instanceof UpstreamError) return thrown.rpc;
  const { code } = (thrown ?? {}) as { code?: unknown };
  return thrown instanceof Error && Number.isInteger(code)
    ? { code: code as number, message: thrown.message }
    : undefined;
}

export function cancelledError(): UpstreamError {
  return new UpstreamError('cancelled', 'the request was cancelled');
}
