import { SEARCH_LIMITS } from './limits.ts';
import type { CountTokens } from './tokens.ts';
import { CALL_TOOL, FIND_TOOLS, type ListedTool } from './tool-definitions.ts';

export type Exposure = 'auto' | 'search' | 'all';

/** What a listing costs a client: the tokens of its tools as JSON. */
export function listingCost(tools: readonly ListedTool[], count: CountTokens): number {
  return count(JSON.stringify(tools));
}

export interface ExposureInput {
  readonly exposure: Exposure;
  /** Cost of the listing of every tool of the remembered catalogue, connected or not. */
  readonly listingTokens: number;
  readonly budgetTokens: number;
  /** What this session saw before: it never goes back from `search` to `all`. */
  readonly before?: 'search' | 'all' | undefined;
}

/** What a client sees of the tools: all of them, or the search in their place. */
export function decideExposure({ exposure, listingTokens, budgetTokens, before }: ExposureInput): 'search' | 'all' {
  if (exposure !== 'auto') return exposure;
  return before === 'search' || listingTokens > budgetTokens ? 'search' : 'all';
}

export interface SearchListing {
  readonly tools: readonly ListedTool[];
  /** Pinned tools that did not fit, in their configured order. */
  readonly left: readonly string[];
  readonly tokens: number;
}

/** The listing under `search`: the two tools of the search and, in their order, the pinned ones that fit. */
export function searchListing(pinned: readonly ListedTool[], count: CountTokens): SearchListing {
  const tools: ListedTool[] = [FIND_TOOLS, CALL_TOOL];
  const left: string[] = [];
  for (const tool of pinned) {
    if (listingCost([...tools, tool], count) <= SEARCH_LIMITS.listingTokensMax) tools.push(tool);
    else left.push(tool.name);
  }
  return { tools, left, tokens: listingCost(tools, count) };
}
