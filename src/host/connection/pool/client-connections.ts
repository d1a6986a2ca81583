import type { CancelSignal } from '../../../contract/cancellation.ts';
import type { JsonObject, NotificationMessage } from '../../../contract/json.ts';
import { type CallUpstream, canBeAsked, type Upstream } from '../../../wire/upstream.ts';
import { listChangedFilter } from '../catalogue/catalogue.ts';
import { CONNECTION_LIMITS, SHARING_LIMITS } from '../limits.ts';
import { type Lease, LeasePool, type Lessee } from './lease-pool.ts';

/** Whose calls a connection carries, as far as sharing goes. */
export interface SharingClient {
  readonly key: string;
  readonly capabilities: JsonObject;
  readonly info: { readonly name: string; readonly version: string } | undefined;
  readonly era?: '2025' | '2026';
  /** The level from which on the client wants to hear a server's log; undefined: it did not ask for it. */
  readonly logLevel?: string | undefined;
}

export type Sharing = 'auto' | 'shared' | 'session';

/** A connection of one client alone. */
export interface OwnConnection {
  readonly server: string;
  readonly key: string;
  readonly upstream: Upstream;
}

export interface ClientConnectionsOptions {
  /** The connection that everyone shares, connected on first use. */
  shared(server: string, signal: CancelSignal): Promise<CallUpstream> | CallUpstream;
  /** A connection for one client alone, which declares what the client declared. */
  openOwn(server: string, client: SharingClient): Promise<Upstream>;
  sharing(server: string): Sharing;
  /** Before a call uses an own connection; a promise only where something has to be told to the server. */
  prepare?(own: OwnConnection, client: SharingClient): Promise<void> | undefined;
  /** What an own connection's server says outside of any request. */
  onNotification(own: OwnConnection, notification: NotificationMessage): void;
  /** An own connection has ended, however. */
  onEnded?(own: OwnConnection): void;
  now(): number;
}

/**
 * Decides who shares a connection. A server without sessions serves everyone on one; a session-bound one gets a session per
 * client; of a stdio server that could ask its client something, or whose log the client wants to hear, the client leases a process, so that
 * a question and a line of the log always find their caller.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions;
  readonly #pools = new Map<string, LeasePool<Upstream>>();
  readonly #own = new WeakSet<object>();

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
  }

  /** The connection for a client's next call; a promise only where it has to be opened, prepared or waited for. */
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

  /** Under `session` nothing that a client used goes to another; without a session, nobody knows who comes next. */
  #terms(server: string, client: SharingClient): Omit<Lessee<Upstream>, 'open'> {
    const sharing = this.#options.sharing(server);
    const exclusive = isAloneWithCalls(client, sharing);
    return { key: client.key, exclusive, once: exclusive && sharing === 'session' };
  }

  /** Whether a connection is, or was, of one client alone. */
  isOwn(upstream: CallUpstream): boolean {
    return this.#own.has(upstream);
  }

  /** Whether everyone's calls go on the shared connection, whoever the client is that cannot be asked anything. */
  isShared(server: string, shared: CallUpstream): boolean {
    const sharing = this.#options.sharing(server);
    return sharing === 'shared' || (sharing === 'auto' && !needsOwn(shared, { capabilities: {} }));
  }

  /** The connection that everyone shares. */
  async shared(server: string, signal: CancelSignal): Promise<CallUpstream> {
    return this.#options.shared(server, signal);
  }

  /** The own connections of a client that are open. */
  open({ key }: { readonly key: string }): { server: string; upstream: Upstream }[] {
    return [...this.#pools].flatMap(([server, pool]) => pool.of(key).map((upstream) => ({ server, upstream })));
  }

  /** Closes what was opened for a client that is gone. */
  release(key: string): void {
    for (const pool of this.#pools.values()) pool.end(key);
  }

  /** The client closed its last stream: what it has is the first to be evicted, until it calls again. */
  left(key: string): void {
    for (const pool of this.#pools.values()) pool.left(key);
  }

  /** The server was removed or replaced: running calls may finish, later calls open new connections. */
  retire(server: string, graceMs: number = CONNECTION_LIMITS.removedGraceMs): void {
    void this.#pools.get(server)?.shut(graceMs);
    this.#pools.delete(server);
  }

  /** Later calls open new connections: idle ones are closed now, those that run a call after it. */
  renew(server: string): void {
    this.#pools.get(server)?.renew();
  }

  /** Closes idle client connections. A connection with a running call is in use, however long the call takes. */
  closeIdle(): void {
    for (const pool of this.#pools.values()) pool.closeIdle(SHARING_LIMITS.ownIdleMs, SHARING_LIMITS.ownLeftMs);
  }

  /** Own connections per server, for people. */
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
      isSpent: ({ isForsaken }) => isForsaken,
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
    hearListChanges(upstream);
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

/** A 2026 server only tells those who listen; the subscription ends with the connection. */
function hearListChanges(upstream: Upstream): void {
  if (upstream.era !== '2026') return;
  const filter = listChangedFilter(upstream.capabilities);
  if (Object.keys(filter).length > 0) upstream.listen(filter);
}

/**
 * Gives a leased connection to whoever sends a call on it before this turn of the event loop ends; the lease ends with the last call that
 * runs on the connection. One that was alone with a call which was given up is spent: its server may still ask on behalf of that call.
 */
function handOver(lease: Lease<Upstream>, isAlone: boolean): Upstream {
  const { connection: upstream } = lease;
  const release = () => {
    upstream.off('idle', release);
    lease.release(isAlone && upstream.isForsaken);
  };
  setImmediate(() => {
    if (upstream.isCalling) upstream.on('idle', release);
    else release();
  });
  return upstream;
}

/**
 * Requests of revision 2026-07-28 belong to no session: two that look alike may come from two programs. A server may ask or log outside of
 * any call's stream, so such a client's calls have a connection each while they run. So have all of them where the entry keeps clients apart.
 */
export function isAloneWithCalls(
  client: Pick<SharingClient, 'era' | 'capabilities' | 'logLevel'>,
  sharing: Sharing = 'auto',
): boolean {
  return client.era === '2026' && (sharing === 'session' || canBeAsked(client) || client.logLevel !== undefined);
}

/** On one stream for everybody, nothing says to which call a line of the log belongs; nor, before revision 2026-07-28, a question. */
function needsOwn(shared: CallUpstream, client: Pick<SharingClient, 'capabilities' | 'logLevel'>): boolean {
  const hearsLog = client.logLevel !== undefined && shared.capabilities.logging !== undefined;
  if (shared.transport === 'http') return shared.era === '2025' && shared.sessionBound;
  return hearsLog || (shared.era === '2025' && canBeAsked(client));
}
