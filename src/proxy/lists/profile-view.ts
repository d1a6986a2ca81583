import { NameClaims } from '../../gateway/catalogue/name-claims.ts';
import { PROMOTED_TOOLS } from '../../gateway/catalogue/promoted-tools.ts';
import {
  type ProfileNames,
  type PublicCatalogue,
  publicCatalogue,
  type ToolEntry,
} from '../../gateway/catalogue/public-catalogue.ts';
import type { ResourceRoute } from '../../gateway/catalogue/resource-routes.ts';
import {
  type HeldCode,
  heldCode,
  heldExtrasCode,
  readsOnly,
  type ServerOffer,
  shownOffer,
} from '../../gateway/catalogue/server-offer.ts';
import { SIGN_IN } from '../../gateway/identity/sign-in-tool.ts';
import { isDenied, judgeServer, type PolicyLayer } from '../../gateway/policy/decide.ts';
import { CALL_TOOL, FIND_TOOLS } from '../../gateway/search/tool-definitions.ts';
import { NO_AIDS, ProfileSearch, type SearchAids, type SearchSettings } from './profile-search.ts';

export interface ProfileSettings {
  readonly name: string;
  /** Undefined: every server. */
  readonly servers?: readonly string[];
  /** The servers before a project took some of them out; absent: the same. */
  readonly ownServers?: readonly string[] | 'every';
  readonly names: ProfileNames;
  readonly search?: SearchSettings;
  /** The list of tools also has tools for resources and prompts. */
  readonly promotesResources?: boolean;
}

/** The input of a profile's view; `version` changes with any of it. */
export interface ViewSource {
  version(): number;
  offers(): Iterable<ServerOffer>;
  /** The last known offers of servers that are off at present; absent: there are none. */
  absentOffers?(): Iterable<ServerOffer>;
  /** All servers, usable or not, in the profile or not; absent: only those with an offer. */
  servers?(): Iterable<string>;
  policyLayers(profile: string): readonly PolicyLayer[];
  /** Whether a server is unusable until a person accepts it; absent: no server is. */
  isQuarantined?(server: string): boolean;
  /** What only this caller sees, if servers of the profile show each caller something else. */
  privateTo?(profile: ProfileSettings, caller: string): ViewSource | undefined;
  /** Absent: the search uses words only. */
  readonly searchAids?: SearchAids;
}

/** One profile's catalogue and lists, rebuilt only after a change. */
export class ProfileView {
  readonly settings: ProfileSettings;
  readonly source: ViewSource;
  #version = -1;
  #catalogue: PublicCatalogue | undefined;
  #visible: readonly ToolEntry[] = [];
  #byOriginalName: ReadonlyMap<string, readonly ToolEntry[]> | undefined;
  #lists: ProfileLists | undefined;
  #claims: NameClaims | undefined;
  #judged: Judged = { layers: [], listed: new WeakMap() };
  readonly #search: ProfileSearch;

  constructor(settings: ProfileSettings, source: ViewSource) {
    this.settings = settings;
    this.source = source;
    this.#search = new ProfileSearch(settings.search ?? EVERYTHING, source.searchAids ?? NO_AIDS);
  }

  get isBare(): boolean {
    return this.settings.names === 'bare';
  }

  catalogue(): PublicCatalogue {
    this.#refresh();
    return this.#catalogue as PublicCatalogue;
  }

  /** The server of a URI. A bare profile also routes URIs that its server does not list. */
  route(uri: string): ResourceRoute | undefined {
    const bareServer = this.isBare ? this.settings.servers?.[0] : undefined;
    return (
      this.catalogue().resources.route(uri) ?? (bareServer === undefined ? undefined : { server: bareServer, uri })
    );
  }

  /** The tool with this name: a public name first, otherwise the name on its server if exactly one visible tool has it. */
  tool(name: string): ToolEntry | undefined {
    const entry = this.publicTool(name);
    if (entry) return entry;
    const [only, another] = this.toolsNamed(name);
    return another ? undefined : only;
  }

  /** The tool with this public name, or with an alias of a built-in tool. */
  publicTool(name: string): ToolEntry | undefined {
    const { tools, otherNames } = this.catalogue();
    return tools.get(name) ?? otherNames.get(name);
  }

  /**
   * The visible tools with this name on their servers. Reserved are the names of the gateway's own tools, and for every other server
   * those that begin like the public names of a server.
   */
  toolsNamed(name: string): readonly ToolEntry[] {
    this.#refresh();
    if (this.isBare || OWN_TOOLS.has(name)) return [];
    this.#byOriginalName ??= Map.groupBy(this.#visible, ({ tool }) => tool);
    const named = this.#byOriginalName.get(name) ?? [];
    const owners = named.length === 0 ? [] : this.#ownersOf(name);
    return owners.length === 0 ? named : named.filter(({ server }) => owners.every((owner) => owner === server));
  }

  /** The server of this profile that a tool's name belongs to, while it offers nothing; undefined: there is none. */
  absentOwner(name: string): string | undefined {
    const { offers } = this.catalogue();
    const owners = this.isBare ? (this.settings.servers ?? []) : this.#ownersOf(name);
    return owners.find((owner) => this.#isInOwnProfile(owner) && !offers.some(({ server }) => server === owner));
  }

  /** The servers that a name belongs to, by the name alone. */
  #ownersOf(name: string): readonly string[] {
    if (!this.#claims) {
      const known = [...this.source.offers(), ...(this.source.absentOffers?.() ?? [])].map(({ server }) => server);
      const servers = new Set([...known, ...(this.source.servers?.() ?? []), ...(this.settings.servers ?? [])]);
      this.#claims = new NameClaims({
        names: this.settings.names,
        servers,
        absent: this.#absentOffers(this.catalogue().offers),
      });
    }
    return this.#claims.ownersOf(name);
  }

  /** The URI of a server's resource, as clients of this profile address it. */
  publicUri(server: string, uri: string): string {
    return this.isBare ? uri : this.catalogue().resources.publicUri(server, uri);
  }

  /** Why a tool is held; undefined: it is not, or there is no such tool. */
  heldTool(name: string): HeldCode | undefined {
    const entry = this.tool(name);
    return entry && heldCode(entry.offered);
  }

  /** Why only accepted tools of a server may be used; undefined: everything may. */
  heldExtras(server: string): HeldCode | undefined {
    const offer = this.catalogue().offers.find((one) => one.server === server);
    return offer ? heldExtrasCode(offer) : this.heldUnseen(server);
  }

  /** The same for parts of a server that are unknown yet, and so not accepted. */
  heldUnseen(server: string): HeldCode | undefined {
    return this.source.isQuarantined?.(server) ? 'QUARANTINED' : undefined;
  }

  /** The search over the tools of this profile. */
  search(): ProfileSearch {
    this.#refresh();
    return this.#search;
  }

  /** The lists as JSON texts, ready for a result. */
  lists(): ProfileLists {
    this.#refresh();
    return this.#lists as ProfileLists;
  }

  #refresh(): void {
    const version = this.source.version();
    if (version === this.#version) return;
    const wanted = this.settings.servers;
    const offers = [...this.source.offers()].filter(({ server }) => wanted === undefined || wanted.includes(server));
    this.#catalogue = publicCatalogue(offers, this.settings.names, this.#absentOffers(offers));
    const layers = this.source.policyLayers(this.settings.name);
    this.#visible = this.#visibleTools(this.#catalogue, layers);
    this.#byOriginalName = undefined;
    this.#claims = undefined;
    this.#lists = listsOf(this.#catalogue, this.#visible, layers);
    this.#search.update(this.#visible, offers.map(shownOffer), this.#lists.tools);
    this.#version = version;
  }

  /** Offers of servers that are off, or that a project takes out of the profile. */
  #absentOffers(offers: readonly ServerOffer[]): ServerOffer[] {
    const present = new Set(offers.map(({ server }) => server));
    const known = [...this.source.offers(), ...(this.source.absentOffers?.() ?? [])];
    return known.filter(({ server }) => !present.has(server) && this.#isInOwnProfile(server));
  }

  /** Whether a server is in the profile, or a project took it out. */
  #isInOwnProfile(server: string): boolean {
    const { servers, ownServers = servers ?? 'every' } = this.settings;
    return ownServers === 'every' || ownServers.includes(server);
  }

  #visibleTools(catalogue: PublicCatalogue, layers: readonly PolicyLayer[]): ToolEntry[] {
    const { layers: before } = this.#judged;
    const isSame = before.length === layers.length && before.every((layer, index) => layer === layers[index]);
    if (!isSame) this.#judged = { layers, listed: new WeakMap() };
    return [...catalogue.tools.values()].filter((entry) => entry.offered.status === 'active' && this.#isListed(entry));
  }

  /** Denied tools are not listed. Tools that need an approval, or are outside their hours, are. */
  #isListed(entry: ToolEntry): boolean {
    const { layers, listed } = this.#judged;
    const known = listed.get(entry);
    if (known !== undefined) return known;
    const { server, tool, offered } = entry;
    const isListed = !isDenied(layers, { server, tool, readOnly: readsOnly(offered) });
    listed.set(entry, isListed);
    return isListed;
  }
}

/** Cached decisions of the current policy: changes of servers rebuild the view, but keep the decisions. */
interface Judged {
  readonly layers: readonly PolicyLayer[];
  readonly listed: WeakMap<ToolEntry, boolean>;
}

/** Reserved names of the gateway's own tools, listed or not. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  FIND_TOOLS.name,
  CALL_TOOL.name,
  SIGN_IN,
  ...PROMOTED_TOOLS.map(({ name }) => name),
]);

/** The default for profiles without search settings: every tool. */
const EVERYTHING: SearchSettings = { exposure: 'all', budgetTokens: 1_000, pinned: [] };

function listsOf(
  catalogue: PublicCatalogue,
  visible: readonly ToolEntry[],
  layers: readonly PolicyLayer[],
): ProfileLists {
  const isOpen = ({ server }: { readonly server: string }) =>
    judgeServer(layers, server, undefined).decision.decision !== 'deny';
  const held = new Set(catalogue.offers.filter((offer) => heldExtrasCode(offer)).map(({ server }) => server));
  const isShown = (item: { readonly server: string }) => isOpen(item) && !held.has(item.server);
  const prompts = [...catalogue.prompts.values()].filter(isShown);
  return {
    tools: `[${visible.map(({ json }) => json).join(',')}]`,
    prompts: JSON.stringify(prompts.map(({ definition }) => definition)),
    resources: JSON.stringify(catalogue.resources.listed(isShown)),
    resourceTemplates: JSON.stringify(catalogue.resources.listedTemplates(isShown)),
  };
}

export interface ProfileLists {
  readonly tools: string;
  readonly prompts: string;
  readonly resources: string;
  readonly resourceTemplates: string;
}
