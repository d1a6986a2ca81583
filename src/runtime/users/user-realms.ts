import { randomUUID } from 'node:crypto';
import type { ClientConnections } from '../../host/connection/pool/client-connections.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import type { SignInPorts } from '../../host/oauth/sign-in.ts';
import type { Connections } from '../../proxy/call/ports.ts';
import type { ProfileSettings, ViewSource } from '../../proxy/lists/profile-view.ts';
import type { PendingSignIn, SignInPort } from '../../proxy/own-tools/sign-in-gate.ts';
import { UpstreamError } from '../../wire/upstream.ts';
import { signInOwner } from './callers.ts';
import { UserRealm, type UserRealmOptions } from './user-realm.ts';

/** How many users' connections are kept, and how long they may be idle. */
export const REALM_LIMITS = {
  realmsMax: 500,
  /** Longer than the longest call, so that no call is cut off. */
  idleMs: 15 * 60_000,
  /** An idle connection of a user is closed; the next call reopens it. */
  connectionIdleMs: 5 * 60_000,
  signInsAtOnce: 8,
  signInMs: 10 * 60_000,
} as const;

/** Receives the progress of a caller's sign-in to a server. */
type WatchSignIn = (
  server: string,
  caller: string,
) => Pick<SignInPorts, 'onStep' | 'onRequest'> & { onFailed?(thrown: unknown): void };

/** The realms of all active users, and their sign-ins. */
export class UserRealms implements SignInPort {
  readonly #options: UserRealmOptions;
  readonly #realms = new Map<string, UserRealm>();
  readonly #signIns = new Map<string, Promise<PendingSignIn>>();
  readonly #closing = new Set<Promise<void>>();
  #specs: ReadonlyMap<string, ServerSpec> = new Map();
  #watch: WatchSignIn = () => ({});

  constructor(options: UserRealmOptions) {
    this.#options = options;
  }

  /** Observes every sign-in from now on. */
  onSignIn(watch: WatchSignIn): void {
    this.#watch = watch;
  }

  /** Applies the servers with per-user credentials. */
  apply(specs: readonly ServerSpec[]): void {
    const resting = specs.map((spec) => ({ ...spec, idleStopMs: spec.idleStopMs ?? REALM_LIMITS.connectionIdleMs }));
    this.#specs = new Map(resting.map((spec) => [spec.id, spec]));
    for (const realm of this.#realms.values()) realm.apply(resting);
  }

  isPerUser(server: string): boolean {
    return this.#specs.has(server);
  }

  /** The realm of a caller, created on first use. Throws if there are too many. */
  of(caller: string): UserRealm {
    const owner = signInOwner(caller);
    const known = this.#realms.get(owner);
    if (known) {
      known.lastUsedAt = this.#options.now();
      return known;
    }
    if (this.#realms.size >= REALM_LIMITS.realmsMax) this.closeIdle();
    if (this.#realms.size >= REALM_LIMITS.realmsMax)
      throw new UpstreamError('busy', 'too many users have connections of their own', { retryAfterMs: 60_000 });
    const realm = new UserRealm(owner, this.#options, [...this.#specs.values()]);
    this.#realms.set(owner, realm);
    return realm;
  }

  find(caller: string): UserRealm | undefined {
    return this.#realms.get(signInOwner(caller));
  }

  /** The view with a caller's own offers; undefined if the profile has no such server. */
  privateTo({ servers }: ProfileSettings, caller: string): ViewSource | undefined {
    if (this.#specs.size === 0) return undefined;
    if (servers && !servers.some((server) => this.#specs.has(server))) return undefined;
    const known = this.find(caller);
    // A caller above the limit still sees the shared offers.
    if (!known && this.#realms.size >= REALM_LIMITS.realmsMax) return undefined;
    return this.of(caller).view;
  }

  waiting(caller: string): readonly string[] {
    return this.find(caller)?.waiting ?? [];
  }

  begin(server: string, caller: string): Promise<PendingSignIn> {
    const owner = signInOwner(caller);
    const key = JSON.stringify([owner, server]);
    const known = this.#signIns.get(key);
    if (known) return known;
    const begun = this.#begin(server, owner);
    this.#signIns.set(key, begun);
    const end = () => this.#signIns.delete(key);
    begun.then(({ done }) => done).then(end, end);
    return begun;
  }

  all(): Iterable<UserRealm> {
    return this.#realms.values();
  }

  /** Clients' connections; to servers with per-user credentials those of the client's caller. */
  connections(shared: ClientConnections): Connections {
    const each = () => [shared, ...[...this.all()].map(({ connections }) => connections)];
    return {
      connection: (server, client, signal) =>
        (this.isPerUser(server) ? this.of(client.caller).connections : shared).connection(server, client, signal),
      open: (client) => [...shared.open(client), ...(this.find(client.caller)?.connections.open(client) ?? [])],
      isOwn: (upstream) => each().some((one) => one.isOwn(upstream)),
      isPerCaller: (server) => this.isPerUser(server),
      release: (key) => {
        for (const one of each()) one.release(key);
      },
      left: (key) => {
        for (const one of each()) one.left(key);
      },
    };
  }

  /** Closes the realms of idle users. */
  closeIdle(): void {
    const idleSince = this.#options.now() - REALM_LIMITS.idleMs;
    for (const realm of this.#realms.values()) {
      realm.connections.closeIdle();
      if (realm.lastUsedAt > idleSince) continue;
      this.#realms.delete(realm.owner);
      const closing = realm.close().finally(() => this.#closing.delete(closing));
      this.#closing.add(closing);
    }
  }

  async close(): Promise<void> {
    const realms = [...this.#realms.values()];
    this.#realms.clear();
    await Promise.all([...this.#closing, ...realms.map((realm) => realm.close())]);
  }

  /** Resolves with the address as soon as it is known. The sign-in continues until it completes or times out. */
  #begin(server: string, caller: string): Promise<PendingSignIn> {
    return new Promise((resolve, reject) => {
      const callback = this.#options.callbacks.listener();
      const { onFailed, ...watch } = this.#watch(server, caller);
      const done = this.of(caller).host.login(server, {
        ...watch,
        timeoutMs: REALM_LIMITS.signInMs,
        ...(callback ? { callback: () => callback } : {}),
        present: async ({ authorizationUrl }) => {
          const url = callback?.invite({ server, owner: caller, authorizationUrl }) ?? authorizationUrl;
          resolve({ id: randomUUID(), url, done });
        },
      });
      done.catch((thrown: unknown) => {
        onFailed?.(thrown);
        reject(thrown);
      });
    });
  }
}
