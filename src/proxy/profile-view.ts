import {
  type ProfileNames,
  type PublicCatalogue,
  publicCatalogue,
  type ToolEntry,
} from '../gateway/catalogue/public-catalogue.ts';
import { listedResources } from '../gateway/catalogue/resource-routes.ts';
import {
  type HeldCode,
  heldCode,
  heldExtrasCode,
  type ServerOffer,
  shownOffer,
} from '../gateway/catalogue/server-offer.ts';
import type { PolicyLayer } from '../gateway/policy/decide.ts';
import { isDenied, judgeServer } from '../gateway/policy/decide.ts';
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

/** One profile's catalogue and lists, made anew only when something changed. */
export class ProfileView {
  readonly settings: ProfileSettings;
  readonly source: ViewSource;
  #version = -1;
  #catalogue: PublicCatalogue | undefined;
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

  /** Why a tool may not be used now; undefined: it may, or there is none of this name. */
  heldTool(name: string): HeldCode | undefined {
    const entry = this.catalogue().tools.get(name);
    return entry && heldCode(entry.offered);
  }

  /** Why nothing but accepted tools of a server may be used; undefined: all it offers may. */
  heldExtras(server: string): HeldCode | undefined {
    const offer = this.catalogue().offers.find((one) => one.server === server);
    return offer ? heldExtrasCode(offer) : this.heldUnseen(server);
  }

  /** The same for what nobody has seen yet of a server, and so nobody can have accepted. */
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
    const visible = this.#visible(this.#catalogue, layers);
    this.#lists = listsOf(this.#catalogue, visible, layers);
    this.#search.update(visible, offers.map(shownOffer), this.#lists.tools);
    this.#version = version;
  }

  #visible(catalogue: PublicCatalogue, layers: readonly PolicyLayer[]): ToolEntry[] {
    const { layers: before } = this.#judged;
    const isSame = before.length === layers.length && before.every((layer, index) => layer === layers[index]);
    if (!isSame) this.#judged = { layers, listed: new WeakMap() };
    return [...catalogue.tools.values()].filter((entry) => entry.offered.status === 'active' && this.#isListed(entry));
  }

  /** Denied tools are not listed; those that a person has to approve are. */
  #isListed(entry: ToolEntry): boolean {
    const { layers, listed } = this.#judged;
    const known = listed.get(entry);
    if (known !== undefined) return known;
    const { server, tool } = entry;
    const isListed = !isDenied(layers, { server, tool, resolvePath: (path) => path });
    listed.set(entry, isListed);
    return isListed;
  }
}

/** What policy said of tools as long as it stays the same: a view is made anew whenever one server changes. */
interface Judged {
  readonly layers: readonly PolicyLayer[];
  readonly listed: WeakMap<ToolEntry, boolean>;
}

/** A profile that says nothing about it shows every tool. */
const EVERYTHING: SearchSettings = { exposure: 'all', budgetTokens: 1_000, pinned: [] };

function listsOf(
  catalogue: PublicCatalogue,
  visible: readonly ToolEntry[],
  layers: readonly PolicyLayer[],
): ProfileLists {
  const isOpen = ({ server }: { readonly server: string }) => judgeServer(layers, server).decision.decision !== 'deny';
  const offers = catalogue.offers.filter(isOpen).map(shownOffer);
  const held = new Set(catalogue.offers.filter((offer) => heldExtrasCode(offer)).map(({ server }) => server));
  const prompts = [...catalogue.prompts.values()].filter((prompt) => isOpen(prompt) && !held.has(prompt.server));
  return {
    tools: `[${visible.map(({ json }) => json).join(',')}]`,
    prompts: JSON.stringify(prompts.map(({ definition }) => definition)),
    resources: JSON.stringify(listedResources(offers)),
    resourceTemplates: JSON.stringify(offers.flatMap(({ resourceTemplates }) => resourceTemplates)),
  };
}

export interface ProfileLists {
  readonly tools: string;
  readonly prompts: string;
  readonly resources: string;
  readonly resourceTemplates: string;
}
