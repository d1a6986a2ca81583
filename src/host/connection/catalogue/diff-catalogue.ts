import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/json.ts';
import type { Catalogue, CatalogueChange, ListChange } from './catalogue.ts';

/** What changed between two catalogues; undefined if nothing did. */
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
