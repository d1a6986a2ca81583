import type { ToolEntry } from '../gateway/catalogue/public-catalogue.ts';
import type { ServerOffer } from '../gateway/catalogue/server-offer.ts';
import { type FindToolsInput, type FoundTools, findTools } from '../gateway/search/find-tools.ts';
import { decideExposure, type Exposure, searchListing } from '../gateway/search/listing-cost.ts';
import type { SearchableTool } from '../gateway/search/searchable-tool.ts';
import { countTokens } from '../gateway/search/tokens.ts';
import type { ListedTool } from '../gateway/search/tool-definitions.ts';
import { ToolIndex } from '../gateway/search/tool-index.ts';

export interface SearchSettings {
  readonly exposure: Exposure;
  readonly budgetTokens: number;
  /** Public names, in their order. */
  readonly pinned: readonly string[];
}

/** Texts longer than this many characters per token of the budget surely cost more than the budget: it is not counted further. */
const CHARS_PER_TOKEN_MAX = 16;

/** What a profile shows of its tools under `search`, and the index that finds the others. */
export class ProfileSearch {
  readonly mode: 'search' | 'all';
  readonly #visible: ReadonlyMap<string, ToolEntry>;
  readonly #offers: readonly ServerOffer[];
  readonly #listing: readonly ListedTool[];
  #index: ToolIndex | undefined;

  constructor(
    settings: SearchSettings,
    visible: readonly ToolEntry[],
    offers: readonly ServerOffer[],
    allJson: string,
  ) {
    this.#visible = new Map(visible.map((entry) => [entry.name, entry]));
    this.#offers = offers;
    this.mode = decideExposure({
      exposure: settings.exposure,
      listingTokens: cappedTokens(allJson, settings.budgetTokens),
      budgetTokens: settings.budgetTokens,
    });
    this.#listing = searchListing(this.#definitions(settings.pinned), countTokens).tools;
  }

  /** The listing under `search`: the two tools of the search, the pinned ones, and those that this client found. */
  listing(found: Iterable<string>): string {
    const listed = new Set(this.#listing.map(({ name }) => name));
    const more = [...found].filter((name) => !listed.has(name));
    return JSON.stringify([...this.#listing, ...this.#definitions(more)]);
  }

  find(input: FindToolsInput, missing: readonly string[]): FoundTools {
    this.#index ??= this.#buildIndex();
    return findTools(this.#index, input, countTokens, { missing });
  }

  names(): Iterable<string> {
    return this.#visible.keys();
  }

  #definitions(names: readonly string[]): ListedTool[] {
    return names.flatMap((name) => {
      const entry = this.#visible.get(name);
      return entry ? [{ ...entry.offered.definition, name } as ListedTool] : [];
    });
  }

  #buildIndex(): ToolIndex {
    const index = new ToolIndex();
    for (const { server, serverInfo, instructions } of this.#offers) {
      const tools = [...this.#visible.values()].filter((entry) => entry.server === server);
      index.replaceServer(
        server,
        tools.map((entry) => searchable(entry, serverInfo, instructions)),
      );
    }
    return index;
  }
}

function searchable(
  { name, server, tool, offered: { definition } }: ToolEntry,
  serverInfo: ServerOffer['serverInfo'],
  instructions: string | null,
): SearchableTool {
  return {
    name,
    server,
    original_name: tool,
    title: definition.title,
    description: definition.description,
    input_schema: definition.inputSchema as Readonly<Record<string, unknown>>,
    serverTitle: typeof serverInfo?.title === 'string' ? serverInfo.title : undefined,
    serverDescription: instructions ?? undefined,
  };
}

/** Tokens of a text, counted no further than it takes to know that they are above a limit. */
function cappedTokens(text: string, limit: number): number {
  const head = countTokens(text.slice(0, limit * CHARS_PER_TOKEN_MAX));
  return head > limit || text.length <= limit * CHARS_PER_TOKEN_MAX ? head : countTokens(text);
}
