import { SEARCH_LIMITS } from './limits.ts';
import { CALL_TOOL, FIND_TOOLS, type ListedTool } from './tool-definitions.ts';
import type { CountTokens } from './words/tokens.ts';

export type Exposure = 'auto' | 'search' | 'all';

/** What a listing costs a client: the tokens of its tools as JSON. */
export function listingCost(tools: readonly ListedTool[], count: CountTokens): number {
  return count(JSON.stringify(tools));
}

/** What the tools of a profile cost, and what a client pays for them under each exposure. */
export interface ListingCosts {
  readonly budgetTokens: number;
  readonly all: { readonly tools: number; readonly tokens: number };
  readonly search: { readonly tools: number; readonly tokens: number };
  /** What `auto` shows a new client. */
  readonly auto: 'search' | 'all';
  /** What the profile says. */
  readonly exposure: Exposure;
  /** In byte order of the public name. */
  readonly tools: readonly { readonly name: string; readonly server: string; readonly tokens: number }[];
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
}

/** Tokens that can be saved where two texts are joined. */
const JOINT_TOKENS = 4;

/** The listing under `search`: the two tools of the search and, in their order, the pinned ones that fit. */
export function searchListing(pinned: readonly ListedTool[], count: CountTokens): SearchListing {
  const tools: ListedTool[] = [FIND_TOOLS, CALL_TOOL];
  const left: string[] = [];
  if (pinned.length === 0) return { tools, left };
  let tokens = listingCost(tools, count);
  for (const tool of pinned) {
    // Counting the tool alone is quick, and tells of most that they cannot fit.
    const isTooMuch = tokens + count(JSON.stringify(tool)) > SEARCH_LIMITS.listingTokensMax + JOINT_TOKENS;
    const together = isTooMuch ? Number.POSITIVE_INFINITY : listingCost([...tools, tool], count);
    if (together > SEARCH_LIMITS.listingTokensMax) {
      left.push(tool.name);
      continue;
    }
    tools.push(tool);
    tokens = together;
  }
  return { tools, left };
}
