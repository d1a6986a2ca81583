import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import type { RawCatalogue } from './server-offer.ts';
import { preparedTool } from './tool-definition.ts';
import { expressionsOf } from './uri-template.ts';

/** How many items of each list of a server are not kept; lists that are kept whole are absent. */
export type LeftOut = Readonly<Partial<Record<keyof RawCatalogue, number>>>;

export interface BoundedCatalogue {
  readonly catalogue: RawCatalogue;
  readonly leftOut: LeftOut;
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Holds the lists of a server to the limits. Whatever is kept is digested, stored, compared with the claims of other servers and
 * sent to clients, so the size of these lists decides what all of that costs.
 */
export function boundedCatalogue(listed: RawCatalogue): BoundedCatalogue {
  const catalogue: RawCatalogue = {
    tools: fitting(listed.tools, LIMITS.toolsCharsMax, (tool) => preparedTool(tool).chars),
    resources: fitting(listed.resources, LIMITS.resourcesCharsMax, itemChars),
    resourceTemplates: fitting(usableTemplates(listed), LIMITS.templatesCharsMax, itemChars),
    prompts: fitting(listed.prompts, LIMITS.promptsCharsMax, itemChars),
  };
  const kinds = Object.keys(catalogue) as (keyof RawCatalogue)[];
  const cut = kinds.filter((kind) => catalogue[kind].length < listed[kind].length);
  const leftOut = Object.fromEntries(cut.map((kind) => [kind, listed[kind].length - catalogue[kind].length]));
  return { catalogue, leftOut };
}

/** The first templates that are within the limits of each and of all. */
function usableTemplates({ resourceTemplates }: RawCatalogue): readonly Item[] {
  const usable = resourceTemplates.filter(({ uriTemplate }) => expressionsOf(uriTemplate) !== undefined);
  const first = usable.slice(0, LIMITS.templatesMax);
  return fitting(first, LIMITS.templateExpressionsInAllMax, ({ uriTemplate }) => expressionsOf(uriTemplate) ?? 0);
}

/** The first items that fit together. What stands behind them is not measured. */
function fitting<T extends Item>(items: readonly T[], sizeMax: number, sizeOf: (item: T) => number): readonly T[] {
  let size = 0;
  const end = items.findIndex((item) => {
    size += sizeOf(item);
    return size > sizeMax;
  });
  return end < 0 ? items : items.slice(0, end);
}

function itemChars(item: Item): number {
  return JSON.stringify(item).length;
}
