import { EventEmitter, once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { CancelSignal } from '../contract/cancellation.ts';
import type { JsonObject, RequestMessage } from '../contract/json.ts';
import { type RequestOptions, type Upstream, UpstreamError } from '../wire/upstream.ts';
import { type Catalogue, EMPTY_CATALOGUE } from './connection/catalogue/catalogue.ts';
import type { Connection } from './connection/connection.ts';
import { CONNECTION_LIMITS as LIMITS } from './connection/limits.ts';
import { Semaphore } from './connection/pool/semaphore.ts';
import type { ClientIdentity, Redact } from './connection/ports.ts';
import { connectServer } from './connection/supervision/connect-server.ts';
import { NO_NAMES } from './connection/supervision/named-endpoint.ts';
import { ReconnectStagger } from './connection/supervision/reconnect-stagger.ts';
import type { ServerSet, ServerSpec, ServerStatus, SessionOptions } from './connection/supervision/server-set.ts';
import { SupervisedServer, type SupervisorPorts } from './connection/supervision/supervised-server.ts';
import { HttpAccess, type HttpAccessOptions } from './http-access.ts';
import type { SignInPorts } from './oauth/sign-in.ts';
import type { Environment } from './transports/minimal-environment.ts';
import { ProcessSpawner } from './transports/process-spawner.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface HostPorts extends HttpAccessOptions {
  /** The environment from which stdio servers inherit a few variables. */
  readonly environment: Environment;
  readonly redact: Redact;
  /** Interval and timeout of the ping to connected servers; default 30 s and 5 s. */
  readonly probe?: { readonly intervalMs: number; readonly timeoutMs: number };
  /** Replaces the health check of a server, if other nodes check it too; default: its own. */
  readonly healthOf?: SupervisorPorts['healthOf'];
  readonly random?: () => number;
}

/** The connections to a set of servers; empty until `apply`. */
export class Host extends EventEmitter implements ServerSet {
  readonly #tokens: HostPorts['tokens'];
  readonly #ports: SupervisorPorts;
  readonly #http: HttpAccess;
  readonly #spawner = new ProcessSpawner();
  readonly #servers = new Map<string, SupervisedServer>();
  /** Removed servers that have not ended yet. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** Connections of `openSession`. */
  readonly #sessions = new Set<Connection>();

  constructor(options: HostPorts) {
    super();
    this.setMaxListeners(0);
    this.#tokens = options.tokens;
    this.#http = new HttpAccess(options);
    const { client, environment, redact, log, now = Date.now, random = Math.random } = options;
    this.#ports = {
      client,
      environment,
      redact,
      log,
      now,
      random,
      probe: options.probe ?? { intervalMs: LIMITS.probeIntervalMs, timeoutMs: LIMITS.probeTimeoutMs },
      healthOf: options.healthOf ?? ((_spec, own) => own),
      dispatcherFor: (spec) => this.#http.dispatcherFor(spec),
      spawner: this.#spawner,
      slots: new Semaphore(LIMITS.connectsAtOnce),
      retries: new ReconnectStagger(LIMITS.retriesApartMs, LIMITS.retryWaitMaxMs),
      names: options.names ?? NO_NAMES,
      authorizerFor: (spec, url) => this.#http.authorizerFor(spec, url),
      onStatus: (status) => this.emit('status', status),
      onMoved: (id) => this.emit('removed', id),
      onCatalogue: (id, change) => this.emit('catalogue', id, change),
      onNotification: (id, notification) => this.emit('notification', id, notification),
    };
  }

  apply(specs: readonly ServerSpec[], resting: ReadonlyMap<string, Catalogue> = new Map()): void {
    const wanted = new Map(specs.map((spec) => [spec.id, spec]));
    const gone = [...this.#servers].filter(([id, { spec }]) => !isDeepStrictEqual(wanted.get(id), spec));
    for (const [id, server] of gone) this.#remove(id, server);
    const changed = new Set(gone.map(([id]) => id));
    for (const spec of wanted.values()) {
      if (this.#servers.has(spec.id)) continue;
      const catalogue = resting.get(spec.id);
      const server = new SupervisedServer(spec, this.#ports, catalogue);
      this.#servers.set(spec.id, server);
      // A changed server may offer other tools than in its stored catalogue.
      if (catalogue === undefined || changed.has(spec.id)) server.start();
    }
  }

  status(): readonly ServerStatus[] {
    return [...this.#servers.values()].map((server) => server.status).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  statusOf(id: string): ServerStatus | undefined {
    return this.#servers.get(id)?.status;
  }

  catalogueOf(id: string): Catalogue {
    return this.#servers.get(id)?.catalogue ?? EMPTY_CATALOGUE;
  }

  look(id: string): void {
    this.#servers.get(id)?.look();
  }

  /** The current shared connection, if any. */
  liveOf(id: string): Upstream | undefined {
    return this.#servers.get(id)?.live;
  }

  async connection(id: string, signal?: CancelSignal): Promise<Upstream> {
    const server = this.#server(id);
    // Fast path: nearly every call finds a live connection.
    if (server.live !== undefined && signal?.aborted !== true) return server.live;
    const connecting = server.connect();
    return signal === undefined ? connecting : unlessAborted(connecting, signal);
  }

  async openSession(id: string, client: ClientIdentity, options: SessionOptions = {}): Promise<Upstream> {
    const server = this.#server(id);
    const session = await connectServer(
      server.spec,
      { ...this.#ports, client },
      {
        remembered: server.remembered,
        address: (startup) => server.address(startup),
        ...options,
      },
    );
    this.#sessions.add(session);
    session.once('end', () => this.#sessions.delete(session));
    return session;
  }

  async rest(id: string): Promise<void> {
    await this.#server(id).rest();
  }

  async request(id: string, message: RequestMessage, options: RequestOptions = {}): Promise<JsonObject> {
    const upstream = await this.connection(id, options.signal);
    return upstream.request(message, options);
  }

  async reconnect(id: string): Promise<void> {
    await this.#server(id)
      .reconnect()
      .catch(() => {
        // The state shows the outcome.
      });
  }

  /** Signs in to a server now and connects to it with the new tokens. Rejects with an `OAuthError`. */
  async login(id: string, person: SignInPorts, signal?: AbortSignal): Promise<void> {
    const server = this.#server(id);
    const { spec } = server;
    if (spec.transport === 'stdio' || spec.oauth === false) {
      throw new UpstreamError('unsupported', 'this server takes no sign-in');
    }
    const address = await server.address(signal ?? new AbortController().signal);
    await this.#http.authorizerFor(spec, new URL(address)).signIn(person, signal);
    await this.reconnect(id);
  }

  /** Deletes the stored sign-in of a server and reconnects without it. */
  async signOut(id: string): Promise<void> {
    const server = this.#server(id);
    await this.#tokens.update(id, () => undefined);
    this.#http.forget(id);
    const anew = new SupervisedServer(server.spec, this.#ports);
    this.#servers.set(id, anew);
    await server.stop(0, AbortSignal.abort());
    anew.start();
  }

  async settled(): Promise<void> {
    const unsettled = () => this.status().some(({ state }) => state === 'connecting');
    while (unsettled()) await once(this, 'status');
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const [id, server] of this.#servers) this.#remove(id, server);
    await Promise.all([...this.#leaving, ...[...this.#sessions].map((session) => session.close())]);
    await this.#http.close();
    this.#spawner.close();
  }

  #remove(id: string, server: SupervisedServer): void {
    this.#servers.delete(id);
    this.#http.forget(id);
    const leaving = server.stop(LIMITS.removedGraceMs, this.#closing.signal).finally(() => {
      this.#http.leave(server.spec);
      this.#leaving.delete(leaving);
    });
    this.#leaving.add(leaving);
    this.emit('status', { ...server.status, state: 'disabled', reason: 'removed', connected: false, tools: 0 });
    this.emit('removed', id);
  }

  #server(id: string): SupervisedServer {
    const server = this.#servers.get(id);
    if (server === undefined) throw new UpstreamError('refused', `there is no server ${id}`);
    return server;
  }
}
