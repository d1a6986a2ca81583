import { DEFINITION_LIMITS } from './definition-limits.ts';
import type { ServerOffer } from './server-offer.ts';
import { matcherOf } from './uri-template.ts';

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

/** Listed exactly, else matching a template, else the only server with resources; the smallest id among several. */
export function routeResource(offers: readonly ServerOffer[], uri: string): ResourceRoute | undefined {
  const own = parseOwnUri(uri);
  if (own) return withOwner(offers, own);
  const sorted = [...offers].sort((a, b) => (a.server < b.server ? -1 : 1));
  const listed = sorted.find((offer) => offer.resources.some((resource) => resource.uri === uri));
  const templated =
    listed ?? sorted.find(({ resourceTemplates }) => matchersOf(resourceTemplates).some((matches) => matches(uri)));
  const able = sorted.filter((offer) => offer.capabilities.resources !== undefined);
  const found = templated ?? (able.length === 1 ? able[0] : undefined);
  return found && { server: found.server, uri, ...(found.owner === undefined ? {} : { owner: found.owner }) };
}

type Templates = ServerOffer['resourceTemplates'];

const knownMatchers = new WeakMap<Templates, ((uri: string) => boolean)[]>();

/** What a server's templates stand for. They are read once: every read of a resource asks all servers. */
function matchersOf(templates: Templates): ((uri: string) => boolean)[] {
  let matchers = knownMatchers.get(templates);
  if (!matchers) {
    const counted = templates.slice(0, DEFINITION_LIMITS.templatesMax);
    matchers = counted.map(({ uriTemplate }) => matcherOf(uriTemplate));
    knownMatchers.set(templates, matchers);
  }
  return matchers;
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
