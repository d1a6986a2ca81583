import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import {
  beginEraDetection,
  type EraEvent,
  type EraState,
  type RememberedEra,
  stepEraDetection,
} from '../../../wire/era-detection.ts';
import { LEGACY_VERSIONS, META } from '../../../wire/revisions.ts';
import {
  type ContinuedSession,
  type Era,
  type Implementation,
  type KeptSession,
  type TransportKind,
  UpstreamError,
} from '../../../wire/upstream.ts';
import { StreamableHttpTransport } from '../../transports/streamable-http.ts';
import type { Transport } from '../../transports/transport.ts';
import { Connection, type ConnectionOptions } from '../connection.ts';
import { declaredCapabilities } from '../exchange/answer-question.ts';
import { cancelledError, toUpstreamError } from '../exchange/exchanges.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

export interface HandshakeOptions extends Omit<ConnectionOptions, 'transport'> {
  readonly openTransport: (kind: TransportKind) => Transport;
  readonly kind: TransportKind;
  readonly remembered: RememberedEra;
  /** A session that other processes share; if one of them has initialized it, there is no handshake. */
  readonly kept?: KeptSession | undefined;
  /** Timeout of each handshake request; undefined: only `signal` ends the wait. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** Aborts the attempt: at the start-up deadline, or when the caller no longer wants it. */
  readonly signal: AbortSignal;
  /** Called when the transport is open, before the first request to the server. */
  readonly onOpened?: (() => void) | undefined;
}

/** Opens a connection, detects the server's revision, and completes the handshake. */
export async function performHandshake(options: HandshakeOptions): Promise<Connection> {
  const attempt = new Attempt(options);
  try {
    return await attempt.run();
  } catch (thrown) {
    await attempt.connection?.close().catch(() => {});
    throw thrown;
  }
}

class Attempt {
  connection: Connection | undefined;
  readonly #options: HandshakeOptions;
  #transport: Transport | undefined;
  /** The server's own error; it explains more than our conclusion from it. */
  #refusal: UpstreamError | undefined;
  /** The timeout of the last request, if it had one. */
  #late: UpstreamError | undefined;

  constructor(options: HandshakeOptions) {
    this.#options = options;
  }

  async run(): Promise<Connection> {
    const { kept } = this.#options;
    if (kept?.continues) return this.#continue(kept.continues);
    const kind = await this.#begin();
    let state: EraState = beginEraDetection(kind, this.#options.remembered);
    for (;;) {
      const step = state.last;
      if (step.do === 'fail') throw this.#late ?? this.#refusal ?? new UpstreamError('unsupported', step.reason);
      if (step.do === 'modern') return this.#finish('2026', step.version, step.discovered);
      if (step.do === 'legacy') return this.#finishLegacy(step.version, step.initialized);
      state = stepEraDetection(state, await this.#take(step));
    }
  }

  /** An entry may ask for HTTP+SSE first; falls back to Streamable HTTP if the server has moved on. */
  async #begin(): Promise<TransportKind> {
    const { kind } = this.#options;
    try {
      await this.#open(kind);
      return kind;
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      if (kind !== 'sse' || (error.kind !== 'http' && error.kind !== 'bad_answer')) throw error;
      await this.#reopen('http');
      return 'http';
    }
  }

  async #take(step: EraState['last'] & { do: 'discover' | 'initialize' | 'legacy_sse' }): Promise<EraEvent> {
    if (step.do === 'discover') return this.#outcome(this.#discover(step.version));
    if (step.do === 'legacy_sse') {
      await this.#reopen('sse').catch((thrown: unknown) => {
        throw this.#refusal ?? thrown;
      });
      return this.#outcome(this.#initialize(LEGACY_VERSIONS[0]));
    }
    if (step.fresh) await this.#reopen(this.#options.kind);
    return this.#outcome(this.#initialize(step.version));
  }

  async #open(kind: TransportKind): Promise<void> {
    this.#transport = this.#options.openTransport(kind);
    this.connection = new Connection({ ...this.#options, transport: this.#transport });
    await this.#transport.start(this.#options.signal);
    this.#options.onOpened?.();
  }

  async #reopen(kind: TransportKind): Promise<void> {
    await this.connection?.close();
    await this.#open(kind);
  }

  #discover(version: string): Promise<JsonObject> {
    this.#agree('2026', version, {});
    const stdio = this.#options.kind === 'stdio';
    return this.#request(
      { method: 'server/discover', params: {} },
      stdio ? LIMITS.probeSilenceMs : Number.POSITIVE_INFINITY,
    );
  }

  #initialize(version: string): Promise<JsonObject> {
    this.#agree('2025', version, {});
    const { client } = this.#options;
    const capabilities = declaredCapabilities(client);
    const params = { protocolVersion: version, capabilities, clientInfo: client.info };
    return this.#request({ method: 'initialize', params });
  }

  #request(message: { method: string; params: JsonObject }, atMostMs = Number.POSITIVE_INFINITY): Promise<JsonObject> {
    const { signal, handshakeTimeoutMs = Number.POSITIVE_INFINITY } = this.#options;
    const connection = this.connection as Connection;
    const timeoutMs = Math.min(handshakeTimeoutMs, atMostMs);
    return connection.request(message, { signal, timeoutMs, maxTimeoutMs: Number.POSITIVE_INFINITY });
  }

  async #outcome(answer: Promise<JsonObject>): Promise<EraEvent> {
    this.#late = undefined;
    try {
      return { kind: 'result', result: await answer };
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      if (error.kind === 'timed_out') this.#late = error;
      this.#refusal = error.kind === 'rpc' || error.kind === 'timed_out' ? this.#refusal : error;
      if (error.rpc !== undefined) return { kind: 'rpc_error', ...error.rpc };
      if (error.kind === 'timed_out') return { kind: 'silence' };
      if (error.kind === 'http' && error.status !== undefined) return { kind: 'http_status', status: error.status };
      if (error.kind === 'lost' && this.#options.kind === 'stdio') return { kind: 'closed' };
      throw error;
    }
  }

  async #finishLegacy(version: string, initialized: JsonObject): Promise<Connection> {
    const connection = this.#finish('2025', version, initialized);
    await sendInitialized(connection, this.#options.signal);
    return this.#keepAlive(connection, version);
  }

  async #continue({ id, protocolVersion, ...agreed }: ContinuedSession): Promise<Connection> {
    await this.#open('http');
    (this.#transport as StreamableHttpTransport).sessionId = id;
    return this.#keepAlive(this.#finish('2025', protocolVersion, agreed), protocolVersion);
  }

  /** For an HTTP session: opens the stream of notifications, and replaces the session if it is lost. */
  async #keepAlive(connection: Connection, version: string): Promise<Connection> {
    const transport = this.#transport;
    if (!(transport instanceof StreamableHttpTransport)) return connection;
    transport.resumable = true;
    transport.onSessionLost = () => {
      connection.exchanges.renew(transport.sessionId).catch(() => {});
    };
    connection.exchanges.renewSession = (lost) => this.#renew(version, lost);
    await this.#openServerStream(transport);
    return connection;
  }

  /** Opens a new session on the same connection; the server must speak the same revision as before. */
  async #renew(version: string, lost: string | undefined): Promise<void> {
    const transport = this.#transport as StreamableHttpTransport;
    if (transport.sessionId !== lost) return;
    const connection = this.connection as Connection;
    transport.sessionId = undefined;
    const { client, timeoutMs, kept } = this.#options;
    const newer = lost === undefined ? undefined : await kept?.newerThan(lost);
    if (newer?.protocolVersion === version) {
      transport.sessionId = newer.id;
      return this.#openServerStream(transport);
    }
    const capabilities = declaredCapabilities(client);
    const params = { protocolVersion: version, capabilities, clientInfo: client.info };
    const result = await connection.request({ method: 'initialize', params }, { timeoutMs });
    if (result.protocolVersion !== version)
      throw new UpstreamError('lost', 'the server came back with another revision');
    this.#agree('2025', version, result);
    await sendInitialized(connection, AbortSignal.timeout(LIMITS.requestTimeoutMs));
    if (kept && connection.session) await kept.renewed(connection.session);
    await this.#openServerStream(transport);
  }

  /** A server may ask questions on this stream during a call. If it could, no call is sent before the stream is open. */
  async #openServerStream(transport: StreamableHttpTransport): Promise<void> {
    const opened = transport.openServerStream();
    const { elicitation, sampling, roots } = declaredCapabilities(this.#options.client);
    if (elicitation === undefined && sampling === undefined && roots === undefined) return;
    await Promise.race([opened, sleep(LIMITS.serverStreamWaitMs, undefined, { ref: false })]);
  }

  #finish(era: Era, version: string, result: JsonObject): Connection {
    this.#agree(era, version, result);
    return this.connection as Connection;
  }

  #agree(era: Era, protocolVersion: string, result: JsonObject): void {
    if (this.#transport instanceof StreamableHttpTransport) this.#transport.protocolVersion = protocolVersion;
    (this.connection as Connection).agree({
      era,
      protocolVersion,
      serverInfo: serverInfo(result),
      capabilities: isObject(result.capabilities) ? result.capabilities : {},
      instructions: typeof result.instructions === 'string' ? result.instructions : undefined,
    });
  }
}

/** Over HTTP the server has to answer this notification. If it does not, the signal ends the wait. */
function sendInitialized(connection: Connection, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(cancelledError());
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    connection.notify({ method: 'notifications/initialized' }).then(resolve, reject);
  });
}

function serverInfo(result: JsonObject): Implementation | undefined {
  const meta = isObject(result._meta) ? result._meta[META.serverInfo] : undefined;
  const info = meta ?? result.serverInfo;
  if (!isObject(info) || typeof info.name !== 'string') return undefined;
  return { ...info, name: info.name, version: typeof info.version === 'string' ? info.version : '' };
}
