import type { NotificationMessage } from '../../contract/json.ts';
import type { Log } from '../../contract/ports.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { ClientConnections, type ClientConnectionsOptions } from '../../host/connection/pool/client-connections.ts';
import type { ServerSpec, ServerStatus } from '../../host/connection/supervision/server-set.ts';
import type { Host } from '../../host/host.ts';
import type { UpstreamNotice } from '../../proxy/lists/change-feed.ts';
import type { ViewSource } from '../../proxy/lists/profile-view.ts';
import { lastSeenCatalogues } from '../catalogue/served-servers.ts';
import type { OwnHooks } from '../connections/own-sessions.ts';
import type { OAuthCallbacks } from './oauth-callbacks.ts';

/** What a gateway provides for its users' realms. */
export interface UserSide {
  /** A host with this user's tokens. */
  createHost(owner: string): Host;
  /** The last known offers to this user. */
  remembered(owner: string): Map<string, ServerOffer>;
  /** Stores what a server offers this user now. */
  learn(owner: string, server: string, host: Host): Promise<ServerOffer>;
  readonly shared: ViewSource;
  onNotice(notice: UpstreamNotice): void;
  /** Lists of this user may have changed. */
  onChanged(): void;
  readonly callbacks: OAuthCallbacks;
  readonly log: Log;
  now(): number;
}

export interface UserRealmOptions extends UserSide {
  openOwn(
    host: Host,
    ...args: Parameters<ClientConnectionsOptions['openOwn']>
  ): ReturnType<ClientConnectionsOptions['openOwn']>;
  readonly sharing: ClientConnectionsOptions['sharing'];
  /** Handlers for events of this user's own connections. */
  ownHooks(owner: string): OwnHooks;
}

/** One user's view of servers with per-user credentials: connections, tokens and catalogues that no other user shares. */
export class UserRealm {
  readonly owner: string;
  readonly host: Host;
  /** The shared view plus this user's own offers. */
  readonly view: ViewSource;
  readonly connections: ClientConnections;
  lastUsedAt: number;
  readonly #options: UserRealmOptions;
  readonly #waiting = new Set<string>();
  #offers: Map<string, ServerOffer>;
  #version = 0;

  constructor(owner: string, options: UserRealmOptions, specs: readonly ServerSpec[]) {
    this.owner = owner;
    this.#options = options;
    this.lastUsedAt = options.now();
    this.#offers = options.remembered(owner);
    this.view = {
      ...options.shared,
      // Both only grow, so their sum changes with either of them.
      version: () => options.shared.version() + this.#version,
      offers: () => [...options.shared.offers(), ...this.#offers.values()],
    };
    this.host = options.createHost(owner);
    this.connections = new ClientConnections({
      shared: (server, signal) => this.host.connection(server, signal),
      openOwn: (server, client) => options.openOwn(this.host, server, client),
      sharing: options.sharing,
      ...options.ownHooks(owner),
      now: options.now,
    });
    this.host.on('catalogue', (id: string) => void this.#learn(id));
    this.host.on('status', (status: ServerStatus) => this.#onStatus(status));
    this.host.on('notification', (server: string, { method, params }: NotificationMessage) =>
      options.onNotice({ server, key: undefined, owner, method, params }),
    );
    this.host.on('removed', (id) => this.connections.retire(id));
    this.apply(specs);
  }

  apply(specs: readonly ServerSpec[]): void {
    const wanted = new Set(specs.map(({ id }) => id));
    for (const id of this.#offers.keys()) if (!wanted.has(id)) this.#offers.delete(id);
    for (const id of this.#waiting) if (!wanted.has(id)) this.#waiting.delete(id);
    this.host.apply(specs, lastSeenCatalogues([...this.#offers.values()]));
    this.#version += 1;
  }

  /** Servers that wait for this user to sign in. */
  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** A person changed the stored offers: reload them. */
  recall(): void {
    this.#offers = this.#options.remembered(this.owner);
    this.#version += 1;
  }

  /** Closes this user's connection to a server and deletes the sign-in. */
  async signOut(server: string): Promise<void> {
    this.connections.retire(server, 0);
    if (this.host.statusOf(server)) await this.host.signOut(server);
  }

  async close(): Promise<void> {
    await this.connections.close();
    await this.host.close();
  }

  async #learn(id: string): Promise<void> {
    try {
      this.#offers.set(id, await this.#options.learn(this.owner, id, this.host));
      this.#changed();
    } catch (error) {
      this.#options.log.warn('a catalogue could not be stored', { server: id, owner: this.owner, error });
    }
  }

  #onStatus({ id, state }: ServerStatus): void {
    const waits = state === 'auth_required';
    if (waits === this.#waiting.has(id) || state === 'connecting') return;
    if (waits) this.#waiting.add(id);
    else this.#waiting.delete(id);
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    this.#options.onChanged();
  }
}
