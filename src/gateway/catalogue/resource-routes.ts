import type { JsonObject } from '../../contract/json.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import { type Claim, claimedSince } from './claims.ts';
import { compareBytes } from './compare-bytes.ts';
import { DEFINITION_LIMITS } from './definition-limits.ts';
import { heldExtrasCode, type ServerOffer } from './server-offer.ts';
import { literalStart, matcherOf, sampleOf } from './uri-template.ts';

const OWN_SCHEME = 'bindery://';

/** `bindery://<server>/<uri>`: how one server's resource is addressed whatever others call theirs. */
export function ownUri(server: string, uri: string): string {
  return `${OWN_SCHEME}${server}/${encodeURIComponent(uri)}`;
}

/** Which server a URI belongs to, and what it is called there. */
export interface ResourceRoute {
  readonly server: string;
  readonly uri: string;
  /** Whose connection it is read on, where each caller has an own one. */
  readonly owner?: string | undefined;
}

/** A URI or template that a server lists and another server had first. */
export interface ResourceConflict {
  readonly kind: 'resource' | 'template';
  readonly name: string;
  /** The server that has it. */
  readonly owner: string;
}

/**
 * Which server has which resource. A URI belongs to the server with the oldest claim on it: by listing it, or by a template that it fits.
 * Among equally old claims a listing wins over a template, then the smaller id wins. Every other server is addressed by `ownUri`.
 */
export class ResourceRoutes {
  readonly #offers: readonly ServerOffer[];
  #exact: ReadonlyMap<string, Claim> | undefined;
  #templates: TemplateClaims | undefined;
  readonly #conflicts = new Map<string, ResourceConflict[]>();

  constructor(offers: readonly ServerOffer[]) {
    this.#offers = offers.toSorted((a, b) => compareBytes(a.server, b.server));
  }

  /** Whether they are made of these very offers, in any order. */
  isOf(offers: readonly ServerOffer[]): boolean {
    const own = new Set(this.#offers);
    return offers.length === own.size && offers.every((offer) => own.has(offer));
  }

  /** The server that a URI belongs to; an unknown URI goes to the only server with resources, if there is just one. */
  route(uri: string): ResourceRoute | undefined {
    const own = parseOwnUri(uri);
    if (own) return this.#own(own);
    const owner = this.#ownerOf(uri);
    if (owner && !isHeld(owner)) return routeTo(owner, uri);
    const able = this.#offers.filter((offer) => offer.capabilities.resources !== undefined && !isHeld(offer));
    const offer = able.length === 1 ? able[0] : owner;
    return offer && routeTo(offer, uri);
  }

  /** The server whose template this is, as the list of templates gives it. */
  template(uriTemplate: string): ResourceRoute | undefined {
    const own = parseOwnUri(uriTemplate);
    if (own) return this.#own(own);
    const claim = this.#allTemplates()
      .candidates(sampleOf(uriTemplate))
      .find(({ template }) => template === uriTemplate);
    return claim && routeTo(claim.offer, uriTemplate);
  }

  /** How clients address what a server calls so. */
  publicUri(server: string, uri: string): string {
    return !uri.startsWith(OWN_SCHEME) && this.route(uri)?.server === server ? uri : ownUri(server, uri);
  }

  /** The resources of some of the servers: plain URIs, and the own form where another server has the URI. */
  listed(isListed: (offer: ServerOffer) => boolean): JsonObject[] {
    return this.#offers.filter(isListed).flatMap((offer) =>
      distinct(offer.resources, 'uri').map((resource) => {
        const uri = resource.uri as string;
        const isPlain = !uri.startsWith(OWN_SCHEME) && this.#ownerOf(uri) === offer;
        return isPlain ? resource : { ...resource, uri: ownUri(offer.server, uri) };
      }),
    );
  }

  /** Their templates, likewise. The own form of a template is not encoded: its expressions have to stay expressions. */
  listedTemplates(isListed: (offer: ServerOffer) => boolean): JsonObject[] {
    return this.#offers.filter(isListed).flatMap((offer) =>
      distinct(offer.resourceTemplates, 'uriTemplate').map((item) => {
        const template = item.uriTemplate as string;
        if (!template.startsWith(OWN_SCHEME) && !this.#earlierTemplate(offer, template)) return item;
        return { ...item, uriTemplate: `${OWN_SCHEME}${offer.server}/${template}` };
      }),
    );
  }

  /** What a server lists and another has, as far as it is shown. */
  conflicts(server: string): ResourceConflict[] {
    const known = this.#conflicts.get(server) ?? this.#findConflicts(server);
    this.#conflicts.set(server, known);
    return known;
  }

  #findConflicts(server: string): ResourceConflict[] {
    const offer = this.#offers.find((other) => other.server === server);
    const found: ResourceConflict[] = [];
    for (const { uri } of offer?.resources ?? []) {
      const owner = this.#ownerOf(uri as string)?.server;
      if (owner !== undefined && owner !== server) found.push({ kind: 'resource', name: uri as string, owner });
      if (found.length >= GATEWAY_LIMITS.conflictsShownMax) return found;
    }
    for (const { uriTemplate } of offer?.resourceTemplates ?? []) {
      const earlier = offer && this.#earlierTemplate(offer, uriTemplate as string);
      if (earlier) found.push({ kind: 'template', name: uriTemplate as string, owner: earlier.offer.server });
      if (found.length >= GATEWAY_LIMITS.conflictsShownMax) return found;
    }
    return found;
  }

  #ownerOf(uri: string): ServerOffer | undefined {
    const exact = this.#allExact().get(uri);
    // Templates are in the order of their claims: only one that is older than the listing counts, and the first that fits.
    for (const claim of this.#allTemplates().candidates(uri)) {
      if (exact && claim.since >= exact.since) break;
      if (claim.matches(uri)) return claim.offer;
    }
    return exact?.offer;
  }

  /** The claim of another server by which a template, or what is made of it, is not this server's. */
  #earlierTemplate({ server }: ServerOffer, template: string): TemplateClaim | undefined {
    const sample = sampleOf(template);
    // An equal template begins as this one does, and so does its sample.
    for (const claim of this.#allTemplates().candidates(sample)) {
      const isOurs = claim.offer.server === server;
      if (isOurs && claim.template === template) return undefined;
      if (!isOurs && (claim.template === template || claim.matches(sample))) return claim;
    }
    return undefined;
  }

  #own(route: ResourceRoute): ResourceRoute | undefined {
    const offer = this.#offers.find(({ server }) => server === route.server);
    return offer && routeTo(offer, route.uri);
  }

  #allExact(): ReadonlyMap<string, Claim> {
    if (this.#exact) return this.#exact;
    const exact = new Map<string, Claim>();
    for (const offer of this.#offers) {
      for (const { uri } of offer.resources) {
        const since = heldBack(offer, claimedSince(offer, 'resource', uri as string));
        const known = exact.get(uri as string);
        if (!known || since < known.since) exact.set(uri as string, { offer, since });
      }
    }
    this.#exact = exact;
    return exact;
  }

  #allTemplates(): TemplateClaims {
    this.#templates ??= new TemplateClaims(
      this.#offers
        .flatMap((offer) =>
          offer.resourceTemplates.slice(0, DEFINITION_LIMITS.templatesMax).map(({ uriTemplate }) => {
            const template = uriTemplate as string;
            const since = heldBack(offer, claimedSince(offer, 'template', template));
            return { offer, template, matches: matcherOf(template), since };
          }),
        )
        .sort((a, b) => a.since - b.since || compareBytes(a.offer.server, b.offer.server)),
    );
    return this.#templates;
  }
}

function isHeld(offer: ServerOffer): boolean {
  return heldExtrasCode(offer) !== undefined;
}

/** A server whose resources wait for a person takes none from the others: it has only what no other server has. */
function heldBack(offer: ServerOffer, since: number): number {
  return isHeld(offer) ? Number.POSITIVE_INFINITY : since;
}

function routeTo({ server, owner }: ServerOffer, uri: string): ResourceRoute {
  return { server, uri, ...(owner === undefined ? {} : { owner }) };
}

function distinct(items: readonly JsonObject[], key: string): JsonObject[] {
  return [...new Map(items.map((item) => [item[key], item])).values()];
}

/** What follows the server is encoded, or as it is where it begins with a scheme: a colon cannot stand in what was encoded. */
function parseOwnUri(uri: string): ResourceRoute | undefined {
  const [, server, rest] = /^bindery:\/\/([A-Za-z0-9_-]{1,64})\/(.+)$/.exec(uri) ?? [];
  if (server === undefined || rest === undefined) return undefined;
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(rest)) return { server, uri: rest };
  try {
    return { server, uri: decodeURIComponent(rest) };
  } catch {
    return undefined;
  }
}

export interface TemplateClaim extends Claim {
  readonly template: string;
  readonly matches: (uri: string) => boolean;
}

interface Ranked {
  readonly claim: TemplateClaim;
  readonly rank: number;
}

/** The templates of all servers by the text that they begin with, so that a URI is compared with few of them. */
export class TemplateClaims {
  readonly #byStart = new Map<string, Ranked[]>();
  readonly #startLengths: readonly number[];

  /** In the order in which claims win. */
  constructor(claims: readonly TemplateClaim[]) {
    for (const [rank, claim] of claims.entries()) {
      const start = literalStart(claim.template);
      const group = this.#byStart.get(start);
      if (group) group.push({ claim, rank });
      else this.#byStart.set(start, [{ claim, rank }]);
    }
    this.#startLengths = [...new Set([...this.#byStart.keys()].map((start) => start.length))];
  }

  /** The claims whose templates begin as the text does, in the order in which they win. */
  candidates(text: string): TemplateClaim[] {
    const groups = this.#startLengths.flatMap((length) =>
      length > text.length ? [] : (this.#byStart.get(text.slice(0, length)) ?? []),
    );
    return groups.sort((a, b) => a.rank - b.rank).map(({ claim }) => claim);
  }
}
