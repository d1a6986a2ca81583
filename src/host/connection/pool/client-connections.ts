import type { CancelSignal } from '../../../contract/cancellation.ts';
import type { JsonObject, NotificationMessage } from '../../../contract/json.ts';
import { type CallUpstream, canBeAsked, type Upstream } from '../../../wire/upstream.ts';
import { listChangedFilter } from '../catalogue/catalogue.ts';
import { CONNECTION_LIMITS, SHARING_LIMITS } from '../limits.ts';
import { type Lease, LeasePool, type Lessee } from './lease-pool.ts';

/** The properties of a client that decide how it shares connections. */
export interface SharingClient {
  readonly key: string;
  readonly capabilities: JsonObject;
  readonly info: { readonly name: string; readonly version: string } | undefined;
  readonly era?: '2025' | '2026';
  /** The minimum level of server log messages that the client wants; undefined: none. */
  readonly logLevel?: string | undefined;
}

export type Sharing = 'auto' | 'shared' | 'session';

/** A connection that only one client uses. */
export interface OwnConnection {
  readonly server: string;
  readonly key: string;
  readonly upstream: Upstream;
}

export interface ClientConnectionsOptions {
  /** The connection that all clients share; connects on first use. */
  shared(server: string, signal: CancelSignal): Promise<CallUpstream> | CallUpstream;
  /** Opens a connection for one client, with the client's capabilities. */
  openOwn(server: string, client: SharingClient): Promise<Upstream>;
  sharing(server: string): Sharing;
  /** Runs before a call uses an own connection; returns a promise only if it has to send something to the server. */
  prepare?(own: OwnConnection, client: SharingClient): Promise<void> | undefined;
  /** Gets the notifications that a server sends on an own connection outside of any request. */
  onNotification(own: OwnConnection, notification: NotificationMessage): void;
  /** An own connection has ended, for whatever reason. */
  onEnded?(own: OwnConnection): void;
  now(): number;
}

/**
 * Chooses a connection for each call. All clients share one connection to a server without sessions; a server with sessions gets a
 * session per client. A client leases a process of its own if a stdio server could ask it questions or if it wants the server's log, so
 * that each question and log line reaches the right client.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions;
  readonly #pools = new Map<string, LeasePool<Upstream>>();
  readonly #own = new WeakSet<object>();

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
  }

  /** The connection for a client's next call; a promise only if it has to be opened, prepared or waited for. */
  connection(server: string, client: SharingClient, signal: CancelSignal): Promise<CallUpstream> | CallUpstream {
    const known = this.#pools.get(server)?.leaseKnown(this.#terms(server, client));
    if (known) return this.#use(server, client, known);
    const shared = this.#options.shared(server, signal);
    return shared instanceof Promise
      ? shared.then((connected) => this.#choose(server, client, connected, signal))
      : this.#choose(server, client, shared, signal);
  }

  #choose(
    server: string,
    client: SharingClient,
    shared: CallUpstream,
    signal: CancelSignal,
  ): Promise<CallUpstream> | CallUpstream {
    const sharing = this.#options.sharing(server);
    if (sharing === 'shared' || (sharing === 'auto' && !needsOwn(shared, client))) return shared;
    const lessee = { ...this.#terms(server, client), open: () => this.#open(server, client) };
    return this.#use(server, client, this.#poolOf(server, shared).acquire(lessee, signal));
  }

  /** With `session`, a 2026 client gets a new connection per call, because without a session it cannot be recognized. */
  #terms(server: string, client: SharingClient): Omit<Lessee<Upstream>, 'open'> {
    const sharing = this.#options.sharing(server);
    const exclusive = isAloneWithCalls(client, sharing);
    return { key: client.key, exclusive, once: exclusive && sharing === 'session' };
  }

  /** Whether this connection is or was an own connection of a client. */
  isOwn(upstream: CallUpstream): boolean {
    return this.#own.has(upstream);
  }

  /** Whether all clients that answer no questions use the shared connection. */
  isShared(server: string, shared: CallUpstream): boolean {
    const sharing = this.#options.sharing(server);
    return sharing === 'shared' || (sharing === 'auto' && !needsOwn(shared, { capabilities: {} }));
  }

  async shared(server: string, signal: CancelSignal): Promise<CallUpstream> {
    return this.#options.shared(server, signal);
  }

  /** The open own connections of a client. */
  open({ key }: { readonly key: string }): { server: string; upstream: Upstream }[] {
    return [...this.#pools].flatMap(([server, pool]) => pool.of(key).map((upstream) => ({ server, upstream })));
  }

  /** Closes all connections of a client that is gone. */
  release(key: string): void {
    for (const pool of this.#pools.values()) pool.end(key);
  }

  /** The client closed its last stream: its connections are evicted first, until it calls again. */
  left(key: string): void {
    for (const pool of this.#pools.values()) pool.left(key);
  }

  /** The server was removed or replaced: running calls may finish, later calls open new connections. */
  retire(server: string, graceMs: number = CONNECTION_LIMITS.removedGraceMs): void {
    void this.#pools.get(server)?.shut(graceMs);
    this.#pools.delete(server);
  }

  /** Replaces the connections: closes idle ones now, busy ones after their last call. */
  renew(server: string): void {
    this.#pools.get(server)?.renew();
  }

  /** Closes idle own connections. A connection with a running call is not idle. */
  closeIdle(): void {
    for (const pool of this.#pools.values()) pool.closeIdle(SHARING_LIMITS.ownIdleMs, SHARING_LIMITS.ownLeftMs);
  }

  /** The number of own connections of a server, for display. */
  count(server: string): number {
    return this.#pools.get(server)?.size ?? 0;
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.shut(0)));
  }

  #poolOf(server: string, { transport }: CallUpstream): LeasePool<Upstream> {
    const known = this.#pools.get(server);
    if (known) return known;
    const { ownProcessesMax, ownSessionsMax, leaseWaitMs, leaseWaitersMax } = SHARING_LIMITS;
    const pool = new LeasePool<Upstream>({
      max: transport === 'stdio' ? ownProcessesMax : ownSessionsMax,
      waitMs: leaseWaitMs,
      waitersMax: leaseWaitersMax,
      close: (upstream, graceMs) => upstream.closeWhenIdle(graceMs),
      isSpent: ({ hasAbandonedCalls }) => hasAbandonedCalls,
      now: this.#options.now,
    });
    this.#pools.set(server, pool);
    return pool;
  }

  async #open(server: string, client: SharingClient): Promise<Upstream> {
    const { openOwn, onNotification, onEnded } = this.#options;
    const pool = this.#pools.get(server);
    const upstream = await openOwn(server, client);
    const own = { server, key: client.key, upstream };
    this.#own.add(upstream);
    upstream.on('notification', (notification) => onNotification(own, notification));
    upstream.on('close', () => pool?.lost(upstream));
    upstream.on('end', () => onEnded?.(own));
    subscribeListChanges(upstream);
    return upstream;
  }

  #use(
    server: string,
    client: SharingClient,
    lease: Promise<Lease<Upstream>> | Lease<Upstream>,
  ): Promise<Upstream> | Upstream {
    if (lease instanceof Promise) return lease.then((granted) => this.#use(server, client, granted));
    const { connection: upstream } = lease;
    const isAlone = isAloneWithCalls(client, this.#options.sharing(server));
    const preparing = this.#options.prepare?.({ server, key: client.key, upstream }, client);
    if (preparing === undefined) return handOver(lease, isAlone);
    return preparing.then(
      () => handOver(lease, isAlone),
      (thrown: unknown) => {
        lease.release();
        throw thrown;
      },
    );
  }
}

/** A 2026 server notifies only subscribers; the subscription ends with the connection. */
function subscribeListChanges(upstream: Upstream): void {
  if (upstream.era !== '2026') return;
  const filter = listChangedFilter(upstream.capabilities);
  if (Object.keys(filter).length > 0) upstream.listen(filter);
}

/**
 * Hands a leased connection to the caller, who must send a call on it in this turn of the event loop. The lease ends with the last
 * running call. A connection that was exclusive to a cancelled call is not reused: its server may still ask a question for that call.
 */
function handOver(lease: Lease<Upstream>, isAlone: boolean): Upstream {
  const { connection: upstream } = lease;
  const release = () => {
    upstream.off('idle', release);
    lease.release(isAlone && upstream.hasAbandonedCalls);
  };
  setImmediate(() => {
    if (upstream.isCalling) upstream.on('idle', release);
    else release();
  });
  return upstream;
}

/**
 * 2026 requests have no session, so two equal clients may be two programs. A server may ask or log outside of a call's stream, so each
 * call of such a client gets its own connection while it runs. With `session`, each call of a 2026 client does.
 */
export function isAloneWithCalls(
  client: Pick<SharingClient, 'era' | 'capabilities' | 'logLevel'>,
  sharing: Sharing = 'auto',
): boolean {
  return client.era === '2026' && (sharing === 'session' || canBeAsked(client) || client.logLevel !== undefined);
}

/** On a shared stream, a log line does not name its call; before revision 2026-07-28, a question does not either. */
function needsOwn(shared: CallUpstream, client: Pick<SharingClient, 'capabilities' | 'logLevel'>): boolean {
  const hearsLog = client.logLevel !== undefined && shared.capabilities.logging !== undefined;
  if (shared.transport === 'http') return shared.era === '2025' && shared.sessionBound;
  return hearsLog || (shared.era === '2025' && canBeAsked(client));
}
