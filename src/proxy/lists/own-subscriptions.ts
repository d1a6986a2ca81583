import type { CallUpstream } from '../../wire/upstream.ts';

type Told = Pick<CallUpstream, 'era' | 'capabilities' | 'request' | 'listen'>;

/** A connection of one client alone. */
interface OwnConnection {
  readonly server: string;
  readonly key: string;
  readonly upstream: Told;
}

/** What was sent to a server on one connection. */
interface Known {
  level: string | undefined;
  readonly watched: Set<string>;
}

/**
 * The resources that clients watch and the log level that they want, told to the servers of their own connections: to those that are open,
 * and to those that are opened later, since a connection may be evicted and opened again.
 */
export class OwnSubscriptions {
  /** key → server → URI → how many of the client's streams want it. */
  readonly #wanted = new Map<string, Map<string, Map<string, number>>>();
  readonly #known = new WeakMap<object, Known>();

  /** A client subscribes to a resource. */
  want(key: string, server: string, uri: string): void {
    const servers = this.#wanted.get(key) ?? new Map<string, Map<string, number>>();
    this.#wanted.set(key, servers);
    const uris = servers.get(server) ?? new Map<string, number>();
    servers.set(server, uris);
    uris.set(uri, (uris.get(uri) ?? 0) + 1);
  }

  /** Undoes one `want`. */
  unwant(key: string, server: string, uri: string): void {
    const servers = this.#wanted.get(key);
    const uris = servers?.get(server);
    const left = (uris?.get(uri) ?? 0) - 1;
    if (left > 0) uris?.set(uri, left);
    else uris?.delete(uri);
    if (uris?.size === 0) servers?.delete(server);
    if (servers?.size === 0) this.#wanted.delete(key);
  }

  forget(key: string): void {
    this.#wanted.delete(key);
  }

  /** The server watches a resource, or does not, because its client said so itself. */
  note({ upstream }: Pick<OwnConnection, 'upstream'>, uri: string, isWatched: boolean): void {
    const { watched } = this.#knownOf(upstream);
    if (isWatched) watched.add(uri);
    else watched.delete(uri);
  }

  /** Sends a server the subscriptions and the log level of its client that it does not have yet; undefined: there are none. */
  prepare({ server, key, upstream }: OwnConnection, level: string | undefined): Promise<void> | undefined {
    const known = this.#knownOf(upstream);
    const wanted = this.#wanted.get(key)?.get(server);
    const uris = wanted ? [...wanted.keys()].filter((uri) => !known.watched.has(uri)) : [];
    const work = uris.map((uri) => watch(upstream, known, uri));
    const hasLevels = upstream.era === '2025' && upstream.capabilities.logging !== undefined;
    if (level !== undefined && level !== known.level && hasLevels) work.push(setLevel(upstream, known, level));
    return work.length === 0 ? undefined : Promise.all(work).then(() => undefined);
  }

  #knownOf(upstream: Told): Known {
    const known = this.#known.get(upstream) ?? { level: undefined, watched: new Set() };
    this.#known.set(upstream, known);
    return known;
  }
}

async function setLevel(upstream: Told, known: Known, level: string): Promise<void> {
  known.level = level;
  await upstream.request({ method: 'logging/setLevel', params: { level } }).catch(() => {
    // A server that does not take the level logs as it likes; the call is made nevertheless.
  });
}

async function watch(upstream: Told, known: Known, uri: string): Promise<void> {
  known.watched.add(uri);
  if (upstream.era === '2026') {
    // It ends with the connection, and so do its notifications.
    upstream.listen({ resourceSubscriptions: [uri] });
    return;
  }
  await upstream.request({ method: 'resources/subscribe', params: { uri } }).catch(() => {
    // A server that has no subscriptions says nothing of its resources; the call is made nevertheless.
  });
}
