import type { NotificationMessage } from '../../contract/json.ts';
import type { Log } from '../../contract/ports.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { PolicyLayer } from '../../gateway/policy/decide.ts';
import type { Catalogue } from '../../host/connection/catalogue/catalogue.ts';
import { ClientConnections, type ClientConnectionsOptions } from '../../host/connection/pool/client-connections.ts';
import type { ServerStatus } from '../../host/connection/supervision/server-set.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-spec.ts';
import type { Host } from '../../host/host.ts';
import type { UpstreamNotice } from '../../proxy/lists/change-feed.ts';
import { NO_AIDS } from '../../proxy/lists/profile-search.ts';
import type { ViewSource } from '../../proxy/lists/profile-view.ts';
import type { Upstream } from '../../wire/upstream.ts';
import { lastSeenCatalogues } from '../catalogue/served-servers.ts';
import type { OwnHooks } from '../connections/own-sessions.ts';
import type { OAuthCallbacks } from './oauth-callbacks.ts';

/** What a gateway keeps of users, and what everybody sees. */
export interface UserSide {
  /** A host whose tokens are this user's. */
  createHost(owner: string): Host;
  /** What this user was offered when the servers were last seen. */
  remembered(owner: string): Map<string, ServerOffer>;
  /** Remembers what a server offers this user now. */
  learn(owner: string, server: string, upstream: Upstream, catalogue: Catalogue): Promise<ServerOffer>;
  /** What everybody sees. */
  readonly shared: ViewSource;
  onNotice(notice: UpstreamNotice): void;
  /** Lists of this user may have changed. */
  onChanged(): void;
  readonly callbacks: OAuthCallbacks;
  readonly log: Log;
  now(): number;
}

export interface UserRealmOptions extends UserSide {
  openOwn(host: Host, ...args: Parameters<ClientConnectionsOptions['openOwn']>): Promise<Upstream>;
  readonly sharing: ClientConnectionsOptions['sharing'];
  /** What becomes of what this user's own connections say. */
  ownHooks(owner: string): OwnHooks;
}

/** One user's side of the servers that want a credential of each: connections, tokens and catalogues that no other user shares. */
export class UserRealm implements ViewSource {
  readonly owner: string;
  readonly host: Host;
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

  /** Both only grow: their sum is another one as soon as either is. */
  version(): number {
    return this.#options.shared.version() + this.#version;
  }

  offers(): Iterable<ServerOffer> {
    return [...this.#options.shared.offers(), ...this.#offers.values()];
  }

  policyLayers(profile: string): readonly PolicyLayer[] {
    return this.#options.shared.policyLayers(profile);
  }

  isQuarantined(server: string): boolean {
    return this.#options.shared.isQuarantined?.(server) ?? false;
  }

  get searchAids() {
    return this.#options.shared.searchAids ?? NO_AIDS;
  }

  /** A person changed what is remembered. */
  recall(): void {
    this.#offers = this.#options.remembered(this.owner);
    this.#version += 1;
  }

  /** Ends what this user has with a server, and forgets how they signed in to it. */
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
      const upstream = await this.host.connection(id);
      this.#offers.set(id, await this.#options.learn(this.owner, id, upstream, this.host.catalogueOf(id)));
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
