import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { SubscriptionFilter } from '../../../wire/upstream.ts';

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
