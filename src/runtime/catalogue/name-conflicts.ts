import type { Log } from '../../contract/ports.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import { type ResourceConflict, ResourceRoutes } from '../../gateway/catalogue/resource-routes.ts';
import { UP_LIMITS } from '../limits.ts';
import type { ServedServers } from './served-servers.ts';
import type { ServerCatalogue } from './server-catalogue.ts';

/** The resources of a server whose URIs another server listed first. */
export function conflictsOf(
  { servers, catalogue }: { readonly servers: ServedServers; readonly catalogue: ServerCatalogue },
  server: string,
): ResourceConflict[] {
  const offer = catalogue.offer(server);
  const listsAny = offer !== undefined && offer.resources.length + offer.resourceTemplates.length > 0;
  return listsAny ? routesOf(servers).conflicts(server) : [];
}

const knownRoutes = new WeakMap<ServedServers, ResourceRoutes>();

/** Routes of all offers, cached until an offer changes: comparing all lists is expensive. */
function routesOf(servers: ServedServers): ResourceRoutes {
  const offers = servers.offers();
  const absent = servers.absentOffers();
  const known = knownRoutes.get(servers);
  if (known?.isOf(offers, absent)) return known;
  const routes = new ResourceRoutes(offers, absent);
  knownRoutes.set(servers, routes);
  return routes;
}

/** The conflicts as a text for the server's state; undefined if there are none. */
export function conflictText(conflicts: readonly ResourceConflict[]): string | undefined {
  if (conflicts.length === 0) return undefined;
  const owners = [...new Set(conflicts.map(({ owner }) => owner))].join(', ');
  return `lists ${conflicts.length} ${conflicts.length === 1 ? 'resource' : 'resources'} that ${owners} had first`;
}

/** Logs when a server starts or stops listing a resource that belongs to another. */
export class ConflictLog {
  readonly #servers: ServedServers;
  readonly #log: Log;
  #told = new Map<string, Told>();
  #timer: NodeJS.Timeout | undefined;

  constructor(servers: ServedServers, log: Log) {
    this.#servers = servers;
    this.#log = log;
  }

  /** Checks once after a delay, for all changes until then. */
  lookSoon(): void {
    this.#timer ??= setTimeout(() => this.look(), UP_LIMITS.conflictsAfterMs).unref();
  }

  look(): void {
    this.end();
    const offers = this.#servers.offers();
    const routes = routesOf(this.#servers);
    const found = new Map<string, Told>();
    for (const { server } of offers) {
      for (const conflict of routes.conflicts(server))
        found.set(JSON.stringify([server, conflict]), { ...conflict, server, name: visibleLine(conflict.name) });
    }
    for (const [key, told] of found)
      if (!this.#told.has(key)) this.#log.warn('a server lists a resource that belongs to another server', { ...told });
    for (const [key, told] of this.#told)
      if (!found.has(key))
        this.#log.warn('a server no longer lists a resource that belongs to another server', { ...told });
    this.#told = found;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

type Told = ResourceConflict & { readonly server: string };
