import type { CancelSignal } from '../../../contract/cancellation.ts';
import { UpstreamError } from '../../../wire/upstream.ts';

export interface LeasePoolOptions<C> {
  /** The most connections at once, including those that are opening or closing. */
  readonly max: number;
  /** How long a client waits in the queue. */
  readonly waitMs: number;
  /** The most clients in the queue. */
  readonly waitersMax: number;
  /** Resolves when the connection is closed; until then it occupies its place. */
  close(connection: C, graceMs: number): Promise<void>;
  /** Whether a connection must not be reused exclusively, because earlier calls may still have effects on it. */
  isSpent?(connection: C): boolean;
  now(): number;
}

/** A client that requests a connection. */
export interface Lessee<C> {
  readonly key: string;
  /** No other call uses the connection during this lease, not even one with the same key. */
  readonly exclusive: boolean;
  /** Open a connection for this lease and close it afterwards. */
  readonly once?: boolean;
  open(): Promise<C>;
}

/** The right to use a connection until `release`. */
export interface Lease<C> {
  readonly connection: C;
  /** Idempotent. If `spent`, closes the connection instead of keeping it for the client's next lease. */
  release(spent?: boolean): void;
}

interface Place<C> {
  readonly key: string;
  readonly opened: Promise<C>;
  connection: C | undefined;
  leases: number;
  /** The current lease is exclusive. */
  exclusive: boolean;
  isClosing: boolean;
  /** To be closed when its leases end; grants no further lease. */
  isOld: boolean;
  /** The client has left: evicted before the connections of clients that are only idle. */
  isLeft: boolean;
  /** Sequence number of the last use. */
  turn: number;
  lastUsedAt: number;
}

interface Waiter<C> {
  readonly lessee: Lessee<C>;
  grant(place: Place<C>): void;
  refuse(error: UpstreamError): void;
}

/**
 * A pool of one server's own connections. A connection belongs to one client and is kept for it while there is room. If another client
 * needs the place, the least recently used idle connection is evicted. If all connections are leased, clients wait in a FIFO queue.
 */
export class LeasePool<C> {
  readonly #options: LeasePoolOptions<C>;
  readonly #byKey = new Map<string, Place<C>[]>();
  readonly #waiting: Waiter<C>[] = [];
  #places = 0;
  #closing = 0;
  #turn = 0;

  constructor(options: LeasePoolOptions<C>) {
    this.#options = options;
  }

  /** Connections that are open or opening. */
  get size(): number {
    return this.#places - this.#closing;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Leases an existing connection of the client; undefined if none is usable now. */
  leaseKnown(lessee: Omit<Lessee<C>, 'open'>): Promise<Lease<C>> | Lease<C> | undefined {
    const place = this.#usable(lessee);
    return place && this.#lease(place, lessee);
  }

  /** Leases a connection; waits in the queue if all are leased. Rejects with `busy` after `waitMs`. */
  acquire(lessee: Lessee<C>, signal: CancelSignal): Promise<Lease<C>> | Lease<C> {
    const known = this.leaseKnown(lessee);
    if (known) return known;
    if (this.#waiting.length === 0 && this.#places < this.#options.max) return this.#lease(this.#open(lessee), lessee);
    return this.#wait(lessee, signal);
  }

  /** The open connections of a client. */
  of(key: string): C[] {
    return (this.#byKey.get(key) ?? []).flatMap(({ connection, isClosing }) =>
      connection === undefined || isClosing ? [] : [connection],
    );
  }

  /** The client is gone: closes its connections immediately, even those with running calls. */
  end(key: string): void {
    for (const waiter of this.#waiting.filter(({ lessee }) => lessee.key === key)) {
      this.#leaveLine(waiter);
      waiter.refuse(new UpstreamError('closed', 'the client has ended its session'));
    }
    for (const place of this.#byKey.get(key) ?? []) this.#close(place, 0);
  }

  /** The client may be gone: its connections are evicted first, until it returns. */
  left(key: string): void {
    for (const place of this.#byKey.get(key) ?? []) place.isLeft = true;
  }

  /** A connection was lost. */
  lost(connection: C): void {
    for (const place of this.#all()) if (place.connection === connection) this.#remove(place);
    this.#serve();
  }

  /** Closes connections that were idle for `idleMs`, or for `leftMs` if their client has left. */
  closeIdle(idleMs: number, leftMs: number): void {
    const now = this.#options.now();
    for (const place of this.#all())
      if (this.#isIdle(place) && place.lastUsedAt <= now - (place.isLeft ? leftMs : idleMs)) this.#close(place, 0);
  }

  /** Replaces all connections: closes idle ones now, the others when their leases end. The queue stays. */
  renew(): void {
    for (const place of this.#all()) {
      place.isOld = true;
      if (this.#isIdle(place)) void this.#close(place, 0);
    }
  }

  /** Graceful shutdown: running calls get a grace period, waiting ones are rejected. */
  async shut(graceMs: number): Promise<void> {
    for (const waiter of this.#waiting.splice(0))
      waiter.refuse(new UpstreamError('closed', 'the server was removed or changed'));
    await Promise.all(this.#all().map((place) => this.#close(place, graceMs)));
  }

  #all(): Place<C>[] {
    return [...this.#byKey.values()].flat();
  }

  #usable({ key, exclusive, once }: Omit<Lessee<C>, 'open'>): Place<C> | undefined {
    if (once) return undefined;
    const open = (this.#byKey.get(key) ?? []).filter(({ isClosing, isOld }) => !isClosing && !isOld);
    // Prefer the first connection: it holds the state of the client's sequential calls.
    if (!exclusive) return open.find((place) => !place.exclusive);
    const idle = open.filter((place) => this.#isIdle(place));
    const spent = idle.filter(({ connection }) => this.#options.isSpent?.(connection as C));
    for (const place of spent) void this.#close(place, 0);
    return idle.find((place) => !spent.includes(place));
  }

  #isIdle({ connection, leases, isClosing }: Place<C>): boolean {
    return connection !== undefined && leases === 0 && !isClosing;
  }

  #open({ key, open }: Lessee<C>): Place<C> {
    const place: Place<C> = {
      key,
      opened: open(),
      connection: undefined,
      leases: 0,
      exclusive: false,
      isClosing: false,
      isOld: false,
      isLeft: false,
      turn: 0,
      lastUsedAt: this.#options.now(),
    };
    this.#places += 1;
    this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), place]);
    place.opened.then(
      (connection) => {
        place.connection = connection;
      },
      () => {
        this.#remove(place);
        this.#serve();
      },
    );
    return place;
  }

  #lease(place: Place<C>, { exclusive, once }: Omit<Lessee<C>, 'open'>): Promise<Lease<C>> | Lease<C> {
    place.leases += 1;
    place.exclusive = exclusive;
    place.isLeft = false;
    this.#use(place);
    let isHeld = true;
    const release = (spent = false) => {
      if (!isHeld) return;
      isHeld = false;
      place.leases -= 1;
      if (place.leases === 0) place.exclusive = false;
      this.#use(place);
      if (spent || once || (place.isOld && place.leases === 0)) void this.#close(place, 0);
      this.#serve();
    };
    const { connection } = place;
    if (connection !== undefined) return { connection, release };
    return place.opened.then((opened) => {
      // The client ended while its connection was opening.
      if (place.isClosing) throw new UpstreamError('closed', 'the connection was closed');
      return { connection: opened, release };
    });
  }

  #use(place: Place<C>): void {
    this.#turn += 1;
    place.turn = this.#turn;
    place.lastUsedAt = this.#options.now();
  }

  #wait(lessee: Lessee<C>, signal: CancelSignal): Promise<Lease<C>> {
    const { max, waitMs, waitersMax } = this.#options;
    const busy = (how: string) =>
      new UpstreamError('busy', `all ${max} own connections of the server run a call${how}`, { retryAfterMs: 1_000 });
    if (signal.aborted) return Promise.reject(cancelled());
    if (this.#waiting.length >= waitersMax) return Promise.reject(busy(`, and ${waitersMax} clients wait for one`));
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(deadline);
        signal.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter<C> = {
        lessee,
        grant: (place) => {
          leave();
          resolve(this.#lease(place, lessee));
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const giveUp = (error: UpstreamError) => {
        this.#leaveLine(waiter);
        waiter.refuse(error);
      };
      const onAbort = () => giveUp(cancelled());
      const deadline = setTimeout(() => giveUp(busy(` for ${waitMs} ms`)), waitMs);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
      this.#serve();
    });
  }

  #leaveLine(waiter: Waiter<C>): void {
    const at = this.#waiting.indexOf(waiter);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** Grants places to the queue in order, then evicts one idle connection for each client that still waits. */
  #serve(): void {
    for (let head = this.#waiting[0]; head !== undefined; head = this.#waiting[0]) {
      const place =
        this.#usable(head.lessee) ?? (this.#places < this.#options.max ? this.#open(head.lessee) : undefined);
      if (place === undefined) break;
      this.#waiting.shift();
      head.grant(place);
    }
    while (this.#closing < this.#waiting.length && this.#evict());
  }

  /** Closes the least recently used idle connection, those of clients that left first; false if all are leased. */
  #evict(): boolean {
    const idle = this.#all().filter((place) => this.#isIdle(place));
    const [first] = idle.toSorted((a, b) => Number(b.isLeft) - Number(a.isLeft) || a.turn - b.turn);
    if (first) void this.#close(first, 0);
    return first !== undefined;
  }

  async #close(place: Place<C>, graceMs: number): Promise<void> {
    if (place.isClosing) return;
    place.isClosing = true;
    this.#closing += 1;
    try {
      await this.#options.close(await place.opened, graceMs);
    } catch {
      // It never opened, or is already closed: its caller got the error.
    } finally {
      this.#remove(place);
      this.#serve();
    }
  }

  #remove(place: Place<C>): void {
    const own = this.#byKey.get(place.key);
    if (!own?.includes(place)) return;
    this.#places -= 1;
    if (place.isClosing) this.#closing -= 1;
    // A close that is still running must not count it again.
    place.isClosing = true;
    const rest = own.filter((one) => one !== place);
    if (rest.length > 0) this.#byKey.set(place.key, rest);
    else this.#byKey.delete(place.key);
  }
}

function cancelled(): UpstreamError {
  return new UpstreamError('cancelled', 'the request was cancelled');
}
