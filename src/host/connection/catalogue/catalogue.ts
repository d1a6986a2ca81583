import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { SubscriptionFilter } from '../../../wire/upstream.ts';
import { CONNECTION_LIMITS as LIMITS } from '../limits.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: JsonObject;
  readonly [member: string]: unknown;
}

/** A server's tools, prompts, resources and templates, from every page of each list. Definitions are as the server sent them: untrusted. */
export interface Catalogue {
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Tools left out, with the reason (an invalid `x-mcp-header`). */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
  /** 2026 only: who may share the answer, and until when it is fresh (milliseconds since 1970). */
  readonly scope: 'public' | 'private';
  readonly freshUntil: number | undefined;
}

export const EMPTY_CATALOGUE: Catalogue = {
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  dropped: [],
  scope: 'private',
  freshUntil: undefined,
};

/** The difference between two catalogues, by name or URI. */
export interface CatalogueChange {
  readonly tools: ListChange;
  readonly resources: ListChange;
  readonly resourceTemplates: ListChange;
  readonly prompts: ListChange;
}

export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Compares two catalogues; undefined if they are equal. */
export function diffCatalogue(before: Catalogue, after: Catalogue): CatalogueChange | undefined {
  const change: CatalogueChange = {
    tools: diffList(before.tools, after.tools, 'name'),
    resources: diffList(before.resources, after.resources, 'uri'),
    resourceTemplates: diffList(before.resourceTemplates, after.resourceTemplates, 'uriTemplate'),
    prompts: diffList(before.prompts, after.prompts, 'name'),
  };
  return Object.values(change).some(isChange) ? change : undefined;
}

function diffList(before: readonly JsonObject[], after: readonly JsonObject[], key: string): ListChange {
  const old = new Map(before.map((item) => [String(item[key]), item]));
  const fresh = new Map(after.map((item) => [String(item[key]), item]));
  return {
    added: [...fresh.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !fresh.has(name)),
    changed: [...fresh.keys()].filter((name) => old.has(name) && !isDeepStrictEqual(old.get(name), fresh.get(name))),
  };
}

function isChange(list: ListChange): boolean {
  return list.added.length + list.removed.length + list.changed.length > 0;
}

/** How long the lists of a server rest after a change: storing, comparing and indexing definitions costs time by their length. */
export function restMsAfter(
  change: CatalogueChange,
  { tools, resources, resourceTemplates, prompts }: Catalogue,
): number {
  const chars =
    changedChars(change.tools, tools, 'name') +
    changedChars(change.resources, resources, 'uri') +
    changedChars(change.resourceTemplates, resourceTemplates, 'uriTemplate') +
    changedChars(change.prompts, prompts, 'name');
  return Math.min(LIMITS.listChangedRestMsMax, (chars / 1_000_000) * LIMITS.listChangedRestMs);
}

function changedChars({ added, changed }: ListChange, items: readonly JsonObject[], key: string): number {
  const fresh = new Set([...added, ...changed]);
  let chars = 0;
  for (const item of items) if (fresh.has(String(item[key]))) chars += JSON.stringify(item).length;
  return chars;
}

/** Selects the list changes that the server's capabilities announce. */
export function listChangedFilter(capabilities: JsonObject): SubscriptionFilter {
  const tells = (capability: string) => {
    const declared = capabilities[capability];
    return isObject(declared) && declared.listChanged === true;
  };
  return {
    ...(tells('tools') ? { toolsListChanged: true } : {}),
    ...(tells('prompts') ? { promptsListChanged: true } : {}),
    ...(tells('resources') ? { resourcesListChanged: true } : {}),
  };
}
