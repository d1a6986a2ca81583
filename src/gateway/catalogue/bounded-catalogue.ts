import { isTooDeep } from './definition-depth.ts';
import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import type { RawCatalogue } from './server-offer.ts';
import { preparedTool } from './tool-definition.ts';
import { expressionsOf } from './uri-template.ts';

/** How many items of each list of a server are not kept; lists that are kept whole are absent. */
export type LeftOut = Readonly<Partial<Record<keyof RawCatalogue, number>>>;

export interface BoundedCatalogue {
  readonly catalogue: RawCatalogue;
  readonly leftOut: LeftOut;
  /** What is left out because it nests too deep, by name. */
  readonly tooDeep: readonly string[];
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Holds the lists of a server to the limits. Whatever is kept is digested, stored, compared with the claims of other servers and
 * sent to clients, so the size of these lists decides what all of that costs.
 */
export function boundedCatalogue(listed: RawCatalogue): BoundedCatalogue {
  const tooDeep = new Set<unknown>(KINDS.flatMap((kind) => (listed[kind] as readonly Item[]).filter(isTooDeep)));
  const shallow = <T>(items: readonly T[]) => (tooDeep.size === 0 ? items : items.filter((item) => !tooDeep.has(item)));
  const catalogue: RawCatalogue = {
    tools: fitting(shallow(listed.tools), LIMITS.toolsCharsMax, (tool) => preparedTool(tool).chars),
    resources: fitting(shallow(listed.resources), LIMITS.resourcesCharsMax, itemChars),
    resourceTemplates: fitting(usableTemplates(shallow(listed.resourceTemplates)), LIMITS.templatesCharsMax, itemChars),
    prompts: fitting(shallow(listed.prompts), LIMITS.promptsCharsMax, itemChars),
  };
  const cut = KINDS.filter((kind) => catalogue[kind].length < listed[kind].length);
  const leftOut = Object.fromEntries(cut.map((kind) => [kind, listed[kind].length - catalogue[kind].length]));
  return { catalogue, leftOut, tooDeep: [...tooDeep].map((item) => nameOf(item as Item)) };
}

const KINDS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;

function nameOf({ name, uri, uriTemplate }: Item): string {
  return String(name ?? uri ?? uriTemplate).slice(0, LIMITS.nameCharsMax);
}

/** The first templates that are within the limits of each and of all. */
function usableTemplates(templates: readonly Item[]): readonly Item[] {
  const usable = templates.filter(({ uriTemplate }) => expressionsOf(uriTemplate) !== undefined);
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

/** Names of definitions that are said one by one. */
export const TOLD_MAX = 5;

/** What of a server's lists is left out, and why, as one sentence; undefined where nothing is. */
export function leftOutText(leftOut: LeftOut, tooDeep: readonly string[]): string | undefined {
  const counts = KINDS.flatMap((kind) => (leftOut[kind] ? [`${leftOut[kind]} ${kind}`] : []));
  if (counts.length === 0) return undefined;
  const more = tooDeep.length > TOLD_MAX ? ' and others' : '';
  const deep = `nested deeper than ${LIMITS.levelsMax} levels: ${tooDeep.slice(0, TOLD_MAX).join(', ')}${more}`;
  return `left out: ${counts.join(', ')} (${tooDeep.length > 0 ? deep : 'the lists are too large'})`;
}
