import { heldExtrasCode, type ServerOffer } from './server-offer.ts';
import { matchesTemplate } from './uri-template.ts';

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

/**
 * Listed exactly, else matching a template, else the only server with resources; the smallest id among several. A server whose
 * resources are held takes none from the others: it is found only where no other has the resource.
 */
export function routeResource(offers: readonly ServerOffer[], uri: string): ResourceRoute | undefined {
  const own = parseOwnUri(uri);
  if (own) return withOwner(offers, own);
  const isHeld = (offer: ServerOffer) => heldExtrasCode(offer) !== undefined;
  const open = offers.filter((offer) => !isHeld(offer));
  const able = open.filter((offer) => offer.capabilities.resources !== undefined);
  const found =
    offering(open, uri) ?? (able.length === 1 ? able[0] : undefined) ?? offering(offers.filter(isHeld), uri);
  return found && { server: found.server, uri, ...(found.owner === undefined ? {} : { owner: found.owner }) };
}

/** The server that lists a resource, or has a template for it. */
function offering(offers: readonly ServerOffer[], uri: string): ServerOffer | undefined {
  const sorted = [...offers].sort((a, b) => (a.server < b.server ? -1 : 1));
  const listed = sorted.find((offer) => offer.resources.some((resource) => resource.uri === uri));
  return (
    listed ??
    sorted.find((offer) => offer.resourceTemplates.some((template) => matchesTemplate(template.uriTemplate, uri)))
  );
}

function withOwner(offers: readonly ServerOffer[], route: ResourceRoute): ResourceRoute | undefined {
  const offer = offers.find(({ server }) => server === route.server);
  return offer && (offer.owner === undefined ? route : { ...route, owner: offer.owner });
}

/** Resources of all servers: plain URIs, and the own form for one that another server shadows. */
export function listedResources(offers: readonly ServerOffer[]): Readonly<Record<string, unknown>>[] {
  const taken = new Set<unknown>();
  return [...offers]
    .sort((a, b) => (a.server < b.server ? -1 : 1))
    .flatMap(({ server, resources }) =>
      resources.map((resource) => {
        if (!taken.has(resource.uri)) {
          taken.add(resource.uri);
          return resource;
        }
        return { ...resource, uri: ownUri(server, String(resource.uri)) };
      }),
    );
}

function parseOwnUri(uri: string): ResourceRoute | undefined {
  const match = /^bindery:\/\/([A-Za-z0-9_-]{1,64})\/(.+)$/.exec(uri);
  if (!match) return undefined;
  try {
    return { server: match[1] as string, uri: decodeURIComponent(match[2] as string) };
  } catch {
    return undefined;
  }
}
