import type { JsonObject } from '../../contract/json.ts';
import { askedOf, hasAskedTools, offersFor } from '../../gateway/catalogue/asked-tools.ts';
import type { ViewSource } from './profile-view.ts';

interface Known {
  readonly version: number;
  /** Whether any server shows some clients more than others. */
  readonly differs: boolean;
  readonly byKind: Map<string, ViewSource>;
}

/** What clients see of servers that offer more tools to clients that can answer questions. */
export class AskedSources {
  readonly #known = new WeakMap<ViewSource, Known>();

  /** The source as a client with these capabilities sees it; itself where every client sees the same. */
  as(source: ViewSource, capabilities: JsonObject): ViewSource {
    const known = this.#current(source);
    if (!known.differs) return source;
    const declared = askedOf(capabilities);
    const kind = declared.join();
    const seen = known.byKind.get(kind) ?? {
      version: () => source.version(),
      offers: () => offersFor(source.offers(), declared),
      policyLayers: (profile) => source.policyLayers(profile),
      isQuarantined: (server) => source.isQuarantined?.(server) ?? false,
      ...(source.searchAids ? { searchAids: source.searchAids } : {}),
    };
    known.byKind.set(kind, seen);
    return seen;
  }

  #current(source: ViewSource): Known {
    const version = source.version();
    const before = this.#known.get(source);
    if (before?.version === version) return before;
    const known = {
      version,
      differs: [...source.offers()].some(hasAskedTools),
      byKind: before?.byKind ?? new Map<string, ViewSource>(),
    };
    this.#known.set(source, known);
    return known;
  }
}
