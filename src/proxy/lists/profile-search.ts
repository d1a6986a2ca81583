import { inTurns, type Steps } from '../../contract/steps.ts';
import type { ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { type FindToolsInput, type FoundTools, findTools, queriesOf } from '../../gateway/search/find-tools.ts';
import {
  decideExposure,
  type Exposure,
  type ListingCosts,
  listingCost,
  searchListing,
} from '../../gateway/search/listing-cost.ts';
import { FollowedIndex, type ServerTools } from '../../gateway/search/ranking/followed-index.ts';
import { rankTools } from '../../gateway/search/ranking/rank-tools.ts';
import type { ListedTool } from '../../gateway/search/tool-definitions.ts';
import type { BackgroundVectors, SemanticSearch } from '../../gateway/search/vectors/background-vectors.ts';
import { NearestNames } from '../../gateway/search/words/nearest-names.ts';
import {
  type CountTokens,
  countingTokens,
  countTokens,
  nearTokens,
  prepareTokens,
} from '../../gateway/search/words/tokens.ts';
import { heavyTurns } from '../../wire/turns.ts';

export interface SearchSettings {
  readonly exposure: Exposure;
  readonly budgetTokens: number;
  /** Public names, in their order. */
  readonly pinned: readonly string[];
}

/** Optional aids for the search besides the words of the tools. */
export interface SearchAids {
  /** The model, if it is switched on. */
  model(): BackgroundVectors | undefined;
  /** Queries learned from use, if that is switched on. */
  learned(): LearnedQueries;
  /** Counts tokens and may cache the counts; absent: counts each time. */
  readonly countTokens?: CountTokens;
}

/** Past queries by tool; a new object after each change. */
export interface LearnedQueries {
  of(server: string, tool: string): readonly string[];
}

export const NO_AIDS: SearchAids = { model: () => undefined, learned: () => NOTHING_LEARNED };
const NOTHING_LEARNED: LearnedQueries = { of: () => [] };

const nextTurn = () => heavyTurns.next();
/** Tools counted before yielding to the event loop. */
const TOOLS_AT_ONCE = 100;

/** The tools that a profile lists under `search`, and the index that finds the others. It follows the catalogue. */
export class ProfileSearch {
  readonly #settings: SearchSettings;
  readonly #aids: SearchAids;
  readonly #followed = new FollowedIndex();
  #entries: readonly ToolEntry[] = [];
  #byName: ReadonlyMap<string, ToolEntry> | undefined;
  #nearest: NearestNames | undefined;
  #offers: readonly ServerOffer[] = [];
  #listing: readonly ListedTool[] = [];
  #leftOut: readonly string[] = [];
  #allJson = '[]';
  #mode: 'search' | 'all' = 'all';
  #servers: { readonly list: readonly ServerTools[]; readonly learned: LearnedQueries } | undefined;
  #indexed: readonly ServerTools[] | undefined;
  #indexing: Promise<void> | undefined;
  #semantic: (SemanticSearch & { of?: unknown }) | undefined;

  constructor(settings: SearchSettings, aids: SearchAids) {
    this.#settings = settings;
    this.#aids = aids;
  }

  get mode(): 'search' | 'all' {
    return this.#mode;
  }

  /** Pinned tools that do not fit into the listing. */
  get leftOut(): readonly string[] {
    return this.#leftOut;
  }

  /** Sets the tools that the profile shows now. */
  update(visible: readonly ToolEntry[], offers: readonly ServerOffer[], allJson: string): void {
    const { exposure, budgetTokens, pinned } = this.#settings;
    this.#entries = visible;
    this.#byName = undefined;
    this.#nearest = undefined;
    this.#offers = offers;
    this.#allJson = allJson;
    this.#servers = undefined;
    const listingTokens =
      exposure === 'auto' ? nearTokens(allJson, budgetTokens, this.#aids.countTokens ?? countTokens) : 0;
    this.#mode = decideExposure({ exposure, listingTokens, budgetTokens });
    const { tools, left } = searchListing(this.#definitions(pinned), countTokens);
    this.#listing = tools;
    this.#leftOut = left;
  }

  /** The listing under `search`: the two search tools, the pinned tools, and the tools that this client found. */
  listing(found: Iterable<string>): string {
    const listed = new Set(this.#listing.map(({ name }) => name));
    const more = [...found].filter((name) => !listed.has(name));
    return JSON.stringify([...this.#listing, ...this.#definitions(more)]);
  }

  /** Finds tools by words, and by the model if its vectors are ready. */
  async find(input: FindToolsInput, missing: readonly string[]): Promise<FoundTools> {
    const queries = queriesOf(input);
    const semantic = this.prepare();
    const semantics = await semantic?.model.ask(semantic.vectors, queries);
    await untilTokens();
    return findTools(await this.#index(), input, countTokens, { missing, semantics });
  }

  /** The public names that a query finds, best first. */
  async names(query: string): Promise<string[]> {
    const semantic = this.prepare();
    const semantics = await semantic?.model.ask(semantic.vectors, [query]);
    return rankTools(await this.#index(), [query], { semantics }).tools.map(({ tool }) => tool.name);
  }

  /** Starts to create missing vectors in the background, if there is a model. */
  prepare(): SemanticSearch | undefined {
    const model = this.#aids.model();
    if (model !== this.#semantic?.model) this.#semantic = model && { model, vectors: model.open() };
    const semantic = this.#semantic;
    const servers = this.#currentServers();
    if (semantic && semantic.of !== servers) {
      semantic.model.follow(
        semantic.vectors,
        servers.flatMap(({ tools }) => tools),
      );
      semantic.of = servers;
    }
    return semantic;
  }

  /** The keys of the vectors that this profile still uses. */
  vectorKeys(): readonly string[] {
    return this.#semantic?.vectors.keys() ?? [];
  }

  /** The token costs of the tools; `tokensOf` may cache. Yields to the event loop while it counts. */
  async cost(tokensOf: CountTokens = countTokens): Promise<ListingCosts> {
    const { exposure, budgetTokens } = this.#settings;
    const entries = this.#entries;
    const listing = this.#listing;
    const allJson = this.#allJson;
    await untilTokens();
    const tokens = await inTurns(countingTokens(allJson), nextTurn);
    return {
      budgetTokens,
      all: { tools: entries.length, tokens },
      search: { tools: listing.length, tokens: listingCost(listing, countTokens) },
      auto: decideExposure({ exposure: 'auto', listingTokens: tokens, budgetTokens }),
      exposure,
      tools: await inTurns(costsOf(entries, tokensOf), nextTurn),
    };
  }

  /** Suggests visible tools for a name that does not exist. */
  nearestNames(): NearestNames {
    this.#nearest ??= new NearestNames(this.#visible.keys());
    return this.#nearest;
  }

  /** The up-to-date index, in a turn of the event loop that no other search has. Indexing yields to the event loop. */
  async #index(): Promise<FollowedIndex['index']> {
    while (this.#indexed !== this.#currentServers()) {
      this.#indexing ??= this.#follow();
      await this.#indexing;
    }
    await nextTurn();
    return this.#indexed === this.#currentServers() ? this.#followed.index : this.#index();
  }

  async #follow(): Promise<void> {
    const servers = this.#currentServers();
    try {
      await inTurns(this.#followed.follow(servers), nextTurn);
      this.#indexed = servers;
    } finally {
      this.#indexing = undefined;
    }
  }

  /** The listed tools by name; not needed if everything is listed. */
  get #visible(): ReadonlyMap<string, ToolEntry> {
    this.#byName ??= new Map(this.#entries.map((entry) => [entry.name, entry]));
    return this.#byName;
  }

  #definitions(names: readonly string[]): ListedTool[] {
    return names.flatMap((name) => {
      const entry = this.#visible.get(name);
      return entry ? [{ ...entry.offered.definition, name } as ListedTool] : [];
    });
  }

  #currentServers(): readonly ServerTools[] {
    const learned = this.#aids.learned();
    if (this.#servers?.learned !== learned) {
      const byServer = Map.groupBy(this.#visible.values(), ({ server }) => server);
      const list = this.#offers.map((offer) => serverTools(offer, byServer.get(offer.server) ?? [], learned));
      this.#servers = { list, learned };
    }
    return this.#servers.list;
  }
}

/** Creates the tokenizer in the background, before it is needed. */
async function untilTokens(): Promise<void> {
  while (!prepareTokens()) await nextTurn();
}

function* costsOf(entries: readonly ToolEntry[], tokensOf: CountTokens): Steps<ListingCosts['tools']> {
  const costs: ListingCosts['tools'][number][] = [];
  for (const { name, server, json } of entries) {
    costs.push({ name, server, tokens: tokensOf(json) });
    if (costs.length % TOOLS_AT_ONCE === 0) yield;
  }
  return costs;
}

function serverTools(
  { server, serverInfo, instructions }: ServerOffer,
  entries: readonly ToolEntry[],
  learned: LearnedQueries,
): ServerTools {
  const serverTitle = typeof serverInfo?.title === 'string' ? serverInfo.title : undefined;
  const tools = entries.map(({ name, tool, offered: { definition } }) => ({
    name,
    server,
    original_name: tool,
    title: definition.title,
    description: definition.description,
    input_schema: definition.inputSchema as Readonly<Record<string, unknown>>,
    serverTitle,
    serverDescription: instructions ?? undefined,
    learnedQueries: learned.of(server, tool),
  }));
  const texts = [
    serverTitle,
    instructions,
    ...entries.map(({ name, offered }, at) => [name, offered.sha256, tools[at]?.learnedQueries]),
  ];
  return { server, signature: JSON.stringify(texts), tools };
}
