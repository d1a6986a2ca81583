import type { LookupFunction } from 'node:net';
import type { Log } from '../contract/ports.ts';
import { Semaphore } from './connection/pool/semaphore.ts';
import type { ClientIdentity } from './connection/ports.ts';
import type { NameResolver } from './connection/supervision/named-endpoint.ts';
import type { HttpSpec, ServerSpec } from './connection/supervision/server-set.ts';
import { OAuthAuthorizer } from './oauth/oauth-authorizer.ts';
import { oauthDispatcher } from './oauth/oauth-dispatcher.ts';
import type { SignInPorts } from './oauth/sign-in.ts';
import type { CredentialStore } from './oauth/token-store.ts';
import { type EntryPool, HttpPool } from './transports/http-pool.ts';
import { createPublicAgent } from './transports/public-agent.ts';

export interface HttpAccessOptions {
  readonly client: ClientIdentity;
  readonly log: Log;
  readonly tokens: CredentialStore;
  /** Resolves `ai://` names; undefined: names do not resolve. */
  readonly names?: NameResolver;
  /** Signs a person in if a server requires it; undefined: such a server stays in `auth_required`. */
  readonly person?: SignInPorts;
  /** How many sign-ins may run at the same time; default 1, so that only one browser page opens. */
  readonly signInsAtOnce?: number;
  /** The public https URL of our client metadata, if there is one now. */
  readonly clientMetadataUrl?: () => string | undefined;
  readonly now?: () => number;
  /** Resolves hosts that the user did not enter; default: the system's resolver, public addresses only. */
  readonly lookup?: LookupFunction;
}

/** HTTP access to servers: chooses the connection pool by address, and provides tokens. */
export class HttpAccess {
  readonly #options: HttpAccessOptions;
  /** For addresses that the user entered. */
  readonly #pool = new HttpPool();
  /** For other addresses; created on first use. */
  #publicPool: HttpPool | undefined;
  readonly #turns: Semaphore;
  readonly #authorizers = new Map<string, { readonly url: string; readonly authorizer: OAuthAuthorizer }>();

  constructor(options: HttpAccessOptions) {
    this.#options = options;
    this.#turns = new Semaphore(options.signInsAtOnce ?? 1);
  }

  dispatcherFor(spec: HttpSpec): EntryPool {
    const isUsersWord = spec.identity
      ? this.#options.names?.allowsPrivateEndpoints?.() === true
      : spec.publicOnly !== true;
    return (isUsersWord ? this.#pool : this.#publicOnly()).entry(spec);
  }

  #publicOnly(): HttpPool {
    const { lookup } = this.#options;
    this.#publicPool ??= new HttpPool(() => createPublicAgent(lookup ? { lookup } : {}));
    return this.#publicPool;
  }

  authorizerFor(spec: HttpSpec, url: URL): OAuthAuthorizer {
    const known = this.#authorizers.get(spec.id);
    if (known?.url === url.href) return known.authorizer;
    const { tokens, person, client, clientMetadataUrl, log, now = Date.now } = this.#options;
    const authorizer = new OAuthAuthorizer(spec.id, url, spec.oauth || {}, {
      store: tokens,
      dispatcher: oauthDispatcher(url, spec.oauth || {}, {
        server: this.dispatcherFor(spec),
        anywhere: this.#pool.entry(spec),
        publicOnly: () => this.#publicOnly().entry(spec),
      }),
      now,
      log,
      turns: this.#turns,
      person,
      registration: { clientName: `${client.info.title ?? client.info.name} (${spec.id})`, clientMetadataUrl },
    });
    this.#authorizers.set(spec.id, { url: url.href, authorizer });
    return authorizer;
  }

  /** Drops the cached sign-in of a server. */
  forget(id: string): void {
    this.#authorizers.delete(id);
  }

  /** The server has ended: closes its connections. */
  leave(spec: ServerSpec): void {
    this.#pool.leave(spec);
    this.#publicPool?.leave(spec);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#publicPool?.destroy()]);
  }
}
