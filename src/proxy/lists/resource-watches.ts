import type { CancelSignal } from '../../contract/cancellation.ts';
import type { ResourceRoute } from '../../gateway/catalogue/resource-routes.ts';
import type { CallUpstream } from '../../wire/upstream.ts';
import { SubscriptionPlaces } from './subscription-places.ts';

/** The connection that all clients share, or all clients of one owner. */
type SharedConnection = (server: string, signal: CancelSignal, owner: string | undefined) => Promise<CallUpstream>;

interface Watch {
  watchers: number;
  /** Ends the subscription on the server. */
  readonly stop: Promise<() => void>;
}

/** Subscriptions to resources on shared connections: one per server and URI, for any number of clients. */
export class ResourceWatches {
  readonly places = new SubscriptionPlaces();
  readonly #shared: SharedConnection;
  readonly #watches = new Map<string, Watch>();
  /** Subscriptions of sessions: the client's URI, by route. */
  readonly #bySession = new Map<string, Map<string, { readonly uri: string; readonly unwatch: () => void }>>();

  constructor(shared: SharedConnection) {
    this.#shared = shared;
  }

  /** Watches a resource until the returned function is called. Rejects if the server cannot be asked. */
  async watch(route: ResourceRoute, signal: CancelSignal): Promise<() => void> {
    const key = keyOf(route);
    const watch = this.#watches.get(key) ?? { watchers: 0, stop: this.#begin(route, signal) };
    this.#watches.set(key, watch);
    watch.watchers += 1;
    const unwatch = once(() => {
      watch.watchers -= 1;
      if (watch.watchers > 0) return;
      if (this.#watches.get(key) === watch) this.#watches.delete(key);
      watch.stop.then(
        (stop) => stop(),
        () => {
          // The subscription never began.
        },
      );
    });
    try {
      await watch.stop;
      return unwatch;
    } catch (thrown) {
      unwatch();
      throw thrown;
    }
  }

  /** Watches for a session until it unsubscribes or ends. */
  async subscribe(session: string, uri: string, route: ResourceRoute, signal: CancelSignal): Promise<void> {
    const unwatch = await this.watch(route, signal);
    const watched = this.#bySession.get(session) ?? new Map();
    this.#bySession.set(session, watched);
    watched.get(keyOf(route))?.unwatch();
    watched.set(keyOf(route), { uri, unwatch });
  }

  /** False if the session had not subscribed. */
  unsubscribe(session: string, route: ResourceRoute): boolean {
    const watched = this.#bySession.get(session);
    watched?.get(keyOf(route))?.unwatch();
    return watched?.delete(keyOf(route)) ?? false;
  }

  /** The client's URI of a resource that the session subscribed to. */
  subscribedUri(session: string, route: ResourceRoute): string | undefined {
    return this.#bySession.get(session)?.get(keyOf(route))?.uri;
  }

  /** Removes all subscriptions of a session that has ended. */
  release(session: string): void {
    this.places.release(session);
    for (const { unwatch } of this.#bySession.get(session)?.values() ?? []) unwatch();
    this.#bySession.delete(session);
  }

  async #begin({ server, uri, owner }: ResourceRoute, signal: CancelSignal): Promise<() => void> {
    const upstream = await this.#shared(server, signal, owner);
    if (upstream.era === '2026') {
      const subscription = upstream.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    }
    await upstream.request({ method: 'resources/subscribe', params: { uri } }, { signal });
    return () => {
      upstream.request({ method: 'resources/unsubscribe', params: { uri } }).catch(() => {
        // A closed connection has no subscriptions.
      });
    };
  }
}

function keyOf({ server, uri, owner = '' }: ResourceRoute): string {
  return `${server}\n${owner}\n${uri}`;
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}
