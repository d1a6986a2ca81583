import type { Log } from '../../contract/ports.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { KnownTools } from '../../gateway/policy/name-doubts.ts';
import { type Catalogue, EMPTY_CATALOGUE, type ToolDefinition } from '../../host/connection/catalogue/catalogue.ts';
import type { ServerSpec } from '../../host/connection/supervision/server-set.ts';
import type { EffectiveConfig } from '../config/effective-config.ts';
import { BUILTIN_SERVERS, type BuiltinServer } from './builtin-server.ts';
import type { ServerCatalogue } from './server-catalogue.ts';

export interface ServedServersOptions {
  readonly config: { readonly servers: EffectiveConfig['servers'] };
  readonly builtins: ReadonlyMap<string, BuiltinServer>;
  readonly catalogue: ServerCatalogue;
  /** Whether each user connects to a server with a credential of their own. */
  isPerUser(server: string): boolean;
  readonly isFollower: boolean;
  readonly log: Log;
}

/** The configured and built-in servers of a gateway, and their known tools. */
export class ServedServers {
  readonly builtins: ReadonlyMap<string, BuiltinServer>;
  readonly #options: ServedServersOptions;

  constructor(options: ServedServersOptions) {
    this.#options = options;
    this.builtins = options.builtins;
  }

  /** Adds the offers of built-in servers to the catalogue, even if they cannot be stored. */
  offerBuiltins(): void {
    const { catalogue, isFollower, log } = this.#options;
    for (const [server, builtin] of this.builtins) {
      const offer = builtin.offer(server);
      try {
        if (!isFollower) catalogue.keepBuiltin(offer);
      } catch (error) {
        log.warn('a catalogue could not be stored', { server, error });
      }
      catalogue.put(offer);
    }
  }

  /** Configured servers, then built-in ones. */
  ids(): string[] {
    return [...this.#options.config.servers.map(({ configured }) => configured.id), ...this.builtins.keys()];
  }

  /** The last known offers; disabled, untrusted and invalid servers are left out. */
  offers(): ServerOffer[] {
    return this.#options.catalogue.offersOf([...this.#shared(), ...this.builtins.keys()]);
  }

  /** The last known offers of configured servers that are off or replaced at present: their resources keep their owner. */
  absentOffers(): ServerOffer[] {
    const { config, catalogue } = this.#options;
    const present = new Set(this.offers().map(({ server }) => server));
    return config.servers.flatMap(({ configured: { id } }) => (present.has(id) ? [] : (catalogue.lastOffer(id) ?? [])));
  }

  /** The names of all tools, by server; undefined for a server that was never seen. */
  knownTools(): KnownTools {
    const toolsOf = (id: string) => this.#options.catalogue.offer(id)?.tools.map(({ definition }) => definition.name);
    return new Map(
      [...this.ids(), ...BUILTIN_SERVERS].map((id) => {
        const tools = toolsOf(id);
        return [id, tools && new Set(tools as string[])];
      }),
    );
  }

  /** Servers to connect to. A follower connects only to known HTTP servers. */
  specs(): ServerSpec[] {
    const { config, catalogue, isFollower } = this.#options;
    const all = config.servers.flatMap(({ spec }) => spec ?? []);
    return isFollower
      ? all.filter(({ id, transport }) => transport === 'http' && catalogue.offer(id) !== undefined)
      : all;
  }

  /** Shared servers with unknown tools. */
  undiscovered(): string[] {
    return this.#shared().filter((id) => !this.#options.catalogue.offer(id));
  }

  #shared(): string[] {
    const { config, isPerUser } = this.#options;
    return config.servers.flatMap(({ configured: { id }, spec }) => (spec === undefined || isPerUser(id) ? [] : [id]));
  }
}

/** The last known lists of servers: these servers connect on first use. */
export function lastSeenCatalogues(offers: readonly ServerOffer[]): ReadonlyMap<string, Catalogue> {
  return new Map(
    offers.map(({ server, tools, resources, resourceTemplates, prompts }) => {
      const definitions = tools.map(({ definition }) => definition as ToolDefinition);
      return [server, { ...EMPTY_CATALOGUE, tools: definitions, resources, resourceTemplates, prompts }];
    }),
  );
}
