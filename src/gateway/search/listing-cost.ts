import { SEARCH_LIMITS } from './limits.ts';
import { CALL_TOOL, FIND_TOOLS, type ListedTool } from './tool-definitions.ts';
import type { CountTokens } from './words/tokens.ts';

export type Exposure = 'auto' | 'search' | 'all';

/** The tokens of a listing, as JSON. */
export function listingCost(tools: readonly ListedTool[], count: CountTokens): number {
  return count(JSON.stringify(tools));
}

/** The tokens of a profile's tools, and of the listing with each exposure. */
export interface ListingCosts {
  readonly budgetTokens: number;
  readonly all: { readonly tools: number; readonly tokens: number };
  readonly search: { readonly tools: number; readonly tokens: number };
  /** What `auto` shows to a new client. */
  readonly auto: 'search' | 'all';
  /** The profile's setting. */
  readonly exposure: Exposure;
  /** In byte order of the public name. */
  readonly tools: readonly { readonly name: string; readonly server: string; readonly tokens: number }[];
}

export interface ExposureInput {
  readonly exposure: Exposure;
  /** Tokens of the listing of all tools in the stored catalogue, connected or not. */
  readonly listingTokens: number;
  readonly budgetTokens: number;
  /** What this session saw before: it never returns from `search` to `all`. */
  readonly before?: 'search' | 'all' | undefined;
}

/** Whether a client sees all tools, or only the search. */
export function decideExposure({ exposure, listingTokens, budgetTokens, before }: ExposureInput): 'search' | 'all' {
  if (exposure !== 'auto') return exposure;
  return before === 'search' || listingTokens > budgetTokens ? 'search' : 'all';
}

export interface SearchListing {
  readonly tools: readonly ListedTool[];
  /** Pinned tools that did not fit, in configured order. */
  readonly left: readonly string[];
}

/** Tokens that joining two texts may save. */
const JOINT_TOKENS = 4;

/** The listing with exposure `search`: the two search tools, and the pinned tools that fit, in order. */
export function searchListing(pinned: readonly ListedTool[], count: CountTokens): SearchListing {
  const tools: ListedTool[] = [FIND_TOOLS, CALL_TOOL];
  const left: string[] = [];
  if (pinned.length === 0) return { tools, left };
  let tokens = listingCost(tools, count);
  for (const tool of pinned) {
    // A cheap check of the tool alone excludes most that cannot fit.
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
