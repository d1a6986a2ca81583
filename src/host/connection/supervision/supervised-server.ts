import type { NotificationMessage } from '../../../contract/json.ts';
import type { Log } from '../../../contract/ports.ts';
import type { RememberedEra } from '../../../wire/era-detection.ts';
import { type Subscription, UpstreamError } from '../../../wire/upstream.ts';
import type { StdioTransport } from '../../transports/stdio.ts';
import {
  type Catalogue,
  type CatalogueChange,
  diffCatalogue,
  EMPTY_CATALOGUE,
  listChangedFilter,
  restMsAfter,
} from '../catalogue/catalogue.ts';
import { Debounce } from '../catalogue/debounce.ts';
import { listCatalogue } from '../catalogue/list-catalogue.ts';
import type { Connection } from '../connection.ts';
import { toUpstreamError } from '../exchange/exchanges.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';
import type { Semaphore } from '../pool/semaphore.ts';
import { afterFailure, type BackoffState, backoffMs, NO_FAILURES } from './backoff.ts';
import { type ConnectPorts, connectServer } from './connect-server.ts';
import { type HealthCheck, HealthWatch, healthCheckOf, ReportedByPeer } from './health-watch.ts';
import { withLikelyCause } from './likely-cause.ts';
import { NamedEndpoint, type NameResolver } from './named-endpoint.ts';
import type { ReconnectStagger } from './reconnect-stagger.ts';
import type { ServerSpec, ServerState, ServerStatus } from './server-set.ts';
import { whenIdle } from './when-idle.ts';

export interface SupervisorPorts extends ConnectPorts {
  readonly slots: Semaphore;
  readonly retries: ReconnectStagger;
  readonly names: NameResolver;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  /** Interval and timeout of the ping to a connected server. */
  readonly probe: { readonly intervalMs: number; readonly timeoutMs: number };
  /** Returns the health check to run for a server; `own` is the one of its entry. */
  readonly healthOf: (spec: ServerSpec, own: HealthCheck | undefined) => HealthCheck | undefined;
  readonly onStatus: (status: ServerStatus) => void;
  /** The name now resolves to another endpoint. */
  readonly onMoved: (id: string) => void;
  readonly onCatalogue: (id: string, change: CatalogueChange) => void;
  /** Gets notifications outside of any request, other than list changes. */
  readonly onNotification: (id: string, notification: NotificationMessage) => void;
}

const LIST_CHANGED = /^notifications\/(tools|resources|prompts)\/list_changed$/;

/** One server over its lifetime: connects, lists, monitors, reconnects with backoff, and reports its state. */
export class SupervisedServer {
  readonly spec: ServerSpec;
  catalogue: Catalogue = EMPTY_CATALOGUE;
  readonly #ports: SupervisorPorts;
  readonly #relist: Debounce;
  readonly #health: HealthWatch;
  readonly #stopping = new AbortController();
  readonly #named: NamedEndpoint | undefined;
  /** Closing connections to previous endpoints that still have running requests. */
  readonly #leaving = new Set<Promise<void>>();
  #state: ServerState = 'connecting';
  #reason: string | undefined;
  #connection: Connection | undefined;
  #endpoint: string | undefined;
  #connecting: Promise<Connection> | undefined;
  #attempt: AbortController | undefined;
  /** What the current attempt waits for, and since when. */
  #waiting: { readonly step: string; readonly since: number } | undefined;
  #process: StdioTransport | undefined;
  #subscription: Subscription | undefined;
  #lastError: string | undefined;
  /** The failure that was last logged; forgotten once the server is ready. */
  #warned: string | undefined;
  #lastConnectedAt: number | undefined;
  #lastProbedAt: number | undefined;
  #heldSince: number | undefined;
  #backoff: BackoffState = NO_FAILURES;
  #remembered: RememberedEra;
  #retry: NodeJS.Timeout | undefined;
  /** The error of the last failed health check; while it is set, the server is not ready, even if connected. */
  #healthError: string | undefined;
  #isReportedByPeer = false;
  #cancelIdleStop = () => {};
  #renewal: NodeJS.Timeout | undefined;

  /** With a `resting` catalogue the server counts as ready, and connects on first use. */
  constructor(spec: ServerSpec, ports: SupervisorPorts, resting?: Catalogue) {
    this.spec = spec;
    this.#ports = ports;
    if (spec.transport !== 'stdio' && spec.identity) {
      this.#named = new NamedEndpoint(spec.identity, ports.names, ports.now);
    }
    if (resting !== undefined) {
      this.catalogue = resting;
      this.#state = 'ready';
      this.#reason = 'idle';
    }
    this.#health = new HealthWatch({
      ...ports.probe,
      random: ports.random,
      connection: () => this.#connection,
      check: ports.healthOf(
        spec,
        healthCheckOf(spec, (signal) => this.address(signal), ports.dispatcherFor),
      ),
      onHealthy: (isProbed) => this.#onHealthy(isProbed),
      onUnhealthy: (error, silent) => this.#onUnhealthy(error, silent),
    });
    this.#health.later();
    this.#relist = new Debounce(() => this.#listAgain(), LIMITS.listChangedDebounceMs, LIMITS.listChangedMaxWaitMs);
  }

  get status(): ServerStatus {
    const connection = this.#connection;
    const isUnhealthy = this.#state === 'ready' && this.#healthError !== undefined;
    return {
      id: this.spec.id,
      transport: connection?.transport ?? this.spec.transport,
      state: isUnhealthy ? 'error' : this.#state,
      reason: isUnhealthy ? this.#healthError : this.#reasonNow(),
      connected: connection !== undefined,
      era: connection?.era,
      protocolVersion: connection?.protocolVersion,
      serverInfo: connection?.serverInfo,
      tools: connection || (this.#state === 'ready' && !isUnhealthy) ? this.catalogue.tools.length : 0,
      lastError: this.#lastError,
      ...(isUnhealthy && this.#isReportedByPeer ? { isReportedByPeer: true } : {}),
      lastConnectedAt: this.#lastConnectedAt,
      lastProbedAt: this.#lastProbedAt,
      stderr: this.#process?.stderr,
    };
  }

  /** The detected revision, for connections beside this one. */
  get remembered(): RememberedEra {
    return this.#remembered;
  }

  /** The current URL of an HTTP server. */
  async address(signal: AbortSignal): Promise<string> {
    if (this.#named) return this.#named.current(signal);
    return (this.spec.transport !== 'stdio' && this.spec.url) || '';
  }

  /** Connects in the background. */
  start(): void {
    this.connect().catch(() => {
      // The state shows the failure.
    });
  }

  /** Runs the health check now. */
  look(): void {
    this.#health.soon(0);
  }

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

  /** Closes the connection, resets failures, reconnects. */
  async reconnect(): Promise<void> {
    this.#attempt?.abort();
    await this.#connecting?.catch(() => {});
    await this.#drop();
    this.#backoff = NO_FAILURES;
    await this.connect();
  }

  /** Closes the connection; the next request reopens it. */
  async rest(): Promise<void> {
    if (this.#connection === undefined) return;
    const dropping = this.#drop();
    this.#set('ready', 'idle');
    await dropping;
  }

  /** Stops for good; running requests get a grace period, unless `hurry` is aborted. */
  async stop(graceMs: number, hurry: AbortSignal): Promise<void> {
    this.#stopping.abort();
    this.#attempt?.abort();
    this.#health.end();
    clearTimeout(this.#retry);
    await this.#connecting?.catch(() => {});
    const connection = this.#connection;
    this.#release();
    await Promise.all([connection?.closeWhenIdle(graceMs, hurry), ...this.#leaving]);
  }

  async #connectOnce(): Promise<Connection> {
    const { failures } = this.#backoff;
    const before = this.#healthError ?? (failures === 0 ? undefined : this.#lastError);
    const attempt = failures === 0 ? 'reconnecting' : `attempt ${failures + 1}`;
    this.#set('connecting', before === undefined ? undefined : `${before} (${attempt})`);
    this.#attempt = new AbortController();
    const { signal } = this.#attempt;
    this.#waitFor('its turn');
    const slow = setTimeout(() => this.#logSlowStart(), LIMITS.slowStartMs).unref();
    try {
      if (this.#backoff.failures > 0) await this.#ports.retries.turn(signal);
      return await this.#ports.slots.use(() => this.#open(signal));
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      // If the attempt was aborted, the caller that aborted it starts the next one.
      if (!signal.aborted) this.#fail(error, undefined);
      throw error;
    } finally {
      clearTimeout(slow);
      this.#waiting = undefined;
    }
  }

  #waitFor(step: string): void {
    this.#waiting = { step, since: this.#ports.now() };
  }

  /** The reason of the state; for a slow start, with the step that it waits for. */
  #reasonNow(): string | undefined {
    if (this.#state !== 'connecting' || this.#waiting === undefined) return this.#reason;
    const { step, since } = this.#waiting;
    const seconds = Math.floor((this.#ports.now() - since) / 1000);
    if (seconds * 1000 < LIMITS.slowStartShownMs) return this.#reason;
    const waits = `waiting for ${step} for ${seconds} s`;
    return this.#reason === undefined ? waits : `${this.#reason}; ${waits}`;
  }

  #logSlowStart(): void {
    const { step } = this.#waiting ?? {};
    if (step === undefined) return;
    const stderr = this.#process?.stderr?.trimEnd().split('\n').at(-1);
    const said = stderr ? { stderr: this.#brief(stderr) } : {};
    this.#ports.log.warn(`server has not started yet: waiting for ${step}`, { server: this.spec.id, ...said });
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    if (signal.aborted || this.#stopping.signal.aborted) throw new UpstreamError('closed', 'the server was removed');
    const isProgram = this.spec.transport === 'stdio';
    this.#waitFor(isProgram ? 'its process' : 'its first answer');
    const connection = await connectServer(this.spec, this.#ports, {
      remembered: this.#remembered,
      signal,
      onOpened: () => this.#waitFor(isProgram ? 'its answer to the handshake' : 'its first answer'),
      isBackground: this.#backoff.failures > 0,
      ...(this.#named ? { address: (startup) => this.#findEndpoint(startup) } : {}),
      // A server that waits for a person releases its connect slot.
      whileWaiting: (work) => this.#ports.slots.away(work),
      onProcess: (transport) => {
        this.#process = transport;
      },
    });
    this.#waitFor('its lists');
    // Listen before listing, so that a change during the listing triggers another one.
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
    this.#process?.markHealthy();
    connection.on('close', (error: UpstreamError) => this.#onLost(connection, error));
    connection.on('trouble', (error: UpstreamError) => this.#onTrouble(connection, error));
    this.#take(catalogue);
    this.#setReady(failures[0]);
    this.#listen(connection);
    const { idleStopMs } = this.spec;
    if (idleStopMs !== undefined) this.#cancelIdleStop = whenIdle(connection, idleStopMs, () => void this.rest());
    this.#renewLater();
    if (this.#healthError === undefined) this.#health.later();
    else this.#health.soon(0);
  }

  #onTrouble(connection: Connection, error: UpstreamError): void {
    if (error.kind !== 'auth') this.#health.soon(0);
    // A scope that one call lacks does not affect other calls.
    else if (error.signIn && error.scope === undefined) void this.#giveUp(connection, error);
  }

  #onLost(connection: Connection, error: UpstreamError): void {
    if (this.#connection !== connection) return;
    const livedMs = performance.now() - (this.#heldSince ?? 0);
    this.#release();
    this.#fail(error, livedMs);
  }

  /** Records a failure and schedules the retry. */
  #fail(error: UpstreamError, livedMs: number | undefined): void {
    if (this.#stopping.signal.aborted) return;
    const message = this.#brief(withLikelyCause(error.message, this.#process?.stderr));
    // Each retry fails alike until somebody acts: one warning is enough.
    const level = message === this.#warned ? 'info' : 'warn';
    this.#lastError = message;
    this.#warned = message;
    this.#ports.log[level]('server failed', { server: this.spec.id, kind: error.kind, error: message });
    if (error.kind === 'auth' && error.signIn) {
      this.#set('auth_required', message);
      return;
    }
    this.#backoff = afterFailure(this.#backoff, livedMs);
    const waitMs = backoffMs(this.#backoff, this.spec.transport === 'stdio', this.#ports.random());
    if (waitMs > 0) this.#set('error', `${message} (trying again in ${Math.ceil(waitMs / 1000)} s)`);
    else this.#set('connecting', `${message} (reconnecting)`);
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.start(), waitMs).unref();
  }

  #onNotification(notification: NotificationMessage): void {
    if (LIST_CHANGED.test(notification.method)) this.#relist.poke();
    else this.#ports.onNotification(this.spec.id, notification);
  }

  /** Returns how long to wait before the next time. */
  async #listAgain(): Promise<number> {
    await this.#connecting?.catch(() => {});
    const connection = this.#connection;
    if (connection === undefined) return 0;
    try {
      const { catalogue, failures } = await listCatalogue(connection, this.catalogue, this.#ports.now());
      if (this.#connection !== connection) return 0;
      const change = this.#take(catalogue);
      this.#setReady(failures[0]);
      return change === undefined ? 0 : restMsAfter(change, catalogue);
    } catch (thrown) {
      // Keep the old catalogue: it is better than none.
      if (this.#connection === connection) this.#setReady(`could not list again: ${toUpstreamError(thrown).message}`);
      return 0;
    }
  }

  #take(catalogue: Catalogue): CatalogueChange | undefined {
    const change = diffCatalogue(this.catalogue, catalogue);
    this.catalogue = catalogue;
    for (const { name, reason } of catalogue.dropped) {
      this.#ports.log.warn('tool left out', { server: this.spec.id, tool: name, reason });
    }
    if (change !== undefined) this.#ports.onCatalogue(this.spec.id, change);
    return change;
  }

  /** A 2026 server notifies only clients that listen. */
  #listen(connection: Connection): void {
    if (connection.era !== '2026') return;
    const filter = listChangedFilter(connection.capabilities);
    if (Object.keys(filter).length > 0) this.#subscription = connection.listen(filter);
  }

  #onHealthy(isProbed: boolean): void {
    if (isProbed) this.#lastProbedAt = this.#ports.now();
    this.#setHealthError(undefined);
    const { freshUntil } = this.catalogue;
    const stale = this.#subscription === undefined && freshUntil !== undefined && freshUntil <= this.#ports.now();
    if (stale && this.#connection) this.#relist.poke();
  }

  /**
   * Reconnects a connected server once, at the first failed check. After that, closes (with backoff) only a connection that does not
   * answer, because calls on others may work. Does not connect an idle server. The state is `error` until a check succeeds.
   */
  async #onUnhealthy(error: UpstreamError, silent: Connection | undefined): Promise<void> {
    if (silent && this.#connection !== silent) return;
    this.#isReportedByPeer = error instanceof ReportedByPeer;
    if (!this.#isReportedByPeer) this.#lastProbedAt = this.#ports.now();
    if (silent && error.kind === 'auth') return this.#giveUp(silent, error);
    const isFirst = this.#healthError === undefined;
    this.#lastError = this.#brief(error.message);
    this.#setHealthError(this.#lastError);
    const doubtful = silent ?? (isFirst && this.#connection?.busy === false ? this.#connection : undefined);
    if (doubtful === undefined) return;
    this.#release();
    this.#fail(error, isFirst ? Number.POSITIVE_INFINITY : undefined);
    await doubtful.close();
  }

  async #findEndpoint(signal: AbortSignal): Promise<string> {
    this.#endpoint = await this.#named?.find(signal);
    return this.#endpoint ?? '';
  }

  /** Schedules another resolution of the name for when the current one expires. */
  #renewLater(): void {
    clearTimeout(this.#renewal);
    if (!this.#named || !this.#connection) return;
    this.#renewal = setTimeout(() => void this.#renew(), this.#named.freshMs).unref();
  }

  /** Resolves the name again; closes the connection only if the endpoint changed or no valid signature exists. */
  async #renew(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || this.#named === undefined) return;
    try {
      const endpoint = await this.#named.find(this.#stopping.signal);
      if (this.#connection !== connection) return;
      if (endpoint !== this.#endpoint) return this.#move(connection);
      this.#setReady(undefined);
      this.#renewLater();
    } catch (thrown) {
      await this.#giveUp(connection, toUpstreamError(thrown));
    }
  }

  /** Switches to another endpoint; running requests at the previous one may finish. */
  #move(connection: Connection): void {
    this.#release();
    this.#remembered = undefined;
    const leaving = connection
      .closeWhenIdle(LIMITS.removedGraceMs, this.#stopping.signal)
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    this.#ports.onMoved(this.spec.id);
    this.start();
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
    this.#health.later();
    clearTimeout(this.#retry);
    this.#cancelIdleStop();
    clearTimeout(this.#renewal);
  }

  /** Masks and truncates text from a server. */
  #brief(text: string): string {
    return this.#ports.redact(text).slice(0, LIMITS.reasonTextMax);
  }

  #setReady(failure: string | undefined): void {
    this.#warned = undefined;
    this.#set('ready', failure ?? this.#named?.doubt);
  }

  #setHealthError(healthError: string | undefined): void {
    if (this.#healthError === healthError) return;
    this.#healthError = healthError;
    this.#ports.onStatus(this.status);
  }

  #set(state: ServerState, reason: string | undefined): void {
    if (this.#stopping.signal.aborted) return;
    this.#state = state;
    this.#reason = reason === undefined ? undefined : this.#brief(reason);
    this.#ports.onStatus(this.status);
  }
}
