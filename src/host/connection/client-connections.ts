import type { JsonObject, NotificationMessage } from '../../wire/json.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { type Upstream, UpstreamError } from './upstream.ts';

/** Whose calls a connection carries, as far as sharing goes. */
export interface SharingClient {
  readonly key: string;
  readonly capabilities: JsonObject;
  readonly info: { readonly name: string; readonly version: string } | undefined;
}

export type Sharing = 'auto' | 'shared' | 'session';

export interface ClientConnectionsOptions {
  /** The connection that everyone shares, connected on first use. */
  shared(server: string, signal: AbortSignal): Promise<Upstream>;
  /** A connection for one client alone, which declares what the client declared. */
  openOwn(server: string, client: SharingClient, signal: AbortSignal): Promise<Upstream>;
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
  lastUsedAt: number;
}

/**
 * Decides who shares a connection. A server without sessions serves everyone on one; a session-bound one gets a session per
 * client; a stdio server that could ask its client something gets a process per client, so that a question always finds
 * its caller.
 */
export class ClientConnections {
  readonly #options: ClientConnectionsOptions;
  readonly #own = new Map<string, Own>();

  constructor(options: ClientConnectionsOptions) {
    this.#options = options;
  }

  async connection(server: string, client: SharingClient, signal: AbortSignal): Promise<Upstream> {
    const known = this.#own.get(ownKey(server, client.key));
    if (known && !known.opened?.closed) {
      known.lastUsedAt = this.#options.now();
      return known.upstream;
    }
    const sharing = this.#options.sharing(server);
    const shared = await this.#options.shared(server, signal);
    if (sharing === 'shared' || (sharing === 'auto' && !needsOwn(shared, client))) return shared;
    return this.#openOwn(server, client, shared, signal);
  }

  /** The own connections of a client that are open. */
  open(client: { readonly key: string }): { server: string; upstream: Upstream }[] {
    return [...this.#own.values()].flatMap(({ key, server, opened }) =>
      key === client.key && opened && !opened.closed ? [{ server, upstream: opened }] : [],
    );
  }

  /** Closes what was opened for a client that is gone. */
  release(key: string): void {
    for (const own of this.#own.values()) if (own.key === key) this.#close(own);
  }

  /** The server was removed or is another one now: what runs may end, what comes next opens anew. */
  retire(server: string): void {
    for (const own of this.#own.values()) {
      if (own.server === server) this.#close(own, CONNECTION_LIMITS.removedGraceMs);
    }
  }

  /** Closes own connections that nobody used for a while. */
  closeIdle(): void {
    const idleSince = this.#options.now() - SHARING_LIMITS.ownIdleMs;
    for (const own of this.#own.values()) if (own.lastUsedAt <= idleSince) this.#close(own);
  }

  /** Own connections per server, for people. */
  count(server: string): number {
    return [...this.#own.values()].filter((own) => own.server === server).length;
  }

  async close(): Promise<void> {
    const all = [...this.#own.values()];
    this.#own.clear();
    await Promise.allSettled(all.map(async ({ upstream }) => (await upstream).close()));
  }

  #openOwn(server: string, client: SharingClient, shared: Upstream, signal: AbortSignal): Promise<Upstream> {
    const most = shared.transport === 'stdio' ? SHARING_LIMITS.ownProcessesMax : SHARING_LIMITS.ownSessionsMax;
    if (this.count(server) >= most)
      throw new UpstreamError('rate_limited', `all ${most} own connections of the server are in use`, {
        retryAfterMs: 1_000,
      });
    const upstream = this.#options.openOwn(server, client, signal);
    const own: Own = { server, key: client.key, upstream, opened: undefined, lastUsedAt: this.#options.now() };
    const key = ownKey(server, client.key);
    this.#own.set(key, own);
    upstream.then(
      (opened) => {
        own.opened = opened;
        opened.on('notification', (notification) => this.#options.onNotification(server, client.key, notification));
        opened.on('close', () => this.#forget(key, own));
      },
      () => this.#forget(key, own),
    );
    return upstream;
  }

  #forget(key: string, own: Own): void {
    if (this.#own.get(key) === own) this.#own.delete(key);
  }

  #close(own: Own, graceMs = 0): void {
    this.#forget(ownKey(own.server, own.key), own);
    own.upstream.then(
      (upstream) => upstream.closeWhenIdle(graceMs),
      () => {
        // It never opened; whoever asked for it was told.
      },
    );
  }
}

function needsOwn(shared: Upstream, { capabilities }: SharingClient): boolean {
  if (shared.era === '2026') return false;
  if (shared.transport === 'http') return shared.sessionBound;
  return (
    capabilities.elicitation !== undefined || capabilities.sampling !== undefined || capabilities.roots !== undefined
  );
}

function ownKey(server: string, key: string): string {
  return `${server}\n${key}`;
}
