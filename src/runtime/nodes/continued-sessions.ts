import { BinderyError } from '../../contract/errors.ts';
import { isAloneWithCalls, type SharingClient } from '../../host/connection/pool/client-connections.ts';
import type { UpstreamPlace, UpstreamSessions } from '../../store/postgres/upstream-sessions.ts';
import type { ContinuedSession, KeptSession, Upstream } from '../../wire/upstream.ts';

export interface ContinuedSessionsOptions {
  readonly store: Pick<UpstreamSessions, 'find' | 'add' | 'replace'>;
  whenReachable(): Promise<void>;
  onError(error: unknown): void;
}

/** Sessions of clients at session-bound servers, which any node goes on with: a server sees one session, whichever node calls. */
export class ContinuedSessions {
  readonly #options: ContinuedSessionsOptions;

  constructor(options: ContinuedSessionsOptions) {
    this.#options = options;
  }

  /** Opens a client's own connection: with the session that another node began, else with one that others can go on with. */
  async open(
    place: UpstreamPlace,
    client: SharingClient,
    connect: (kept?: KeptSession) => Promise<Upstream>,
  ): Promise<Upstream> {
    // Calls of such a client have a session each: there is none that could be gone on with.
    if (isAloneWithCalls(client)) return connect();
    const kept = this.#kept(place);
    const known = await this.#find(place);
    if (known) return keep(await connect({ ...kept, continues: known }));
    const upstream = await connect(kept);
    const own = upstream.session;
    if (!own) return upstream;
    const first = await this.#add(place, own);
    if (first.id === own.id) return keep(upstream);
    // Another node was first: the client's state is there.
    await upstream.close();
    return keep(await connect({ ...kept, continues: first }));
  }

  #kept(place: UpstreamPlace): KeptSession {
    const { store, whenReachable, onError } = this.#options;
    return {
      newerThan: async (lost) => {
        const now = await this.#find(place);
        return now?.id === lost ? undefined : now;
      },
      renewed: async (session) => {
        await store.replace(place, session).catch((thrown: unknown) => {
          if (!isCut(thrown)) throw thrown;
          void whenReachable()
            .then(() => store.replace(place, session))
            .catch(onError);
        });
      },
    };
  }

  /** During a cut a client gets a session of its own, so that plain calls go on. */
  async #find(place: UpstreamPlace): Promise<ContinuedSession | undefined> {
    try {
      return (await this.#options.store.find(place)) as ContinuedSession | undefined;
    } catch (thrown) {
      if (isCut(thrown)) return undefined;
      throw thrown;
    }
  }

  async #add(place: UpstreamPlace, session: ContinuedSession): Promise<ContinuedSession> {
    const { store, whenReachable, onError } = this.#options;
    try {
      return (await store.add(place, session)) as ContinuedSession;
    } catch (thrown) {
      if (!isCut(thrown)) throw thrown;
      void whenReachable()
        .then(() => store.add(place, session))
        .catch(onError);
      return session;
    }
  }
}

/** Its session outlives the connection. */
function keep(upstream: Upstream): Upstream {
  upstream.keepSession(true);
  return upstream;
}

function isCut(thrown: unknown): boolean {
  return thrown instanceof BinderyError && thrown.code === 'STORE_UNAVAILABLE';
}
