import type { NotificationMessage } from '../../../contract/json.ts';
import type { Subscription, Upstream } from '../../../wire/upstream.ts';
import type { ServerSet, ServerStatus } from '../supervision/server-set.ts';

interface Watch {
  readonly server: string;
  readonly uri: string;
  readonly listeners: Set<() => void>;
  /** The connection on which the subscription was made. */
  upstream: Upstream | undefined;
  /** 2026 only: the stream of updates. */
  subscription: Subscription | undefined;
}

/** Subscribed resources; renews the subscriptions when a server reconnects. */
export class ResourceSubscriptions {
  readonly #connections: ServerSet;
  readonly #watches = new Map<string, Watch>();

  constructor(connections: ServerSet) {
    this.#connections = connections;
    connections
      .on('notification', (id, notification) => this.#onNotification(id, notification))
      .on('status', (status) => this.#onStatus(status));
  }

  /** Calls back when the resource changes; resolves to a function that unsubscribes. Rejects with an `UpstreamError`. */
  async watch(server: string, uri: string, onChange: () => void): Promise<() => Promise<void>> {
    const key = `${server}\n${uri}`;
    const fresh: Watch = { server, uri, listeners: new Set(), upstream: undefined, subscription: undefined };
    const watch = this.#watches.get(key) ?? fresh;
    this.#watches.set(key, watch);
    const listener = () => onChange();
    watch.listeners.add(listener);
    const end = async () => {
      watch.listeners.delete(listener);
      if (watch.listeners.size > 0 || !this.#watches.delete(key)) return;
      await this.#unsubscribe(watch);
    };
    try {
      await this.#subscribe(watch);
      return end;
    } catch (thrown) {
      await end();
      throw thrown;
    }
  }

  async #subscribe(watch: Watch): Promise<void> {
    const { server, uri } = watch;
    const upstream = await this.#connections.connection(server);
    if (watch.upstream === upstream) return;
    watch.upstream = upstream;
    watch.subscription?.close();
    if (upstream.era === '2026') watch.subscription = upstream.listen({ resourceSubscriptions: [uri] });
    else await upstream.request({ method: 'resources/subscribe', params: { uri } });
  }

  async #unsubscribe({ upstream, subscription, uri }: Watch): Promise<void> {
    subscription?.close();
    if (upstream === undefined || upstream.closed || upstream.era === '2026') return;
    await upstream.request({ method: 'resources/unsubscribe', params: { uri } }).catch(() => {
      // There is no listener left, so a failure does not matter.
    });
  }

  #onNotification(id: string, { method, params }: NotificationMessage): void {
    if (method !== 'notifications/resources/updated') return;
    for (const listener of this.#watches.get(`${id}\n${String(params?.uri)}`)?.listeners ?? []) listener();
  }

  #onStatus({ id, connected }: ServerStatus): void {
    if (!connected) return;
    for (const watch of this.#watches.values()) {
      if (watch.server !== id) continue;
      this.#subscribe(watch).catch(() => {
        // The next reconnect tries again.
        watch.upstream = undefined;
      });
    }
  }
}
