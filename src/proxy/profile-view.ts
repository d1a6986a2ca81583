import {
  type ProfileNames,
  type PublicCatalogue,
  publicCatalogue,
  type ToolEntry,
} from '../gateway/catalogue/public-catalogue.ts';
import { listedResources } from '../gateway/catalogue/resource-routes.ts';
import type { ServerOffer } from '../gateway/catalogue/server-offer.ts';
import type { PolicyLayer } from '../gateway/policy/decide.ts';
import { judge } from '../gateway/policy/decide.ts';

export interface ProfileSettings {
  readonly name: string;
  /** Undefined: every server. */
  readonly servers?: readonly string[];
  readonly names: ProfileNames;
}

/** What a profile's view is made of; `version` changes whenever any of it does. */
export interface ViewSource {
  version(): number;
  offers(): Iterable<ServerOffer>;
  policyLayers(profile: string): readonly PolicyLayer[];
}

/** One profile's catalogue and lists, made anew only when something changed. */
export class ProfileView {
  readonly settings: ProfileSettings;
  readonly #source: ViewSource;
  #version = -1;
  #catalogue: PublicCatalogue | undefined;
  #lists: ProfileLists | undefined;

  constructor(settings: ProfileSettings, source: ViewSource) {
    this.settings = settings;
    this.#source = source;
  }

  get isBare(): boolean {
    return this.settings.names === 'bare';
  }

  catalogue(): PublicCatalogue {
    this.#refresh();
    return this.#catalogue as PublicCatalogue;
  }

  /** The lists as JSON texts, ready to be put into a result. */
  lists(): ProfileLists {
    this.#refresh();
    return this.#lists as ProfileLists;
  }

  #refresh(): void {
    const version = this.#source.version();
    if (version === this.#version) return;
    const wanted = this.settings.servers;
    const offers = [...this.#source.offers()].filter(({ server }) => wanted === undefined || wanted.includes(server));
    this.#catalogue = publicCatalogue(offers, this.settings.names);
    this.#lists = this.#listsOf(this.#catalogue);
    this.#version = version;
  }

  #listsOf(catalogue: PublicCatalogue): ProfileLists {
    const layers = this.#source.policyLayers(this.settings.name);
    const visible = [...catalogue.tools.values()].filter(
      (entry) => entry.offered.status === 'active' && isListed(entry, layers),
    );
    return {
      tools: `[${visible.map(({ json }) => json).join(',')}]`,
      prompts: JSON.stringify([...catalogue.prompts.values()].map(({ definition }) => definition)),
      resources: JSON.stringify(listedResources(catalogue.offers)),
      resourceTemplates: JSON.stringify(catalogue.offers.flatMap(({ resourceTemplates }) => resourceTemplates)),
    };
  }
}

export interface ProfileLists {
  readonly tools: string;
  readonly prompts: string;
  readonly resources: string;
  readonly resourceTemplates: string;
}

/** Denied tools are not listed; those that a person has to approve are. */
function isListed({ server, tool }: ToolEntry, layers: readonly PolicyLayer[]): boolean {
  return judge(layers, { server, tool, resolvePath: (path) => path }).decision.decision !== 'deny';
}
