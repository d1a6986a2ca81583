import { randomFillSync } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortSignalOf } from '../../contract/cancellation.ts';
import { isObject, type JsonObject, type NotificationMessage, type RequestMessage } from '../../contract/json.ts';
import { decodeAnswer, decodeParams, encodeRequest, type RpcError, scanEnvelope } from '../../wire/messages.ts';
import { mirroredName, modernHeaders, paramHeaders } from '../../wire/param-headers.ts';
import { META, RPC } from '../../wire/revisions.ts';
import {
  type ContinuedSession,
  type Era,
  type Implementation,
  type Progress,
  type RawAnswer,
  type RawRequest,
  type RawRequestOptions,
  type RequestOptions,
  type Subscription,
  type SubscriptionFilter,
  type TransportKind,
  type Upstream,
  UpstreamError,
} from '../../wire/upstream.ts';
import { StreamableHttpTransport } from '../transports/streamable-http.ts';
import type { Transport } from '../transports/transport.ts';
import { afterPages } from './catalogue/page-first.ts';
import { answerQuestion, declaredCapabilities } from './exchange/answer-question.ts';
import { Exchanges } from './exchange/exchanges.ts';
import { runInputRounds } from './exchange/input-rounds.ts';
import { openSubscription } from './exchange/subscription.ts';
import { ToolHeaders } from './exchange/tool-headers.ts';
import { CONNECTION_LIMITS as LIMITS } from './limits.ts';
import type { ClientIdentity } from './ports.ts';

export interface ConnectionOptions {
  readonly serverId: string;
  readonly client: ClientIdentity;
  readonly transport: Transport;
  /** Default timeouts of requests that set none. */
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** The result of the handshake. */
export interface Agreement {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

/** Methods that may take long: each sends a progress token, so that progress can extend its deadline. */
const LONG_METHODS = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete']);
/** Methods that a 2026 server may answer with `input_required`. */
const INPUT_METHODS = new Set(['tools/call', 'resources/read', 'prompts/get']);

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** An `Upstream` over any transport. */
export class Connection extends EventEmitter implements Upstream {
  readonly exchanges: Exchanges;
  readonly #options: ConnectionOptions;
  readonly #capabilities: JsonObject;
  readonly #toolHeaders = new ToolHeaders();
  #agreement: Agreement | undefined;
  #sessionBound = false;

  constructor(options: ConnectionOptions) {
    super();
    // Every running call may add a listener for the end of the connection.
    this.setMaxListeners(0);
    this.#options = options;
    this.#capabilities = declaredCapabilities(options.client);
    this.exchanges = new Exchanges(options.transport, {
      era: () => this.era,
      // The host opens the subscriptions, so clients need no acknowledgement of them.
      onNotification: (notification) => {
        if (notification.method !== ACKNOWLEDGED) this.emit('notification', notification);
      },
      // A gateway has no roots of its own: it asks the client during one of the client's calls.
      isForCall: ({ method }) =>
        method === 'roots/list' &&
        this.#capabilities.roots !== undefined &&
        options.client.callbacks.roots === undefined,
      onQuestion: (question, signal) => answerQuestion(options.client.callbacks, options.serverId, question, signal),
      onClose: (error) => {
        this.emit('close', error);
        this.emit('end');
      },
      onIdle: () => this.emit('idle'),
      onTrouble: (error) => this.emit('trouble', error),
    });
  }

  get transport(): TransportKind {
    return this.#options.transport.kind;
  }
  get era(): Era {
    return this.#agreement?.era ?? '2025';
  }
  get protocolVersion(): string {
    return this.#agreement?.protocolVersion ?? '';
  }
  get serverInfo(): Implementation | undefined {
    return this.#agreement?.serverInfo;
  }
  get capabilities(): JsonObject {
    return this.#agreement?.capabilities ?? {};
  }
  get instructions(): string | undefined {
    return this.#agreement?.instructions;
  }
  get sessionBound(): boolean {
    return this.#sessionBound;
  }
  get session(): ContinuedSession | undefined {
    const { transport } = this.#options;
    const id = transport instanceof StreamableHttpTransport ? transport.sessionId : undefined;
    const { protocolVersion, serverInfo, capabilities, instructions } = this;
    return id === undefined ? undefined : { id, protocolVersion, serverInfo, capabilities, instructions };
  }
  get busy(): boolean {
    return this.exchanges.busy;
  }
  get isCalling(): boolean {
    return this.exchanges.isCalling;
  }
  get hasAbandonedCalls(): boolean {
    return this.exchanges.hasAbandonedCalls;
  }
  get closed(): boolean {
    return this.exchanges.closed;
  }

  /** Stores the result of the handshake. */
  agree(agreement: Agreement): void {
    this.#agreement = agreement;
    const { transport } = this.#options;
    // Stays true while a lost session is being replaced.
    if (transport instanceof StreamableHttpTransport && transport.sessionId !== undefined) this.#sessionBound = true;
  }

  keepSession(isKept: boolean): void {
    const { transport } = this.#options;
    if (transport instanceof StreamableHttpTransport) transport.keepsSession = isKept;
  }

  nextId(): number {
    let id = randomId();
    while (this.exchanges.isPending(id)) id = randomId();
    return id;
  }

  async request(message: RequestMessage, options: RequestOptions = {}): Promise<JsonObject> {
    const result = await this.#requestAllowed(message, options);
    if (this.era !== '2026' || options.answerInput === false || !INPUT_METHODS.has(message.method)) return result;
    return runInputRounds(result, {
      signal: options.signal,
      ask: (question) => this.#answerInput(question, options),
      repeat: (further) => this.#requestLearning({ ...message, params: { ...message.params, ...further } }, options),
    });
  }

  /** If the client can show pages, a call that is refused until a person visits one is repeated after the visit. */
  #requestAllowed(message: RequestMessage, options: RequestOptions): Promise<JsonObject> {
    const send = () => this.#requestLearning(message, options);
    const showsPages = this.#options.client.callbacks.elicitation?.url !== undefined && options.answerInput !== false;
    if (this.era !== '2025' || !showsPages) return send();
    const ask = (question: RequestMessage) => this.#answerInput(question, options);
    return afterPages(send, { upstream: this, signal: options.signal, ask });
  }

  requestRaw(request: RawRequest, options: RawRequestOptions = {}): Promise<RawAnswer> {
    const modern = this.#agreement?.era === '2026' && this.#options.transport.kind === 'http';
    const headers = modern ? { ...modernHeaders(request.method, request.name), ...request.paramHeaders } : undefined;
    const { timeoutMs, maxTimeoutMs } = this.#options;
    return this.exchanges.exchange(request, { timeoutMs, maxTimeoutMs, ...options }, headers);
  }

  notify(message: NotificationMessage): Promise<void> {
    return this.exchanges.notify(message);
  }

  listen(filter: SubscriptionFilter): Subscription {
    return openSubscription(this, filter);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    await this.exchanges.close();
    this.emit('end');
  }

  async closeWhenIdle(graceMs: number, hurry?: AbortSignal): Promise<void> {
    const deadline = performance.now() + graceMs;
    while (!this.closed && this.exchanges.busy && hurry?.aborted !== true && performance.now() < deadline)
      await sleep(LIMITS.idleCheckMinMs);
    await this.close();
  }

  /** The `_meta` of a 2026 request. */
  modernMeta(version: string): JsonObject {
    return {
      [META.protocolVersion]: version,
      [META.clientCapabilities]: this.#capabilities,
      [META.clientInfo]: this.#options.client.info,
    };
  }

  /** If the server reports a header mismatch, the annotations are outdated: lists the tools again and retries once. */
  async #requestLearning(message: RequestMessage, options: RequestOptions): Promise<JsonObject> {
    try {
      return await this.#requestOnce(message, options);
    } catch (thrown) {
      const mismatch = thrown instanceof UpstreamError && thrown.rpc?.code === RPC.headerMismatch;
      if (!mismatch || message.method !== 'tools/call' || this.transport !== 'http') throw thrown;
      await this.#relearnTools(options);
      const { inputSchema: _outdated, ...rest } = options;
      return this.#requestOnce(message, rest);
    }
  }

  async #requestOnce(message: RequestMessage, options: RequestOptions): Promise<JsonObject> {
    const { onProgress, inputSchema, meta, answerInput: _answerInput, ...common } = options;
    const { method } = message;
    const id = this.nextId();
    const token = LONG_METHODS.has(method) || onProgress !== undefined ? id : undefined;
    const params = this.#completeParams(message.params, meta, token);
    const name = mirroredName(method, params);
    const answer = await this.requestRaw(
      {
        bytes: encodeRequest(id, params === undefined ? { method } : { method, params }),
        id,
        method,
        ...(name === undefined ? {} : { name }),
        ...(token === undefined ? {} : { progressToken: token }),
        paramHeaders: this.#paramHeaders(method, params, inputSchema),
      },
      onProgress === undefined ? common : { ...common, onProgress: (bytes) => reportProgress(bytes, onProgress) },
    );
    const decoded = decodeAnswer(answer.bytes, answer.envelope);
    if (decoded.kind === 'malformed') throw new UpstreamError('bad_answer', `the answer to ${method} is malformed`);
    if (decoded.kind === 'error') throw rpcFailure(decoded.error);
    if (method === 'tools/list' && this.era === '2026') this.#toolHeaders.learn(decoded.result.tools);
    return decoded.result;
  }

  #completeParams(
    params: JsonObject | undefined,
    further: JsonObject | undefined,
    token: number | undefined,
  ): JsonObject | undefined {
    const given = isObject(params?._meta) ? params._meta : undefined;
    const modern = this.#agreement?.era === '2026' ? this.modernMeta(this.protocolVersion) : undefined;
    const meta = { ...given, ...further, ...(token === undefined ? {} : { progressToken: token }), ...modern };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  #paramHeaders(method: string, params: JsonObject | undefined, inputSchema: unknown): Record<string, string> {
    if (this.era !== '2026' || method !== 'tools/call' || typeof params?.name !== 'string') return {};
    const declarations = this.#toolHeaders.of(params.name, inputSchema);
    return paramHeaders(declarations, isObject(params.arguments) ? params.arguments : undefined);
  }

  async #relearnTools({ signal }: RequestOptions): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; page < LIMITS.listPagesMax; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#requestOnce({ method: 'tools/list', params }, signal === undefined ? {} : { signal });
      if (typeof result.nextCursor !== 'string' || result.nextCursor === cursor) return;
      cursor = result.nextCursor;
    }
  }

  async #answerInput(question: RequestMessage, options: RequestOptions): Promise<JsonObject> {
    const signal = options.signal ? abortSignalOf(options.signal) : new AbortController().signal;
    if (options.onServerRequest !== undefined) {
      return options.onServerRequest({ id: this.nextId(), ...question }, signal);
    }
    const { client, serverId } = this.#options;
    const reply = await answerQuestion(client.callbacks, serverId, question, signal);
    if (reply.kind === 'result') return reply.result;
    throw new UpstreamError('bad_answer', `the server asks for ${question.method}, which nobody here can answer`, {
      rpc: { code: RPC.missingClientCapability, message: reply.message },
    });
  }
}

function rpcFailure(error: RpcError): UpstreamError {
  return new UpstreamError('rpc', error.message || `the server answered with error ${error.code}`, { rpc: error });
}

function reportProgress(bytes: Uint8Array, onProgress: (progress: Progress) => void): void {
  const envelope = scanEnvelope(bytes);
  const params = envelope && decodeParams(bytes, envelope);
  if (typeof params?.progress !== 'number') return;
  onProgress({
    progress: params.progress,
    ...(typeof params.total === 'number' ? { total: params.total } : {}),
    ...(typeof params.message === 'string' ? { message: params.message } : {}),
  });
}

const ID_BYTES = 6;
const drawn = Buffer.alloc(ID_BYTES * 1_024);
let used = drawn.length;

/**
 * A request id: 48 random bits as a number, so that a server cannot answer a request before it is sent, and processes that share a
 * session do not use the same ids. Draws random bytes in bulk, because each draw is a system call.
 */
export function randomId(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const id = drawn.readUIntBE(used, ID_BYTES);
  used += ID_BYTES;
  return id;
}
