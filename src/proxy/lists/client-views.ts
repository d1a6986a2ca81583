import { BinderyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../contract/json.ts';
import { askedOf, hasAskedTools, offersFor } from '../../gateway/catalogue/asked-tools.ts';
import { PROMOTED_TOOLS, withPromoted } from '../../gateway/catalogue/promoted-tools.ts';
import { SIGN_IN, signInTool, withTool } from '../../gateway/identity/sign-in-tool.ts';
import { CALL_TOOL, FIND_TOOLS } from '../../gateway/search/tool-definitions.ts';
import type { GatewayPorts } from '../call/gateway-ports.ts';
import { PROXY_LIMITS } from '../limits.ts';
import type { Client, Exchange } from '../message/client.ts';
import { waitingServers } from '../own-tools/sign-in-calls.ts';
import { declaredTasks, taskServer, withoutTasks } from '../tasks/tasks.ts';
import { type ProfileLists, type ProfileSettings, ProfileView, type ViewSource } from './profile-view.ts';

/** Capabilities of the gateway itself, independent of its servers. */
const OWN_CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

export interface ViewOptions {
  readonly source: ViewSource;
  readonly profiles: () => readonly ProfileSettings[];
  /** The gateway's own server info. */
  readonly info: { readonly name: string; readonly version: string };
}

/** The view that each client has of its profile: its lists, and the servers behind them. */
export class ClientViews {
  readonly #options: ViewOptions & { readonly ports: GatewayPorts };
  /** The tools that each client found; its listing includes them. */
  readonly found = new FoundToolsMemory();
  readonly #views = new Map<string, ProfileView>();
  /** Views per caller, least recently used first. */
  readonly #privateViews = new Map<string, ProfileView>();
  readonly #asked = new AskedSources();

  constructor(options: ViewOptions & { readonly ports: GatewayPorts }) {
    this.#options = options;
  }

  hasProfile(profile: string): boolean {
    return this.#options.profiles().some(({ name }) => name === profile);
  }

  /** The view of a profile. Throws `PROFILE_NOT_FOUND`. */
  view(profile: string): ProfileView {
    const settings = this.#options.profiles().find(({ name }) => name === profile);
    if (!settings) throw new BinderyError('PROFILE_NOT_FOUND', { detail: profile });
    const known = this.#views.get(profile);
    if (known?.settings === settings) return known;
    const view = new ProfileView(settings, this.#options.source);
    this.#views.set(profile, view);
    return view;
  }

  /**
   * The view that a client has of its profile. A client gets its own view if servers show each caller another catalogue, if they show
   * more to clients that can be asked something, or if the client's own process has other lists. Otherwise all clients share one.
   */
  viewFor(client: Pick<Client, 'profile' | 'caller' | 'capabilities' | 'key'>): ProfileView {
    const { profile, caller, capabilities, key: clientKey } = client;
    const shared = this.view(profile);
    const everybodys = this.#options.source;
    const callers = everybodys.privateTo?.(shared.settings, caller) ?? everybodys;
    const { ownLists } = this.#options.ports;
    const source = ownLists.as(this.#asked.as(callers, capabilities), clientKey);
    if (source === everybodys) return shared;
    const own = ownLists.has(clientKey) ? clientKey : '';
    const key = JSON.stringify([profile, callers === everybodys ? '' : caller, askedOf(capabilities), own]);
    const known = this.#privateViews.get(key);
    const isCurrent = known?.settings === shared.settings && known.source === source;
    const view = isCurrent ? known : new ProfileView(shared.settings, source);
    this.#privateViews.delete(key);
    this.#privateViews.set(key, view);
    const [oldest] = this.#privateViews.keys();
    if (this.#privateViews.size > PROXY_LIMITS.privateViewsMax) this.#privateViews.delete(oldest as string);
    return view;
  }

  /** The lists for this client: all tools, or the search tools and the tools that it found. */
  listsFor(client: Client): ProfileLists {
    const lists = this.#listsFor(client);
    const { promotesResources } = this.view(client.profile).settings;
    return promotesResources ? { ...lists, tools: withPromoted(lists.tools) } : lists;
  }

  /** The gateway's own tools that the list of this client has. */
  ownTools(client: Client): readonly string[] {
    const view = this.viewFor(client);
    const promoted = view.settings.promotesResources ? PROMOTED_TOOLS.map(({ name }) => name) : [];
    if (view.isBare) return promoted;
    const isSearch = this.found.modeFor(client, view.search().mode) === 'search';
    return [
      ...promoted,
      ...(isSearch ? [FIND_TOOLS.name, CALL_TOOL.name] : []),
      ...(this.#waiting(view, client).length > 0 ? [SIGN_IN] : []),
    ];
  }

  /** The servers that this client's person has to sign in to. */
  #waiting(view: ProfileView, client: Client): readonly string[] {
    const { signIns } = this.#options.ports;
    return signIns ? waitingServers(signIns, view, client) : [];
  }

  #listsFor(client: Client): ProfileLists {
    const view = this.viewFor(client);
    const lists = view.lists();
    if (view.isBare) return lists;
    const search = view.search();
    const all = this.found.modeFor(client, search.mode) === 'all';
    const tools = all ? lists.tools : search.listing(this.found.found(client));
    const waiting = this.#waiting(view, client);
    if (waiting.length > 0) return { ...lists, tools: withTool(tools, signInTool(waiting)) };
    return all ? lists : { ...lists, tools };
  }

  /** The server info for a client of this profile; a bare profile shows that of its server. */
  async introduction(
    client: Client,
    signal: Exchange['signal'],
  ): Promise<{ info: JsonObject; capabilities: JsonObject; instructions: string | undefined }> {
    const view = this.viewFor(client);
    const tasks = declaredTasks(taskServer(view, client)?.capabilities ?? {});
    const own = { info: this.#options.info, capabilities: { ...OWN_CAPABILITIES, ...tasks }, instructions: undefined };
    if (!view.isBare) return own;
    const server = view.settings.servers?.[0] as string;
    try {
      // Use remembered server info: a client that only lists should not start a server.
      const [offer] = view.catalogue().offers;
      if (view.heldExtras(server)) return offer ? { ...own, capabilities: withoutTasks(offer.capabilities) } : own;
      const known = offer ?? (await this.#options.ports.connections.connection(server, client, signal));
      const { serverInfo, capabilities, instructions } = known;
      return {
        info: serverInfo ?? this.#options.info,
        capabilities: tasks ? capabilities : withoutTasks(capabilities),
        instructions: instructions ?? undefined,
      };
    } catch (thrown) {
      // A client must be able to connect before its person has signed in: the first call triggers the sign-in.
      if (this.#options.ports.signIns?.canMend(thrown, server)) return own;
      throw thrown;
    }
  }
}

interface Known {
  readonly version: number;
  /** Whether any server shows more to some clients than to others. */
  readonly differs: boolean;
  readonly byKind: Map<string, ViewSource>;
}

/** Views of servers that offer more tools to clients that can answer questions. */
class AskedSources {
  readonly #known = new WeakMap<ViewSource, Known>();

  /** The source for a client with these capabilities; the same object if all clients see the same. */
  as(source: ViewSource, capabilities: JsonObject): ViewSource {
    const known = this.#current(source);
    if (!known.differs) return source;
    const declared = askedOf(capabilities);
    const kind = declared.join();
    const seen = known.byKind.get(kind) ?? {
      version: () => source.version(),
      offers: () => offersFor(source.offers(), declared),
      absentOffers: () => source.absentOffers?.() ?? [],
      servers: () => source.servers?.() ?? [],
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

interface Memory {
  /** Changes from `all` to `search` only, so that a client does not have to switch twice. */
  searched: boolean;
  readonly found: Set<string>;
}

/** The tools that clients with a session found; their listings include them. A client without a session has a constant listing. */
export class FoundToolsMemory {
  readonly #memories = new Map<string, Memory>();

  /** The mode for this client, given the mode for a new client of its profile. */
  modeFor(client: Client, mode: 'search' | 'all'): 'search' | 'all' {
    if (client.session === undefined) return mode;
    const memory = this.#memories.get(client.key);
    if (memory?.searched) return 'search';
    if (mode === 'search') this.#of(client).searched = true;
    return mode;
  }

  found(client: Client): Iterable<string> {
    return this.#memories.get(client.key)?.found ?? [];
  }

  /** Adds tools to the client's listing; false if that changed nothing. */
  add(client: Client, names: readonly string[]): boolean {
    if (client.session === undefined) return false;
    const { found } = this.#of(client);
    const before = found.size;
    for (const name of names) if (found.size < PROXY_LIMITS.foundToolsMax) found.add(name);
    return found.size > before;
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }

  #of(client: Client): Memory {
    const memory = this.#memories.get(client.key) ?? { searched: false, found: new Set() };
    this.#memories.set(client.key, memory);
    return memory;
  }
}
