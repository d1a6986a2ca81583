import type { Log } from '../../contract/ports.ts';
import {
  type BoundedReport,
  boundedCatalogue,
  boundedText,
  TOLD_MAX,
} from '../../gateway/catalogue/bounded-catalogue.ts';
import {
  heldCount,
  identityOf,
  offeredExtras,
  offeredTools,
  type PinPolicy,
  type RawCatalogue,
  repinned,
  type ServerOffer,
} from '../../gateway/catalogue/server-offer.ts';
import type { OwnOffer } from '../../proxy/lists/own-lists.ts';
import type { AcceptedDefinitions } from '../../store/registry/accepted-definitions.ts';
import type { Upstream } from '../../wire/upstream.ts';

/** How a server is configured, as far as what it offers depends on it. */
export interface ServerPlace {
  /** A definition that changed is held until a person accepts it. */
  readonly pinned: boolean;
  /** A definition that is not accepted yet is held as well. */
  readonly quarantined?: boolean;
  /** As the registry names it: no arguments, no secrets. */
  readonly endpoint: string;
  /** Which registration of its name it is, where it registered itself. */
  readonly registration?: string | undefined;
}

/** Undefined: no such server is configured. */
export type PlaceOf = (server: string) => ServerPlace | undefined;

/** An offer without the tools that the entry of its server leaves out. */
export type ChosenOf = (offer: ServerOffer) => ServerOffer;

export interface PinnedOffersOptions {
  readonly definitions: AcceptedDefinitions;
  readonly placeOf: PlaceOf;
  readonly chosenOf: ChosenOf;
  readonly log: Log;
}

/** A connection on which a server listed what it has; with an owner where it is one user's. */
export interface ListedConnection {
  readonly server: string;
  readonly upstream: Upstream;
  readonly owner: string | undefined;
}

/** Makes offers of what servers list: bounded, and held where a person has to accept a definition of that very server first. */
export class PinnedOffers {
  readonly #definitions: AcceptedDefinitions;
  readonly #placeOf: PlaceOf;
  readonly #chosenOf: ChosenOf;
  readonly #log: Log;
  /** Of each server, what of its lists is left out or repaired. */
  readonly #leftOut = new Map<string, string>();

  constructor({ definitions, placeOf, chosenOf, log }: PinnedOffersOptions) {
    this.#definitions = definitions;
    this.#placeOf = placeOf;
    this.#chosenOf = chosenOf;
    this.#log = log;
  }

  /** Whether the server that is configured under this name made the offer. */
  isFrom({ server, endpoint, registration }: ServerOffer): boolean {
    const place = this.#placeOf(server);
    if (place === undefined) return true;
    return registration === place.registration && (endpoint === undefined || endpoint === place.endpoint);
  }

  /**
   * An offer as it is held now. Its own word on that is as old as the offer, and another node may have written it before it heard what a
   * person accepted.
   */
  renew(offer: ServerOffer): ServerOffer {
    const place = this.#placeOf(offer.server);
    if (!place || (!place.pinned && !place.quarantined && heldCount(offer) === 0)) return offer;
    const pins = this.pinsOf(offer.server, place, offer.owner);
    const renewed = { ...offer, tools: repinned(offer.tools, pins), extras: offeredExtras(offer, pins) };
    return holds(renewed) === holds(offer) ? offer : renewed;
  }

  /** What a server offers on a connection. */
  offerOf({ server, upstream, owner }: ListedConnection, listed: RawCatalogue, place: ServerPlace): ServerOffer {
    const pins = this.pinsOf(server, place, owner);
    const { catalogue, ...report } = boundedCatalogue(listed);
    this.#tellBounded(server, report);
    const offer = {
      server,
      endpoint: place.endpoint,
      ...(place.registration === undefined ? {} : { registration: place.registration }),
      ...(owner === undefined ? {} : { owner }),
      era: upstream.era,
      protocolVersion: upstream.protocolVersion,
      serverInfo: upstream.serverInfo ?? null,
      capabilities: upstream.capabilities,
      instructions: upstream.instructions ?? null,
      tools: offeredTools(catalogue.tools, pins),
      resources: catalogue.resources,
      resourceTemplates: catalogue.resourceTemplates,
      prompts: catalogue.prompts,
    };
    return { ...offer, extras: offeredExtras(offer, pins) };
  }

  /** What a server offers on a connection of one client alone, held to the same pins; nothing of it is kept. */
  ownOffer(listed: ListedConnection, catalogue: RawCatalogue): OwnOffer | undefined {
    const place = this.#placeOf(listed.server);
    if (!place) return undefined;
    const offer = this.#chosenOf(this.offerOf(listed, catalogue, place));
    const { tools, resources, resourceTemplates, prompts, extras } = offer;
    return { tools, resources, resourceTemplates, prompts, ...(extras ? { extras } : {}) };
  }

  /** Held is what nobody accepted of this very server; the table of tools only says what was in use when it was written. */
  pinsOf(server: string, { pinned, quarantined = false, ...place }: ServerPlace, owner?: string): PinPolicy {
    const { endpoint, registration } = place;
    const at = { server, endpoint, ...(registration === undefined ? {} : { registration }) };
    const inUse = this.#definitions.inUse({ ...at, ...(owner === undefined ? {} : { owner }) });
    return { pinned, quarantined, inUse, isAccepted: this.#definitions.accepted(identityOf(at)) };
  }

  /** What of a server's lists is left out or repaired, and why; undefined where all of it is kept as it is. */
  leftOutOf(server: string): string | undefined {
    return this.#leftOut.get(server);
  }

  /** Says once what of a server's lists is not kept as it is, and again when that changes. */
  #tellBounded(server: string, report: BoundedReport): void {
    const text = boundedText(report);
    if (this.leftOutOf(server) === text) return;
    if (text === undefined) {
      this.#leftOut.delete(server);
      this.#log.info('the lists of a server are kept as they are again', { server });
      return;
    }
    this.#leftOut.set(server, text);
    const { leftOut, tooDeep, unusable, repaired } = report;
    const names = Object.entries({ too_deep: tooDeep, unusable, repaired }).filter(([, { length }]) => length > 0);
    this.#log.warn('definitions of a server are left out or repaired', {
      server,
      left_out: leftOut,
      ...Object.fromEntries(names.map(([why, told]) => [why, told.slice(0, TOLD_MAX)])),
    });
  }
}

/** What of an offer is held, to compare with. */
function holds({ tools, extras }: ServerOffer): string {
  return [extras?.status, ...tools.map(({ status }) => status)].join();
}
