import type { CancelSignal } from '../../contract/cancellation.ts';
import type { JsonObject, NotificationMessage } from '../../wire/json.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { type Upstream, UpstreamError } from './upstream.ts';

/** Whose calls a connection carries, as far as sharing goes. */
export interface SharingClient {
  readonly key: string;
  readonly capabilities: JsonObject;
  readonly info: { readonly name: string; readonly version: string } | undefined;
  readonly era?: '2025' | '2026';
}

export type Sharing = 'auto' | 'shared' | 'session';

export interface ClientConnectionsOptions {
  /** The connection that everyone shares, connected on first use. */
  shared(server: string, signal: CancelSignal): Promise<Upstream> | Upstream;
  /** A connection for one client alone, which declares what the client declared. */
  openOwn(server: string, client: SharingClient): Promise<Upstream>;
  sharing(server: string): Sharing;
  /** What an own connection's server says outside of any request. */
  onNotification(server: string, key: string, notification: NotificationMessage): void;
  now(): number;
}

/** How many own connections a server may have, and how long an unused one stays. */
export const SHARING_LIMITS = { ownProcessesMax: 8, ownSessionsMax: 1_000, ownIdleMs: 5 * 60_000 } as const;

interface Own {
  readonly server: string;
  readonly key: string;
  readonly upstream: Promise<Upstream>;
  opened: Upstream | undefined;
  /** Given to a call that has not sent its request yet. */
  claimed: boolean;
  lastUsedAt: number;
}

/**
 * Decides who shares a connection. A server without sessions serves everyone on one; a session-bound one gets a session per
 * client; a stdio server that could ask its client something gets a process per client, so that a question always finds
 * its caller.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions;
  readonly #own = new Map<string, Own[]>();

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
  }

  /** The connection for a client's next call; a promise only where it has to be opened first. */
  connection(server: string, client: SharingClient, signal: CancelSignal): Promise<Upstream> | Upstream {
    const known = this.#openedFor(server, client);
    if (known) return known;
    const shared = this.#options.shared(server, signal);
    return shared instanceof Promise
      ? shared.then((connected) => this.#choose(server, client, connected))
      : this.#choose(server, client, shared);
  }

  #choose(server: string, client: SharingClient, shared: Upstream): Promise<Upstream> | Upstream {
    const sharing = this.#options.sharing(server);
    if (sharing === 'shared' || (sharing === 'auto' && !needsOwn(shared, client))) return shared;
    // While the shared one was being connected, another call of this client may have opened its own.
    return this.#openedFor(server, client) ?? this.#openOwn(server, client, shared);
  }

  /** Whether everyone's calls go on the shared connection, whoever the client is that cannot be asked anything. */
  isShared(server: string, shared: Upstream): boolean {
    const sharing = this.#options.sharing(server);
    return sharing === 'shared' || (sharing === 'auto' && !needsOwn(shared, { capabilities: {} }));
  }

  /** The connection that everyone shares. */
  async shared(server: string, signal: CancelSignal): Promise<Upstream> {
    return this.#options.shared(server, signal);
  }

  /** The own connections of a client that are open. */
  open(client: { readonly key: string }): { server: string; upstream: Upstream }[] {
    return this.#all().flatMap(({ key, server, opened }) =>
      key === client.key && opened && !opened.closed ? [{ server, upstream: opened }] : [],
    );
  }

  /** Closes what was opened for a client that is gone. */
  release(key: string): void {
    for (const own of this.#all()) if (own.key === key) this.#close(own);
  }

  /** The server was removed or is another one now: what runs may end, what comes next opens anew. */
  retire(server: string, graceMs: number = CONNECTION_LIMITS.removedGraceMs): void {
    for (const own of this.#all()) if (own.server === server) this.#close(own, graceMs);
  }

  /** Closes own connections that nobody used for a while. One on which a call runs is in use, however long ago that began. */
  closeIdle(): void {
    const now = this.#options.now();
    for (const own of this.#all()) {
      if (own.opened?.busy) own.lastUsedAt = now;
      else if (own.lastUsedAt <= now - SHARING_LIMITS.ownIdleMs) this.#close(own, CONNECTION_LIMITS.toolTimeoutMaxMs);
    }
  }

  /** Own connections per server, for people. */
  count(server: string): number {
    return this.#all().filter((own) => own.server === server).length;
  }

  async close(): Promise<void> {
    const all = this.#all();
    this.#own.clear();
    await Promise.allSettled(all.map(async ({ upstream }) => (await upstream).close()));
  }

  #all(): Own[] {
    return [...this.#own.values()].flat();
  }

  #openedFor(server: string, client: SharingClient): Promise<Upstream> | undefined {
    const own = this.#own.get(ownKey(server, client.key))?.find((one) => !one.opened?.closed && mayCarry(one, client));
    if (!own) return undefined;
    own.lastUsedAt = this.#options.now();
    if (isAloneWithCalls(client)) this.#claim(own);
    return own.upstream;
  }

  #openOwn(server: string, client: SharingClient, shared: Upstream): Promise<Upstream> {
    const most = shared.transport === 'stdio' ? SHARING_LIMITS.ownProcessesMax : SHARING_LIMITS.ownSessionsMax;
    if (this.count(server) >= most)
      throw new UpstreamError('busy', `all ${most} own connections of the server are in use`, {
        retryAfterMs: 1_000,
      });
    // Others may come to wait for it: it does not end with the call that needed it first.
    const upstream = this.#options.openOwn(server, client);
    const own: Own = {
      server,
      key: client.key,
      upstream,
      opened: undefined,
      claimed: false,
      lastUsedAt: this.#options.now(),
    };
    const key = ownKey(server, client.key);
    this.#own.set(key, [...(this.#own.get(key) ?? []), own]);
    upstream.then(
      (opened) => {
        own.opened = opened;
        this.#claim(own);
        opened.on('notification', (notification) => this.#options.onNotification(server, client.key, notification));
        opened.on('close', () => this.#forget(own));
      },
      () => this.#forget(own),
    );
    return upstream;
  }

  /** Until the next turn, when the request is under way and shows by itself. */
  #claim(own: Own): void {
    own.claimed = true;
    setImmediate(() => {
      own.claimed = false;
    });
  }

  #forget(own: Own): void {
    const key = ownKey(own.server, own.key);
    const rest = this.#own.get(key)?.filter((one) => one !== own) ?? [];
    if (rest.length > 0) this.#own.set(key, rest);
    else this.#own.delete(key);
  }

  #close(own: Own, graceMs = 0): void {
    this.#forget(own);
    own.upstream.then(
      (upstream) => upstream.closeWhenIdle(graceMs),
      () => {
        // It never opened; whoever asked for it was told.
      },
    );
  }
}

/**
 * Requests of revision 2026-07-28 belong to no session: two that look alike may come from two programs. A session-bound
 * server may ask outside of any call's stream, so such a client's calls have a session each while they run.
 */
function mayCarry({ opened, claimed }: Own, client: SharingClient): boolean {
  if (!isAloneWithCalls(client) || opened?.transport === 'stdio') return true;
  return opened !== undefined && !opened.busy && !claimed;
}

/** Whether each call of a client has a session of its own while it runs. */
export function isAloneWithCalls(client: Pick<SharingClient, 'era' | 'capabilities'>): boolean {
  return client.era === '2026' && canBeAsked(client);
}

function canBeAsked({ capabilities }: Pick<SharingClient, 'capabilities'>): boolean {
  return (
    capabilities.elicitation !== undefined || capabilities.sampling !== undefined || capabilities.roots !== undefined
  );
}

function needsOwn(shared: Upstream, client: Pick<SharingClient, 'capabilities'>): boolean {
  if (shared.era === '2026') return false;
  return shared.transport === 'http' ? shared.sessionBound : canBeAsked(client);
}

function ownKey(server: string, key: string): string {
  return `${server}\n${key}`;
}
