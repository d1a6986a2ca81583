import type { Log } from '../../contract/ports.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { ViewSource } from './profile-view.ts';

/** A connection that serves one client only. */
export interface OwnPlace {
  readonly server: string;
  readonly key: string;
  readonly upstream: object;
}

/** The lists of one connection, as its client may see them. */
export type OwnOffer = Pick<ServerOffer, 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'extras'>;

interface OwnListsOptions<P extends OwnPlace> {
  /** Lists what the server offers; undefined if the server is no longer configured. */
  list(place: P): Promise<OwnOffer | undefined>;
  onChanged(place: P, kinds: readonly ListName[]): void;
  readonly log: Log;
}

export type ListName = 'tools' | 'resources' | 'prompts';

/** The lists of one connection, and the request for them, if one is running. */
interface Listing {
  offer: OwnOffer | undefined;
  running: Promise<void> | undefined;
  /** Kinds that changed since the last request for the lists. */
  readonly changed: Set<ListName>;
  timer: NodeJS.Timeout | undefined;
}

/** The lists of clients whose own process or session lists something else than the shared connection. */
export class OwnLists<P extends OwnPlace> {
  readonly #options: OwnListsOptions<P>;
  readonly #byKey = new Map<string, Map<P['upstream'], { readonly place: P; readonly listing: Listing }>>();
  readonly #sources = new Map<string, WeakMap<ViewSource, ViewSource>>();
  #version = 0;

  constructor(options: OwnListsOptions<P>) {
    this.#options = options;
  }

  /** A server reported on a client's own connection that a list has changed. */
  changed(place: P, kind: ListName): void {
    const own = this.#byKey.get(place.key) ?? new Map();
    this.#byKey.set(place.key, own);
    const { listing } = own.get(place.upstream) ?? { listing: newListing() };
    own.set(place.upstream, { place, listing });
    listing.changed.add(kind);
    if (listing.running === undefined && listing.timer === undefined) this.#run(place, listing);
  }

  /** The connection closed: removes its lists. */
  ended(place: P): void {
    const own = this.#byKey.get(place.key);
    const known = own?.get(place.upstream);
    if (!own || !known) return;
    clearTimeout(known.listing.timer);
    own.delete(place.upstream);
    if (own.size === 0) this.#byKey.delete(place.key);
    this.#sources.delete(place.key);
    this.#version += 1;
    if (known.listing.offer) this.#options.onChanged(place, ['tools', 'resources', 'prompts']);
  }

  /** Resolves when running requests for a client's lists have ended; undefined: none is running. */
  settled(key: string): Promise<unknown> | undefined {
    const running = [...(this.#byKey.get(key)?.values() ?? [])].flatMap(({ listing }) => listing.running ?? []);
    return running.length > 0 ? Promise.all(running) : undefined;
  }

  /** Whether a client has lists of its own. */
  has(key: string): boolean {
    return this.#sources.has(key);
  }

  /** The source for a client: unchanged, or with the lists of its own connections instead of the shared ones. */
  as(source: ViewSource, key: string): ViewSource {
    const sources = this.#sources.get(key);
    if (!sources) return source;
    const known = sources.get(source);
    if (known) return known;
    const seen: ViewSource = {
      version: () => source.version() + this.#version,
      offers: () =>
        [...source.offers()].map((offer) => {
          const own = this.#offerOf(key, offer.server);
          // Return other offers as the same objects, because caches are keyed by them.
          return own ? { ...offer, ...own } : offer;
        }),
      absentOffers: () => source.absentOffers?.() ?? [],
      servers: () => source.servers?.() ?? [],
      policyLayers: (profile) => source.policyLayers(profile),
      isQuarantined: (server) => source.isQuarantined?.(server) ?? false,
      ...(source.searchAids ? { searchAids: source.searchAids } : {}),
    };
    sources.set(source, seen);
    return seen;
  }

  /** If there are several connections to one server, the latest change counts. */
  #offerOf(key: string, server: string): OwnOffer | undefined {
    const own = [...(this.#byKey.get(key)?.values() ?? [])];
    return own.findLast(({ place, listing }) => place.server === server && listing.offer)?.listing.offer;
  }

  #run(place: P, listing: Listing): void {
    listing.running = this.#list(place, listing).finally(() => {
      listing.running = undefined;
      if (listing.changed.size === 0) return;
      // Throttle: a server that reports changes all the time is listed once per interval.
      listing.timer = setTimeout(() => {
        listing.timer = undefined;
        this.#run(place, listing);
      }, PROXY_LIMITS.changesGatherMs).unref();
    });
  }

  async #list(place: P, listing: Listing): Promise<void> {
    const kinds = [...listing.changed];
    listing.changed.clear();
    try {
      const offer = await this.#options.list(place);
      const own = this.#byKey.get(place.key);
      if (!offer || own?.get(place.upstream)?.listing !== listing) return;
      listing.offer = offer;
      // Keep the newest last.
      own.delete(place.upstream);
      own.set(place.upstream, { place, listing });
      if (!this.#sources.has(place.key)) this.#sources.set(place.key, new WeakMap());
      this.#version += 1;
    } catch (error) {
      this.#options.log.warn('the lists of a client connection could not be read', { server: place.server, error });
    }
    this.#options.onChanged(place, kinds);
  }
}

function newListing(): Listing {
  return { offer: undefined, running: undefined, changed: new Set(), timer: undefined };
}

const LIST_CHANGED = /^notifications\/(tools|resources|prompts)\/list_changed$/;

/** The list that a notification reports as changed; undefined: none. */
export function changedList(method: string): ListName | undefined {
  return LIST_CHANGED.exec(method)?.[1] as ListName | undefined;
}
