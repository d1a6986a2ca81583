import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { isObject, type MessageId } from '../contract/json.ts';
import { CONNECTION_LIMITS } from '../host/connection/limits.ts';
import { HttpPool } from '../host/transports/http-pool.ts';
import { HttpSender } from '../host/transports/http-sender.ts';
import { SessionLost, StreamableHttpTransport } from '../host/transports/streamable-http.ts';
import type { Exchange } from '../host/transports/transport.ts';
import { CLIENT_HEADER, INPUT_ENDED } from '../proxy/http/edge-exchange.ts';
import { errorBytes, idText, RpcFailure } from '../proxy/message/answers.ts';
import type { ClientMessage, ClientRequest } from '../proxy/message/client.ts';
import { readClientMessage } from '../proxy/message/client-message.ts';
import { claimedVersion } from '../proxy/message/declared-client.ts';
import { LineOutput, type LineReceiver, readClientLines } from '../proxy/stdio/client-lines.ts';
import { UP_LIMITS } from '../runtime/limits.ts';
import { encodeNotification, readErrorBody, readId, scanEnvelope } from '../wire/messages.ts';
import { encodeHeaderValue, mirroredName, modernHeaders } from '../wire/param-headers.ts';
import { isModernVersion, META, RPC } from '../wire/revisions.ts';

export interface StdioBridgeOptions {
  /** The `/mcp` address of a running gateway. */
  readonly url: URL;
  /** The credential for the gateway. */
  readonly authorization: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
  /** Aborted when running calls have to be cancelled. */
  readonly ended?: AbortSignal;
}

/** Forwards one client's messages between its streams and a running gateway. Resolves when its input ends and every request is answered. */
export async function bridgeStdio(options: StdioBridgeOptions): Promise<void> {
  const pool = new HttpPool();
  const { authorization } = options;
  const sender = new HttpSender({
    dispatcher: pool.entry(options),
    headers: { ...(authorization === undefined ? {} : { authorization }), [CLIENT_HEADER]: randomUUID() },
    authorizer: undefined,
    redact: (text) => text,
  });
  const bridge = new StdioBridge(new StreamableHttpTransport(options.url, sender), new LineOutput(options));
  options.ended?.addEventListener('abort', () => bridge.leaveAll(), { once: true });
  try {
    await readClientLines(options.input, bridge);
  } finally {
    await bridge.finish();
    await pool.destroy();
  }
}

interface Running {
  readonly request: ClientRequest;
  readonly ending: AbortController;
  isCancelled: boolean;
}

class StdioBridge implements LineReceiver {
  readonly #transport: StreamableHttpTransport;
  readonly #output: LineOutput;
  readonly #running = new Map<MessageId, Running>();
  readonly #work = new Set<Promise<void>>();
  #hello: ClientRequest | undefined;
  /** The current session, or the one that is being opened; messages of a 2025 client wait for it. */
  #session: Promise<void> = Promise.resolve();

  constructor(transport: StreamableHttpTransport, output: LineOutput) {
    this.#transport = transport;
    this.#output = output;
    transport.onMessage = (bytes) => this.#write(bytes);
  }

  receive(line: Uint8Array): void {
    if (line.every((byte) => byte <= 0x20)) return;
    try {
      // Copy the line: its buffer is reused.
      this.#take(readClientMessage(Buffer.from(line)), Buffer.from(line));
    } catch (thrown) {
      if (!(thrown instanceof RpcFailure)) throw thrown;
      this.#write(errorBytes(thrown.id ?? 'null', thrown.code, thrown.message));
    }
  }

  refuseLine(): void {
    this.#write(errorBytes('null', RPC.parseError, 'Parse error: the line is too long'));
  }

  leaveAll(): void {
    for (const id of this.#running.keys()) this.#leave(id);
  }

  async finish(): Promise<void> {
    // Do not wait for calls that wait for a person: a client that closes its input leaves.
    const running = [...this.#running.values()];
    if (this.#hello && running.length > 0) await this.#tell(encodeNotification({ method: INPUT_ENDED }));
    const modern = running.map(({ request }) => request).find(isModern);
    if (modern) {
      const _meta = { [META.protocolVersion]: claimedVersion(modern.params) };
      await this.#tell(encodeNotification({ method: INPUT_ENDED, params: { _meta } }));
    }
    // A subscription ends with its client; calls are still answered.
    for (const { request } of this.#running.values()) {
      if (request.method === 'subscriptions/listen') this.#leave(request.id);
    }
    await Promise.allSettled(this.#work);
    await this.#transport.close();
  }

  #take(message: ClientMessage, bytes: Uint8Array): void {
    if (message.kind === 'request') this.#track(this.#request(message));
    else if (message.kind === 'notification' && message.method === 'notifications/cancelled')
      this.#cancel(message.params?.requestId, bytes);
    else this.#track(this.#tell(bytes));
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch(() => {}).finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  async #request(request: ClientRequest): Promise<void> {
    const running = { request, ending: new AbortController(), isCancelled: false };
    const { ending } = running;
    this.#running.set(request.id, running);
    try {
      if (isModern(request)) await this.#sendModern(request, ending.signal);
      else if (request.method === 'initialize') await this.#initialize(request, ending.signal);
      else await this.#sendLegacy(request, ending.signal);
    } catch (thrown) {
      // A cancelled request gets no answer.
      if (!running.isCancelled) this.#write(errorBytes(idText(request), RPC.internalError, failureText(thrown)));
    } finally {
      this.#running.delete(request.id);
    }
  }

  async #initialize(request: ClientRequest, signal: AbortSignal): Promise<void> {
    this.#hello = request;
    await this.#open(this.#begin(request, signal, (bytes) => this.#write(bytes)));
  }

  /** Only the request that opens a session gets the failure; the next request tries again. */
  #open(opened: Promise<void>): Promise<void> {
    this.#session = opened.catch(() => {});
    return opened;
  }

  /** Opens a session, and a stream for the gateway's own notifications. */
  async #begin(request: ClientRequest, signal: AbortSignal, onAnswer: (bytes: Uint8Array) => void): Promise<void> {
    let answer: Uint8Array | undefined;
    const keep = (bytes: Uint8Array) => {
      answer = bytes;
    };
    await this.#transport.send(request.bytes, { ...exchangeOf(request, signal, keep), beginsSession: true });
    const version = versionOf(answer);
    this.#transport.protocolVersion = version;
    // Open the stream before the client gets its answer, so that it misses nothing.
    if (version !== undefined) await this.#transport.openServerStream();
    if (answer) onAnswer(answer);
  }

  async #sendLegacy(request: ClientRequest, signal: AbortSignal): Promise<void> {
    const session = this.#session;
    await session;
    const send = () =>
      this.#transport.send(
        request.bytes,
        exchangeOf(request, signal, (bytes) => this.#write(bytes)),
      );
    try {
      await send();
    } catch (thrown) {
      if (!(thrown instanceof SessionLost) || !this.#hello) throw thrown;
      // If several requests find the session lost, only the first opens another.
      if (this.#session === session) await this.#open(this.#reopen(this.#hello));
      else await this.#session;
      await send();
    }
  }

  /** Replaces a lost session, for example one that expired after a day, without involving the client. */
  async #reopen(hello: ClientRequest): Promise<void> {
    const { sessionId } = this.#transport;
    await this.#begin(hello, AbortSignal.timeout(CONNECTION_LIMITS.requestTimeoutMs), () => {});
    if (this.#transport.protocolVersion === undefined) {
      // Keep the lost session id, so that the next request fails the same way and retries.
      this.#transport.sessionId = sessionId;
      throw new Error('it opens no session');
    }
    await this.#transport.send(encodeNotification({ method: 'notifications/initialized' }));
  }

  async #sendModern(request: ClientRequest, signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> = {
      'mcp-protocol-version': String(claimedVersion(request.params)),
      ...modernHeaders(request.method, mirroredName(request.method, request.params)),
    };
    for (let added = 0; ; added += 1) {
      let missing: Mismatch | undefined;
      const onMessage = (bytes: Uint8Array) => {
        missing = added < UP_LIMITS.mirroredHeadersMax ? mismatchIn(bytes) : undefined;
        if (!missing) this.#write(bytes);
      };
      await this.#transport.send(request.bytes, { ...exchangeOf(request, signal, onMessage), headers });
      if (!missing) return;
      headers[missing.header.toLowerCase()] = encodeHeaderValue(missing.body);
    }
  }

  /** Sends a notification or a response, which has no answer. */
  async #tell(bytes: Uint8Array): Promise<void> {
    await this.#session;
    await this.#transport.send(bytes).catch(() => {
      // The sender expects no answer; the next request shows that the gateway is gone.
    });
  }

  /** Cancels a 2026 request by closing its stream, a 2025 request by a notification. */
  #cancel(id: unknown, bytes: Uint8Array): void {
    const running = this.#running.get(id as MessageId);
    if (running) running.isCancelled = true;
    if (running && isModern(running.request)) this.#leave(running.request.id);
    else this.#track(this.#tell(bytes));
  }

  #leave(id: MessageId): void {
    const running = this.#running.get(id);
    if (!running) return;
    running.isCancelled = true;
    running.ending.abort();
  }

  #write(message: Uint8Array): void {
    this.#output.write(message);
  }
}

function exchangeOf(request: ClientRequest, signal: AbortSignal, onMessage: (bytes: Uint8Array) => void): Exchange {
  let answered = false;
  return {
    signal,
    answerBytesMax: CONNECTION_LIMITS.messageBytesMax,
    whileWaiting: (work) => work(),
    onMessage: (bytes) => {
      const envelope = scanEnvelope(bytes);
      const isAnswer = envelope?.kind === 'result' || envelope?.kind === 'error';
      const id = isAnswer ? readId(bytes, envelope) : undefined;
      if (id !== undefined && id !== request.id) return false;
      answered ||= isAnswer;
      // A refusal before the request was read has no id; without one the client would wait forever.
      const nameless = isAnswer && id === undefined ? readErrorBody(bytes) : undefined;
      onMessage(nameless ? errorBytes(idText(request), nameless.code, nameless.message, nameless.data) : bytes);
      return true;
    },
    answered: () => answered,
  };
}

function isModern({ params }: ClientRequest): boolean {
  const version = claimedVersion(params);
  return typeof version === 'string' && isModernVersion(version);
}

interface Mismatch {
  readonly header: string;
  readonly body: string;
}

/** The missing header, if that is why the gateway refused. */
function mismatchIn(bytes: Uint8Array): Mismatch | undefined {
  const error = readErrorBody(bytes);
  if (error?.code !== RPC.headerMismatch || !isObject(error.data) || !isObject(error.data.mismatch)) return undefined;
  const { header, body } = error.data.mismatch;
  return typeof header === 'string' && typeof body === 'string' ? { header, body } : undefined;
}

function versionOf(answer: Uint8Array | undefined): string | undefined {
  const parsed: unknown = answer && JSON.parse(Buffer.from(answer).toString('utf8'));
  const result = isObject(parsed) && isObject(parsed.result) ? parsed.result : {};
  return typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined;
}

function failureText(thrown: unknown): string {
  const why = thrown instanceof Error ? thrown.message : 'it does not answer';
  return `The running gateway did not answer: ${why}. Start \`bindery up\` again, or restart this client.`;
}
