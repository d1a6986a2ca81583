import { Cancellation, type CancelSignal } from '../../contract/cancellation.ts';
import type { Log } from '../../contract/ports.ts';
import { RPC } from '../../wire/revisions.ts';
import { type Followed, followChanges } from '../lists/follow-changes.ts';
import { filterOf, subscribe } from '../lists/listen.ts';
import { errorBytes, failureBytes, idText, methodNotFound, RpcFailure } from '../message/answers.ts';
import type { Client, ClientMessage, ClientRequest, Exchange } from '../message/client.ts';
import { AmbiguousRequest, readClientMessage } from '../message/client-message.ts';
import {
  claimedVersion,
  initializeAnswer,
  initializingClient,
  isModernClaim,
  modernClient,
} from '../message/declared-client.ts';
import { Questions } from '../sessions/questions.ts';
import { RunningRequests } from '../sessions/running-requests.ts';
import { type ClientStreams, LineOutput, type LineReceiver, readClientLines } from './client-lines.ts';

export interface StdioEdgeOptions extends Followed, ClientStreams {
  readonly log: Log;
  readonly profile: string;
  /** Aborted when running calls have to be cancelled. */
  readonly ended?: AbortSignal;
}

/** Serves one client on a pair of streams, one message per line. Resolves when the input has ended and every request is answered. */
export async function serveStdio(options: StdioEdgeOptions): Promise<void> {
  const connection = new StdioConnection(options);
  options.ended?.addEventListener('abort', () => connection.cancelAll(), { once: true });
  try {
    await readClientLines(options.input, connection);
  } finally {
    await connection.finish();
  }
}

class StdioConnection implements LineReceiver {
  readonly #options: StdioEdgeOptions;
  readonly #questions = new Questions('stdio');
  readonly #running = new RunningRequests();
  readonly #answers = new Set<Promise<void>>();
  readonly #subscriptions = new Map<string | number, () => void>();
  readonly #key = `stdio-${process.pid}-${Math.random().toString(36).slice(2)}`;
  /** The keys of the client's own connections. */
  readonly #keys = new Set([this.#key]);
  /** Aborted when the input ends: a client that closes its input leaves. */
  readonly #left = new Cancellation();
  #legacy: Client | undefined;
  #stopFeed = () => {};
  /** The client's only stream ends with its input, not before. */
  readonly #subscriber = { send: (message: Uint8Array) => this.#write(message), end: () => {} };

  readonly #output: LineOutput;

  constructor(options: StdioEdgeOptions) {
    this.#options = options;
    this.#output = new LineOutput(options);
  }

  receive(line: Uint8Array): void {
    if (line.every((byte) => byte <= 0x20)) return;
    try {
      this.#take(readClientMessage(line));
    } catch (thrown) {
      if (!(thrown instanceof RpcFailure)) throw thrown;
      this.#track(this.#refuse(thrown));
    }
  }

  async #refuse(failure: RpcFailure): Promise<void> {
    let told = failure;
    try {
      if (failure instanceof AmbiguousRequest)
        await this.#options.gateway.recordAmbiguous(this.#clientOf(failure), failure);
    } catch (thrown) {
      if (thrown instanceof RpcFailure) told = thrown;
      else this.#options.log.error('a refused request could not be recorded', { error: thrown });
    }
    this.#write(errorBytes(failure.id ?? 'null', told.code, told.message));
  }

  refuseLine(id: string | number | null): void {
    this.#write(errorBytes(JSON.stringify(id), RPC.parseError, 'Parse error: the line is too long'));
  }

  cancelAll(): void {
    this.#running.cancelAll();
  }

  /** Waits for running answers, then releases the client's resources. Calls that wait for a person end at once. */
  async finish(): Promise<void> {
    this.#left.abort(new Error('the input has ended'));
    await Promise.allSettled(this.#answers);
    this.cancelAll();
    this.#stopFeed();
    for (const stop of this.#subscriptions.values()) stop();
    const { gateway } = this.#options;
    for (const key of this.#keys) {
      gateway.ports.connections.release(key);
      gateway.ports.watches.release(key);
      gateway.forget(key);
    }
  }

  #take(message: ClientMessage): void {
    if (message.kind === 'response') {
      this.#questions.answer(message);
      return;
    }
    if (message.kind === 'notification') {
      if (message.method === 'notifications/cancelled') this.#cancel(message.params?.requestId);
      return;
    }
    this.#track(this.#answer(message));
  }

  #track(answer: Promise<void>): void {
    const tracked = answer.finally(() => this.#answers.delete(tracked));
    this.#answers.add(tracked);
  }

  async #answer(request: ClientRequest): Promise<void> {
    const running = this.#running.begin(request.id);
    try {
      const bytes = await this.#handle(request, running);
      if (bytes) this.#write(bytes);
    } catch (thrown) {
      if (thrown instanceof RpcFailure) this.#write(failureBytes(request, thrown));
      else {
        this.#options.log.error('a request failed', { method: request.method, error: thrown });
        this.#write(errorBytes(idText(request), RPC.internalError, 'Internal error'));
      }
    } finally {
      this.#running.end(request.id, running);
    }
  }

  async #handle(request: ClientRequest, signal: CancelSignal): Promise<Uint8Array | undefined> {
    if (request.method === 'initialize') return this.#initialize(request, signal);
    const client = this.#clientOf(request);
    if (request.method === 'subscriptions/listen') {
      this.#subscriptions.set(
        request.id,
        subscribe(this.#options, client, request.id, filterOf(request), this.#subscriber),
      );
      return undefined;
    }
    const answer = await this.#options.gateway
      .handle(client, request, this.#exchange(signal, client))
      .catch((thrown: unknown) => {
        if (signal.aborted) return undefined;
        throw thrown;
      });
    return signal.aborted ? undefined : answer;
  }

  async #initialize(request: ClientRequest, signal: CancelSignal): Promise<Uint8Array> {
    const client: Client = {
      ...initializingClient(request),
      era: '2025',
      profile: this.#options.profile,
      caller: 'local',
      session: this.#key,
      key: this.#key,
    };
    this.#legacy = client;
    const offered = await this.#options.gateway.views.introduction(client, signal);
    this.#stopFeed();
    this.#stopFeed = followChanges(this.#options, client, this.#subscriber);
    return initializeAnswer(request, client, offered);
  }

  #clientOf(request: Pick<ClientRequest, 'params'>): Client {
    if (isModernClaim(claimedVersion(request.params))) {
      // There is only one client: its connections are not shared, and end with it.
      const client = modernClient(request, this.#options.profile, 'local');
      const key = `${this.#key}-${client.key}`;
      this.#keys.add(key);
      return { ...client, key };
    }
    if (this.#legacy) return this.#legacy;
    throw new RpcFailure(RPC.invalidRequest, 'Server not initialized');
  }

  #exchange(signal: CancelSignal, client: Client): Exchange {
    return {
      signal,
      left: () => this.#left,
      send: (message) => this.#write(message),
      ask: (method, params, until) => {
        if (client.era === '2026') return Promise.reject(methodNotFound(method));
        return this.#questions.ask(method, params, (bytes) => this.#write(bytes), [until, this.#left]);
      },
      setHeader: () => {},
    };
  }

  #cancel(id: unknown): void {
    this.#running.cancel(id);
    const subscription = typeof id === 'string' || typeof id === 'number' ? this.#subscriptions.get(id) : undefined;
    subscription?.();
  }

  #write(message: Uint8Array): void {
    this.#output.write(message);
  }
}
