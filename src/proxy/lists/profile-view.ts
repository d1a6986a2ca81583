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
  readonly names: ProfileNames;
  readonly search?: SearchSettings;
  /** Resources and prompts stand in the list of tools as well. */
  readonly promotesResources?: boolean;
}

/** What a profile's view is made of; `version` changes whenever any of it does. */
export interface ViewSource {
  version(): number;
  offers(): Iterable<ServerOffer>;
  policyLayers(profile: string): readonly PolicyLayer[];
  /** Whether nothing of a server is used before a person accepted it; absent: of none. */
  isQuarantined?(server: string): boolean;
  /** What this caller alone sees as well, where the profile has servers that show each caller something else. */
  privateTo?(profile: ProfileSettings, caller: string): ViewSource | undefined;
  /** Absent: the search goes by words alone. */
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

  /** The server of a URI. A profile of one server sends it also URIs that it does not list. */
  route(uri: string): ResourceRoute | undefined {
    const bareServer = this.isBare ? this.settings.servers?.[0] : undefined;
    return (
      this.catalogue().resources.route(uri) ?? (bareServer === undefined ? undefined : { server: bareServer, uri })
    );
  }

  /** The tool that a name means: a public name first, else the name on its server where exactly one visible tool has it. */
  tool(name: string): ToolEntry | undefined {
    const entry = this.publicTool(name);
    if (entry) return entry;
    const [only, another] = this.toolsNamed(name);
    return another ? undefined : only;
  }

  /** The tool with this public name, or with another one that a built-in tool answers to. */
  publicTool(name: string): ToolEntry | undefined {
    const { tools, otherNames } = this.catalogue();
    return tools.get(name) ?? otherNames.get(name);
  }

  /** The visible tools that their servers call so. The gateway's own tools have their names for themselves. */
  toolsNamed(name: string): readonly ToolEntry[] {
    this.#refresh();
    if (this.isBare || OWN_TOOLS.has(name)) return [];
    this.#byOriginalName ??= Map.groupBy(this.#visible, ({ tool }) => tool);
    return this.#byOriginalName.get(name) ?? [];
  }

  /** How clients of this profile address what a server calls so. */
  publicUri(server: string, uri: string): string {
    return this.isBare ? uri : this.catalogue().resources.publicUri(server, uri);
  }

  /** Why a tool may not be used now; undefined: it may, or there is none of this name. */
  heldTool(name: string): HeldCode | undefined {
    const entry = this.tool(name);
    return entry && heldCode(entry.offered);
  }

  /** Why nothing but accepted tools of a server may be used; undefined: all it offers may. */
  heldExtras(server: string): HeldCode | undefined {
    const offer = this.catalogue().offers.find((one) => one.server === server);
    return offer ? heldExtrasCode(offer) : this.heldUnseen(server);
  }

  /** The same for the parts of a server that are not known yet, and so not accepted. */
  heldUnseen(server: string): HeldCode | undefined {
    return this.source.isQuarantined?.(server) ? 'QUARANTINED' : undefined;
  }

  /** The search over what this profile shows. */
  search(): ProfileSearch {
    this.#refresh();
    return this.#search;
  }

  /** The lists as JSON texts, ready to be put into a result. */
  lists(): ProfileLists {
    this.#refresh();
    return this.#lists as ProfileLists;
  }

  #refresh(): void {
    const version = this.source.version();
    if (version === this.#version) return;
    const wanted = this.settings.servers;
    const offers = [...this.source.offers()].filter(({ server }) => wanted === undefined || wanted.includes(server));
    this.#catalogue = publicCatalogue(offers, this.settings.names);
    const layers = this.source.policyLayers(this.settings.name);
    this.#visible = this.#visibleTools(this.#catalogue, layers);
    this.#byOriginalName = undefined;
    this.#lists = listsOf(this.#catalogue, this.#visible, layers);
    this.#search.update(this.#visible, offers.map(shownOffer), this.#lists.tools);
    this.#version = version;
  }

  #visibleTools(catalogue: PublicCatalogue, layers: readonly PolicyLayer[]): ToolEntry[] {
    const { layers: before } = this.#judged;
    const isSame = before.length === layers.length && before.every((layer, index) => layer === layers[index]);
    if (!isSame) this.#judged = { layers, listed: new WeakMap() };
    return [...catalogue.tools.values()].filter((entry) => entry.offered.status === 'active' && this.#isListed(entry));
  }

  /** Denied tools are not listed; those that a person has to approve are, and those outside their hours. */
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

/** Decisions of the current policy: a view is rebuilt whenever a server changes, the decisions are not. */
interface Judged {
  readonly layers: readonly PolicyLayer[];
  readonly listed: WeakMap<ToolEntry, boolean>;
}

/** Names that are the gateway's, whether or not it lists them. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  FIND_TOOLS.name,
  CALL_TOOL.name,
  SIGN_IN,
  ...PROMOTED_TOOLS.map(({ name }) => name),
]);

/** A profile that says nothing about it shows every tool. */
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
