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

/** The parts of a server's configuration that affect its offer. */
export interface ServerPlace {
  /** A changed definition is held until a person accepts it. */
  readonly pinned: boolean;
  /** A definition that is not accepted yet is held as well. */
  readonly quarantined?: boolean;
  /** The endpoint as in the registry: no arguments, no secrets. */
  readonly endpoint: string;
  /** Identifies the registration, if the server registered itself. */
  readonly registration?: string | undefined;
}

/** Undefined: no such server is configured. */
export type PlaceOf = (server: string) => ServerPlace | undefined;

/** An offer without the tools that the server's entry excludes. */
export type ChosenOf = (offer: ServerOffer) => ServerOffer;

export interface PinnedOffersOptions {
  readonly definitions: AcceptedDefinitions;
  readonly placeOf: PlaceOf;
  readonly chosenOf: ChosenOf;
  readonly log: Log;
}

/** A connection on which a server sent its lists; `owner` is set for one user's connection. */
export interface ListedConnection {
  readonly server: string;
  readonly upstream: Upstream;
  readonly owner: string | undefined;
}

/** Turns servers' lists into offers: bounded, and held until a person accepts the definitions of this server, if required. */
export class PinnedOffers {
  readonly #definitions: AcceptedDefinitions;
  readonly #placeOf: PlaceOf;
  readonly #chosenOf: ChosenOf;
  readonly #log: Log;
  /** Per server: which parts of its lists were left out or repaired. */
  readonly #leftOut = new Map<string, string>();

  constructor({ definitions, placeOf, chosenOf, log }: PinnedOffersOptions) {
    this.#definitions = definitions;
    this.#placeOf = placeOf;
    this.#chosenOf = chosenOf;
    this.#log = log;
  }

  /** Whether an offer comes from the server that is now configured under its name. */
  isFrom({ server, endpoint, registration }: ServerOffer): boolean {
    const place = this.#placeOf(server);
    if (place === undefined) return true;
    return registration === place.registration && (endpoint === undefined || endpoint === place.endpoint);
  }

  /**
   * An offer with its current held state. The stored state may be outdated: another node may have written it before it received a
   * person's acceptance.
   */
  renew(offer: ServerOffer): ServerOffer {
    const place = this.#placeOf(offer.server);
    if (!place || (!place.pinned && !place.quarantined && heldCount(offer) === 0)) return offer;
    const pins = this.pinsOf(offer.server, place, offer.owner);
    const renewed = { ...offer, tools: repinned(offer.tools, pins), extras: offeredExtras(offer, pins) };
    return holds(renewed) === holds(offer) ? offer : renewed;
  }

  /** The offer of a server on a connection. */
  offerOf({ server, upstream, owner }: ListedConnection, listed: RawCatalogue, place: ServerPlace): ServerOffer {
    const pins = this.pinsOf(server, place, owner);
    const { catalogue, ...report } = boundedCatalogue(listed);
    this.#logBounded(server, report);
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

  /** The offer on one client's own connection, held to the same pins; nothing is stored. */
  ownOffer(listed: ListedConnection, catalogue: RawCatalogue): OwnOffer | undefined {
    const place = this.#placeOf(listed.server);
    if (!place) return undefined;
    const offer = this.#chosenOf(this.offerOf(listed, catalogue, place));
    const { tools, resources, resourceTemplates, prompts, extras } = offer;
    return { tools, resources, resourceTemplates, prompts, ...(extras ? { extras } : {}) };
  }

  /**
   * The pin policy of a server: definitions without acceptance are held. The table of tools only records what was in use when it was
   * written.
   */
  pinsOf(server: string, { pinned, quarantined = false, ...place }: ServerPlace, owner?: string): PinPolicy {
    const { endpoint, registration } = place;
    const at = { server, endpoint, ...(registration === undefined ? {} : { registration }) };
    const inUse = this.#definitions.inUse({ ...at, ...(owner === undefined ? {} : { owner }) });
    return { pinned, quarantined, inUse, isAccepted: this.#definitions.accepted(identityOf(at)) };
  }

  /** Which parts of a server's lists were left out or repaired, and why; undefined: none. */
  leftOutOf(server: string): string | undefined {
    return this.#leftOut.get(server);
  }

  /** Logs changes of what was left out or repaired. */
  #logBounded(server: string, report: BoundedReport): void {
    const text = boundedText(report);
    if (this.leftOutOf(server) === text) return;
    if (text === undefined) {
      this.#leftOut.delete(server);
      this.#log.info('definitions of a server are complete again', { server });
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

/** The held state of an offer, for comparison. */
function holds({ tools, extras }: ServerOffer): string {
  return [extras?.status, ...tools.map(({ status }) => status)].join();
}
