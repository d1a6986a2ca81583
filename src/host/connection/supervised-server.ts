import type { Log } from '../../contract/ports.ts';
import type { RememberedEra } from '../../wire/era-detection.ts';
import { isObject, type NotificationMessage } from '../../wire/json.ts';
import type { StdioTransport } from '../transports/stdio.ts';
import { afterFailure, type BackoffState, backoffMs, NO_FAILURES } from './backoff.ts';
import { type Catalogue, type CatalogueChange, EMPTY_CATALOGUE } from './catalogue.ts';
import { type ConnectPorts, connectServer } from './connect-server.ts';
import type { Connection } from './connection.ts';
import { Debounce } from './debounce.ts';
import { diffCatalogue } from './diff-catalogue.ts';
import { toUpstreamError } from './exchanges.ts';
import { CONNECTION_LIMITS as LIMITS } from './limits.ts';
import { listCatalogue } from './list-catalogue.ts';
import type { ServerSpec } from './server-spec.ts';
import type { ServerState, ServerStatus } from './server-status.ts';
import type { Slots } from './slots.ts';
import { type Subscription, UpstreamError } from './upstream.ts';

export interface SupervisorPorts extends ConnectPorts {
  readonly slots: Slots;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  /** How often a connected server is asked whether it is well, and how long it has to say so. */
  readonly probe: { readonly intervalMs: number; readonly timeoutMs: number };
  readonly onStatus: (status: ServerStatus) => void;
  readonly onCatalogue: (id: string, change: CatalogueChange) => void;
  /** What the server says outside of any request, other than that its lists changed. */
  readonly onNotification: (id: string, notification: NotificationMessage) => void;
}

const LIST_CHANGED = /^notifications\/(tools|resources|prompts)\/list_changed$/;

/** One server over its life: connects, lists, watches, reconnects with backoff, and always knows its state. */
export class SupervisedServer {
  readonly spec: ServerSpec;
  catalogue: Catalogue = EMPTY_CATALOGUE;
  readonly #ports: SupervisorPorts;
  readonly #relist: Debounce;
  readonly #stopping = new AbortController();
  #state: ServerState = 'connecting';
  #reason: string | undefined;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #attempt: AbortController | undefined;
  #process: StdioTransport | undefined;
  #subscription: Subscription | undefined;
  #lastError: string | undefined;
  #lastConnectedAt: number | undefined;
  #lastProbedAt: number | undefined;
  #heldSince: number | undefined;
  #backoff: BackoffState = NO_FAILURES;
  #remembered: RememberedEra;
  #retry: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #probing = false;
  #idle: NodeJS.Timeout | undefined;

  /** With a `resting` catalogue the server counts as ready and is connected when it is needed. */
  constructor(spec: ServerSpec, ports: SupervisorPorts, resting?: Catalogue) {
    this.spec = spec;
    this.#ports = ports;
    if (resting !== undefined) {
      this.catalogue = resting;
      this.#state = 'ready';
      this.#reason = 'idle';
    }
    this.#relist = new Debounce(() => this.#listAgain(), LIMITS.listChangedDebounceMs, LIMITS.listChangedMaxWaitMs);
  }

  get status(): ServerStatus {
    const connection = this.#connection;
    return {
      id: this.spec.id,
      transport: connection?.transport ?? this.spec.transport,
      state: this.#state,
      reason: this.#reason,
      connected: connection !== undefined,
      era: connection?.era,
      protocolVersion: connection?.protocolVersion,
      serverInfo: connection?.serverInfo,
      tools: this.#state === 'ready' ? this.catalogue.tools.length : 0,
      lastError: this.#lastError,
      lastConnectedAt: this.#lastConnectedAt,
      lastProbedAt: this.#lastProbedAt,
      stderr: this.#process?.stderr,
    };
  }

  /** What is known of the server's revision, for connections beside this one. */
  get remembered(): RememberedEra {
    return this.#remembered;
  }

  /** Begins without anyone waiting. */
  start(): void {
    this.connect().catch(() => {
      // The state tells it.
    });
  }

  /** The connection, where there is one now. */
  get live(): Connection | undefined {
    return this.#connection;
  }

  /** The live connection; connects at once if there is none. */
  connect(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    clearTimeout(this.#retry);
    this.#connecting ??= this.#connectOnce().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Drops what there is, forgets failures, connects anew. */
  async reconnect(): Promise<void> {
    this.#attempt?.abort();
    await this.#connecting?.catch(() => {});
    await this.#drop();
    this.#backoff = NO_FAILURES;
    await this.connect();
  }

  /** Ends the connection until somebody needs it. */
  async rest(): Promise<void> {
    if (this.#connection === undefined) return;
    const dropping = this.#drop();
    this.#set('ready', 'idle');
    await dropping;
  }

  /** Ends for good; what runs has a grace, unless somebody is in a hurry. */
  async stop(graceMs: number, hurry: AbortSignal): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#retry);
    await this.#connecting?.catch(() => {});
    const connection = this.#connection;
    this.#release();
    await connection?.closeWhenIdle(graceMs, hurry);
  }

  async #connectOnce(): Promise<Connection> {
    this.#set('connecting', this.#backoff.failures === 0 ? undefined : `attempt ${this.#backoff.failures + 1}`);
    const attempt = new AbortController();
    this.#attempt = attempt;
    try {
      return await this.#ports.slots.use(() => this.#open(AbortSignal.any([attempt.signal, this.#stopping.signal])));
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      // Whoever gave the attempt up begins the next one.
      if (!attempt.signal.aborted) this.#fail(error, undefined);
      throw error;
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    if (signal.aborted) throw new UpstreamError('closed', 'the server was removed');
    const connection = await connectServer(this.spec, this.#ports, {
      remembered: this.#remembered,
      signal,
      // Servers that wait for a person do not hold up the others.
      whileWaiting: (work) => this.#ports.slots.away(work),
      onProcess: (transport) => {
        this.#process = transport;
      },
    });
    // What changes while it is being listed is listed once more.
    connection.on('notification', (notification: NotificationMessage) => this.#onNotification(notification));
    try {
      const { catalogue, failures } = await listCatalogue(connection, this.catalogue, this.#ports.now(), signal);
      if (connection.closed) throw new UpstreamError('lost', 'the connection closed at once');
      this.#adopt(connection, catalogue, failures);
      return connection;
    } catch (thrown) {
      await connection.close();
      throw thrown;
    }
  }

  #adopt(connection: Connection, catalogue: Catalogue, failures: readonly string[]): void {
    this.#connection = connection;
    this.#remembered = connection.era;
    this.#heldSince = performance.now();
    this.#lastConnectedAt = this.#ports.now();
    connection.on('close', (error: UpstreamError) => this.#onLost(connection, error));
    connection.on('trouble', (error: UpstreamError) => this.#onTrouble(connection, error));
    this.#take(catalogue);
    this.#set('ready', failures[0]);
    this.#listen(connection);
    this.#restWhenIdle(connection);
    this.#probeSoon(this.#ports.probe.intervalMs * (0.9 + 0.2 * this.#ports.random()));
  }

  #onTrouble(connection: Connection, error: UpstreamError): void {
    if (error.kind !== 'auth') this.#probeSoon(0);
    else if (error.signIn) void this.#giveUp(connection, error);
  }

  #onLost(connection: Connection, error: UpstreamError): void {
    if (this.#connection !== connection) return;
    const livedMs = performance.now() - (this.#heldSince ?? 0);
    this.#release();
    this.#fail(error, livedMs);
  }

  /** Takes a failure down and decides when to try again. */
  #fail(error: UpstreamError, livedMs: number | undefined): void {
    if (this.#stopping.signal.aborted) return;
    const message = this.#brief(error.message);
    this.#lastError = message;
    this.#ports.log.warn('server failed', { server: this.spec.id, kind: error.kind, error: message });
    if (error.kind === 'auth' && error.signIn) {
      this.#set('auth_required', message);
      return;
    }
    this.#backoff = afterFailure(this.#backoff, livedMs);
    const waitMs = backoffMs(this.#backoff, this.spec.transport === 'stdio', this.#ports.random());
    if (waitMs > 0) this.#set('error', `${message} (trying again in ${Math.ceil(waitMs / 1000)} s)`);
    else this.#set('connecting', `${message} (reconnecting)`);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.start(), waitMs);
    this.#retry.unref();
  }

  #onNotification(notification: NotificationMessage): void {
    if (LIST_CHANGED.test(notification.method)) this.#relist.poke();
    else this.#ports.onNotification(this.spec.id, notification);
  }

  async #listAgain(): Promise<void> {
    await this.#connecting?.catch(() => {});
    const connection = this.#connection;
    if (connection === undefined) return;
    try {
      const { catalogue, failures } = await listCatalogue(connection, this.catalogue, this.#ports.now());
      if (this.#connection !== connection) return;
      this.#take(catalogue);
      this.#set('ready', failures[0]);
    } catch (thrown) {
      // The old catalogue stays: it is more use than none.
      if (this.#connection === connection)
        this.#set('ready', `could not list again: ${toUpstreamError(thrown).message}`);
    }
  }

  #take(catalogue: Catalogue): void {
    const change = diffCatalogue(this.catalogue, catalogue);
    this.catalogue = catalogue;
    for (const { name, reason } of catalogue.dropped) {
      this.#ports.log.warn('tool left out', { server: this.spec.id, tool: name, reason });
    }
    if (change !== undefined) this.#ports.onCatalogue(this.spec.id, change);
  }

  /** A 2026 server only tells those who listen. */
  #listen(connection: Connection): void {
    if (connection.era !== '2026') return;
    const tells = (capability: string) => {
      const declared = connection.capabilities[capability];
      return isObject(declared) && declared.listChanged === true;
    };
    const filter = {
      ...(tells('tools') ? { toolsListChanged: true } : {}),
      ...(tells('prompts') ? { promptsListChanged: true } : {}),
      ...(tells('resources') ? { resourcesListChanged: true } : {}),
    };
    if (Object.keys(filter).length > 0) this.#subscription = connection.listen(filter);
  }

  #restWhenIdle(connection: Connection): void {
    const { idleStopMs } = this.spec;
    if (idleStopMs === undefined) return;
    const leftMs = connection.exchanges.lastUsedAt + idleStopMs - performance.now();
    this.#idle = setTimeout(
      () => {
        const used = connection.exchanges.lastUsedAt + idleStopMs > performance.now();
        if (used || connection.exchanges.busy) this.#restWhenIdle(connection);
        else void this.rest();
      },
      Math.max(leftMs, LIMITS.idleCheckMinMs),
    );
    this.#idle.unref();
  }

  #probeSoon(waitMs: number): void {
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => void this.#probeNow(), waitMs);
    this.#probe.unref();
  }

  /** Asks whether the server is well; one that does not answer is connected anew. */
  async #probeNow(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.#probing) return;
    if (connection.exchanges.busy) {
      // A running request has its own deadline, and its server may be too busy to answer.
      this.#probeSoon(this.#ports.probe.timeoutMs);
      return;
    }
    this.#probing = true;
    const method = connection.era === '2026' ? 'server/discover' : 'ping';
    try {
      await connection.request({ method }, { timeoutMs: this.#ports.probe.timeoutMs });
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      // Any answer is a sign of life; 2025 servers may not know `ping`.
      if (error.kind !== 'rpc' && error.kind !== 'rate_limited') {
        await this.#giveUp(connection, error);
        return;
      }
    } finally {
      this.#probing = false;
    }
    this.#lastProbedAt = this.#ports.now();
    const { freshUntil } = this.catalogue;
    const stale = this.#subscription === undefined && freshUntil !== undefined && freshUntil <= this.#ports.now();
    if (stale) this.#relist.poke();
    this.#probeSoon(this.#ports.probe.intervalMs * (0.9 + 0.2 * this.#ports.random()));
  }

  async #giveUp(connection: Connection, error: UpstreamError): Promise<void> {
    if (this.#connection !== connection) return;
    this.#onLost(connection, error);
    await connection.close();
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    this.#release();
    await connection?.close();
  }

  #release(): void {
    this.#connection = undefined;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#relist.cancel();
    clearTimeout(this.#probe);
    clearTimeout(this.#retry);
    clearTimeout(this.#idle);
  }

  /** What servers say is masked and cut before anyone sees it. */
  #brief(text: string): string {
    return this.#ports.redact(text).slice(0, LIMITS.reasonTextMax);
  }

  #set(state: ServerState, reason: string | undefined): void {
    if (this.#stopping.signal.aborted) return;
    this.#state = state;
    this.#reason = reason === undefined ? undefined : this.#brief(reason);
    this.#ports.onStatus(this.status);
  }
}
