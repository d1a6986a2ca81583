import type { JsonObject } from '../../contract/json.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import { type Claim, claimedSince } from './claims.ts';
import { compareBytes } from './compare-bytes.ts';
import { DEFINITION_LIMITS } from './definition-limits.ts';
import { heldExtrasCode, type ServerOffer } from './server-offer.ts';
import { hasScheme, literalStart, matcherOf, sampleOf } from './uri-template.ts';

const OWN_SCHEME = 'bindery://';

/** `bindery://<server>/<uri>`: the unambiguous address of one server's resource. */
export function ownUri(server: string, uri: string): string {
  return `${OWN_SCHEME}${server}/${encodeURIComponent(uri)}`;
}

/** The server of a URI, and the URI on that server. */
export interface ResourceRoute {
  readonly server: string;
  readonly uri: string;
  /** The caller whose connection reads it, if each caller has its own. */
  readonly owner?: string | undefined;
}

/** A URI or template that another server claimed first. */
export interface ResourceConflict {
  readonly kind: 'resource' | 'template';
  readonly name: string;
  /** The server with the older claim. */
  readonly owner: string;
}

/**
 * Maps resources to servers. A URI belongs to the server with the oldest claim, by listing it or by a matching template. If claims are
 * equally old, a listing wins over a template, then the smaller id wins. The other servers' resources use `ownUri`. Among several
 * servers, a template without a literal scheme claims nothing, because it matches the URIs of all of them.
 */
export class ResourceRoutes {
  readonly #offers: readonly ServerOffer[];
  /** The offers and the absent ones. */
  readonly #claimants: readonly ServerOffer[];
  #exact: ReadonlyMap<string, Claim> | undefined;
  #templates: TemplateClaims | undefined;
  readonly #conflicts = new Map<string, ResourceConflict[]>();

  /**
   * `absent`: the last known offers of servers that are off at present. They list nothing, but keep their URIs: these lead to no other
   * server.
   */
  constructor(offers: readonly ServerOffer[], absent: readonly ServerOffer[] = []) {
    this.#offers = offers.toSorted(byServer);
    const present = new Set(offers.map(({ server }) => server));
    this.#claimants = [...offers, ...absent.filter(({ server }) => !present.has(server))].sort(byServer);
  }

  /** Whether they were built from exactly these offers, in any order. */
  isOf(offers: readonly ServerOffer[], absent: readonly ServerOffer[] = []): boolean {
    const [present, all] = [new Set(this.#offers), new Set(this.#claimants)];
    return (
      offers.length === present.size &&
      offers.length + absent.length === all.size &&
      offers.every((offer) => present.has(offer)) &&
      absent.every((offer) => all.has(offer))
    );
  }

  /** The server of a URI; an unknown URI goes to the only server with resources, if there is exactly one. */
  route(uri: string): ResourceRoute | undefined {
    const own = parseOwnUri(uri);
    if (own) return this.#own(own);
    return this.#routeTo(this.#serverOf(uri), uri);
  }

  /** The server of a URI that is off at present. */
  absentOwner(uri: string): string | undefined {
    const own = parseOwnUri(uri);
    const owner = own ? this.#claimants.find(({ server }) => server === own.server) : this.#serverOf(uri);
    return owner && !this.#offers.includes(owner) ? owner.server : undefined;
  }

  #serverOf(uri: string): ServerOffer | undefined {
    const owner = this.#ownerOf(uri);
    if (owner && !isHeldBack(owner)) return owner;
    const able = this.#claimants.filter((offer) => offer.capabilities.resources !== undefined && !isHeld(offer));
    return able.length === 1 ? able[0] : owner;
  }

  #routeTo(offer: ServerOffer | undefined, uri: string): ResourceRoute | undefined {
    return offer && this.#offers.includes(offer) ? routeTo(offer, uri) : undefined;
  }

  /** The server of a template from the list of templates. */
  template(uriTemplate: string): ResourceRoute | undefined {
    const own = parseOwnUri(uriTemplate);
    if (own) return this.#own(own);
    const claim = this.#allTemplates()
      .candidates(sampleOf(uriTemplate))
      .find(({ template }) => template === uriTemplate);
    return this.#routeTo(claim?.offer, uriTemplate);
  }

  /** The URI that clients use for a server's URI. */
  publicUri(server: string, uri: string): string {
    return !uri.startsWith(OWN_SCHEME) && this.route(uri)?.server === server ? uri : ownUri(server, uri);
  }

  /** The resources of the selected servers: plain URIs, or `ownUri` if another server has the URI. */
  listed(isListed: (offer: ServerOffer) => boolean): JsonObject[] {
    return this.#offers.filter(isListed).flatMap((offer) =>
      distinct(offer.resources, 'uri').map((resource) => {
        const uri = resource.uri as string;
        const isPlain = !uri.startsWith(OWN_SCHEME) && this.#ownerOf(uri) === offer;
        return isPlain ? resource : { ...resource, uri: ownUri(offer.server, uri) };
      }),
    );
  }

  /** The templates of the selected servers. Not encoded in the own form, because their expressions must stay usable. */
  listedTemplates(isListed: (offer: ServerOffer) => boolean): JsonObject[] {
    return this.#offers.filter(isListed).flatMap((offer) =>
      distinct(offer.resourceTemplates, 'uriTemplate').map((item) => {
        const template = item.uriTemplate as string;
        const isPlain = !template.startsWith(OWN_SCHEME) && this.#canClaim(template);
        if (isPlain && !this.#earlierTemplate(offer, template)) return item;
        return { ...item, uriTemplate: `${OWN_SCHEME}${offer.server}/${template}` };
      }),
    );
  }

  /** The URIs and templates of a server that belong to other servers, up to a limit. */
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
    // Templates are ordered by claim: only those older than the listing count, and the first match wins.
    for (const claim of this.#allTemplates().candidates(uri)) {
      if (exact && claim.since >= exact.since) break;
      if (claim.matches(uri)) return claim.offer;
    }
    return exact?.offer;
  }

  /** An older claim of another server to a template or to its URIs. */
  #earlierTemplate({ server }: ServerOffer, template: string): TemplateClaim | undefined {
    const sample = sampleOf(template);
    // An equal template has the same literal start, so it is among the candidates.
    for (const claim of this.#allTemplates().candidates(sample)) {
      const isOurs = claim.offer.server === server;
      if (isOurs && claim.template === template) return undefined;
      if (!isOurs && (claim.template === template || claim.matches(sample))) return claim;
    }
    return undefined;
  }

  #canClaim(template: string): boolean {
    return hasScheme(template) || this.#claimants.length === 1;
  }

  #own(route: ResourceRoute): ResourceRoute | undefined {
    const offer = this.#offers.find(({ server }) => server === route.server);
    return offer && routeTo(offer, route.uri);
  }

  #allExact(): ReadonlyMap<string, Claim> {
    if (this.#exact) return this.#exact;
    const exact = new Map<string, Claim>();
    for (const offer of this.#claimants) {
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
      this.#claimants
        .flatMap((offer) =>
          offer.resourceTemplates.slice(0, DEFINITION_LIMITS.templatesMax).flatMap(({ uriTemplate }) => {
            const template = uriTemplate as string;
            if (!this.#canClaim(template)) return [];
            const since = heldBack(offer, claimedSince(offer, 'template', template));
            return [{ offer, template, matches: matcherOf(template), since }];
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

/** A server whose resources have been in quarantine since the beginning gets only those that no other server has. */
function heldBack(offer: ServerOffer, since: number): number {
  return isHeldBack(offer) ? Number.POSITIVE_INFINITY : since;
}

function isHeldBack(offer: ServerOffer): boolean {
  return isHeld(offer) && offer.claims?.wereUsable !== true;
}

function byServer(a: ServerOffer, b: ServerOffer): number {
  return compareBytes(a.server, b.server);
}

function routeTo({ server, owner }: ServerOffer, uri: string): ResourceRoute {
  return { server, uri, ...(owner === undefined ? {} : { owner }) };
}

function distinct(items: readonly JsonObject[], key: string): JsonObject[] {
  return [...new Map(items.map((item) => [item[key], item])).values()];
}

/** The part after the server is either encoded, or it begins with a scheme: encoded text contains no colon. */
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

/** Indexes the templates of all servers by their literal start, so that a URI is matched against only a few. */
export class TemplateClaims {
  readonly #byStart = new Map<string, Ranked[]>();
  readonly #startLengths: readonly number[];

  /** The claims are ordered by precedence. */
  constructor(claims: readonly TemplateClaim[]) {
    for (const [rank, claim] of claims.entries()) {
      const start = literalStart(claim.template);
      const group = this.#byStart.get(start);
      if (group) group.push({ claim, rank });
      else this.#byStart.set(start, [{ claim, rank }]);
    }
    this.#startLengths = [...new Set([...this.#byStart.keys()].map((start) => start.length))];
  }

  /** The claims whose literal start matches, in order of precedence. */
  candidates(text: string): TemplateClaim[] {
    const groups = this.#startLengths.flatMap((length) =>
      length > text.length ? [] : (this.#byStart.get(text.slice(0, length)) ?? []),
    );
    return groups.sort((a, b) => a.rank - b.rank).map(({ claim }) => claim);
  }
}
