import { isAloneWithCalls, type SharingClient } from '../../host/connection/pool/client-connections.ts';
import type { Client } from '../../proxy/message/client.ts';
import { ifReachable, isUnreachable } from '../../store/postgres/as-store-error.ts';
import type { UpstreamPlace, UpstreamSessions } from '../../store/postgres/upstream-sessions.ts';
import type { ContinuedSession, KeptSession, Upstream } from '../../wire/upstream.ts';
import { endpointOf } from '../config/effective-server.ts';
import type { OwnProcesses, ProcessGateway } from './own-processes.ts';

export interface ContinuedSessionsOptions {
  readonly store: UpstreamSessions;
  readonly processes: OwnProcesses;
  readonly gateway: () => ProcessGateway;
  onError(error: unknown): void;
}

/** Clients' sessions at session-bound servers. Any node can continue them, so a server sees one session, whichever node calls. */
export class ContinuedSessions {
  readonly #options: ContinuedSessionsOptions;

  constructor(options: ContinuedSessionsOptions) {
    this.#options = options;
  }

  /** Opens a connection for one client only. Other nodes continue its session, or forward calls to it. */
  openOwn(
    server: string,
    client: SharingClient,
    connect: (kept?: KeptSession) => Promise<Upstream>,
  ): Promise<Upstream> {
    const { gateway, processes } = this.#options;
    const effective = gateway().config.find(server);
    // A process cannot move to another node. With a session per call there is nothing to continue.
    if (effective?.spec?.transport === 'stdio' || isAloneWithCalls(client, effective?.configured.entry?.sharing))
      return connect().then((upstream) => processes.claimed(server, client, upstream));
    return this.#open({ server, client: client.key, endpoint: endpointOf(effective) }, connect);
  }

  /** Sessions at servers outlive their connections, but not the client's session. */
  end(client: Client): void {
    const { gateway, store, onError } = this.#options;
    for (const { upstream } of gateway().gateway.ports.connections.open(client)) upstream.keepSession(false);
    store.remove(client.key).catch(onError);
  }

  /** Continues the session that another node began, or opens one that others can continue. */
  async #open(place: UpstreamPlace, connect: (kept?: KeptSession) => Promise<Upstream>): Promise<Upstream> {
    const kept = this.#kept(place);
    const known = await this.#find(place);
    if (known) return keep(await connect({ ...kept, continues: known }));
    const upstream = await connect(kept);
    const own = upstream.session;
    if (!own) return upstream;
    const first = ((await this.#nowOrLater(() => this.#options.store.add(place, own))) ?? own) as ContinuedSession;
    if (first.id === own.id) return keep(upstream);
    // Another node was first: the client's state is in its session.
    await upstream.close();
    return keep(await connect({ ...kept, continues: first }));
  }

  #kept(place: UpstreamPlace): KeptSession {
    const { store } = this.#options;
    return {
      newerThan: async (lost) => {
        const now = await this.#find(place);
        return now?.id === lost ? undefined : now;
      },
      renewed: (session) => this.#nowOrLater(() => store.replace(place, session)),
    };
  }

  /** While the database is unreachable, a client gets a new session, so that plain calls work. */
  #find(place: UpstreamPlace): Promise<ContinuedSession | undefined> {
    return ifReachable(this.#options.store.find(place) as Promise<ContinuedSession | undefined>);
  }

  /** Runs the work now, or as soon as the database is reachable again. */
  async #nowOrLater<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { store, onError } = this.#options;
    try {
      return await work();
    } catch (thrown) {
      if (!isUnreachable(thrown)) throw thrown;
      void store.whenReachable().then(work).catch(onError);
      return undefined;
    }
  }
}

/** Keeps the session open after the connection closes. */
function keep(upstream: Upstream): Upstream {
  upstream.keepSession(true);
  return upstream;
}
