import type { JsonObject } from '../../contract/json.ts';
import { isTooDeep } from './definition-depth.ts';
import { DEFINITION_LIMITS as LIMITS } from './definition-limits.ts';
import type { RawCatalogue } from './server-offer.ts';
import { preparedTool } from './tool-definition.ts';
import { expressionsOf } from './uri-template.ts';
import { takesObject, wellFormedPrompt, wellFormedResource, wellFormedTemplate } from './well-formed.ts';

/** How many items of each list are dropped; complete lists are absent. */
export type LeftOut = Readonly<Partial<Record<keyof RawCatalogue, number>>>;

export interface BoundedCatalogue {
  readonly catalogue: RawCatalogue;
  readonly leftOut: LeftOut;
  /** Names of items that are dropped because they are nested too deeply. */
  readonly tooDeep: readonly string[];
  /** Names of tools that are dropped because their arguments are not an object. */
  readonly unusable: readonly string[];
  /** Names of items that are kept in a repaired form. */
  readonly repaired: readonly string[];
}

/** What was dropped from a catalogue, and what was repaired. */
export type BoundedReport = Omit<BoundedCatalogue, 'catalogue'>;

/**
 * Limits the lists of a server, and repairs their items to the form that clients accept. Everything that is kept is digested, stored,
 * compared with the claims of other servers and sent to clients, so these limits bound the cost of all that.
 */
export function boundedCatalogue(listed: RawCatalogue): BoundedCatalogue {
  const tooDeep = new Set<unknown>(KINDS.flatMap((kind) => (listed[kind] as readonly JsonObject[]).filter(isTooDeep)));
  const shallow = <T>(items: readonly T[]) => (tooDeep.size === 0 ? items : items.filter((item) => !tooDeep.has(item)));
  const repaired: JsonObject[] = [];
  const formed = (items: readonly JsonObject[], form: (item: JsonObject) => JsonObject) =>
    shallow(items).map((item) => {
      const kept = form(item);
      if (kept !== item) repaired.push(item);
      return kept;
    });
  const unusable = shallow(listed.tools).filter((tool) => !takesObject(tool));
  const usable = unusable.length === 0 ? shallow(listed.tools) : shallow(listed.tools).filter(takesObject);
  const templates = usableTemplates(formed(listed.resourceTemplates, wellFormedTemplate));
  const catalogue: RawCatalogue = {
    tools: fitting(usable, LIMITS.toolsCharsMax, (tool) => preparedTool(tool).chars),
    resources: fitting(formed(listed.resources, wellFormedResource), LIMITS.resourcesCharsMax, itemChars),
    resourceTemplates: fitting(templates, LIMITS.templatesCharsMax, itemChars),
    prompts: fitting(formed(listed.prompts, wellFormedPrompt), LIMITS.promptsCharsMax, itemChars),
  };
  repaired.unshift(...catalogue.tools.filter((tool) => preparedTool(tool).flags.includes('repaired')));
  const cut = KINDS.filter((kind) => catalogue[kind].length < listed[kind].length);
  const leftOut = Object.fromEntries(cut.map((kind) => [kind, listed[kind].length - catalogue[kind].length]));
  return {
    catalogue,
    leftOut,
    tooDeep: [...tooDeep].map((item) => nameOf(item as JsonObject)),
    unusable: unusable.map(nameOf),
    repaired: repaired.map(nameOf),
  };
}

const KINDS = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;

function nameOf({ name, uri, uriTemplate }: JsonObject): string {
  return String(name ?? uri ?? uriTemplate).slice(0, LIMITS.nameCharsMax);
}

/** The first templates within the limits of each template and of all together. */
function usableTemplates(templates: readonly JsonObject[]): readonly JsonObject[] {
  const usable = templates.filter(({ uriTemplate }) => expressionsOf(uriTemplate) !== undefined);
  const first = usable.slice(0, LIMITS.templatesMax);
  return fitting(first, LIMITS.templateExpressionsInAllMax, ({ uriTemplate }) => expressionsOf(uriTemplate) ?? 0);
}

/** The first items that fit the limit together; the rest is not measured. */
function fitting<T extends JsonObject>(
  items: readonly T[],
  sizeMax: number,
  sizeOf: (item: T) => number,
): readonly T[] {
  let size = 0;
  const end = items.findIndex((item) => {
    size += sizeOf(item);
    return size > sizeMax;
  });
  return end < 0 ? items : items.slice(0, end);
}

function itemChars(item: JsonObject): number {
  return JSON.stringify(item).length;
}

/** How many definitions are listed by name. */
export const TOLD_MAX = 5;

/** One sentence on what was dropped or repaired, and why; undefined if nothing was. */
export function boundedText({ leftOut, tooDeep, unusable, repaired }: BoundedReport): string | undefined {
  const counts = KINDS.flatMap((kind) => (leftOut[kind] ? [`${leftOut[kind]} ${kind}`] : []));
  const reasons = [
    ...(tooDeep.length > 0 ? [`nested deeper than ${LIMITS.levelsMax} levels: ${toldNames(tooDeep)}`] : []),
    ...(unusable.length > 0 ? [`the input schema is not of an object: ${toldNames(unusable)}`] : []),
  ];
  const why = reasons.length > 0 ? reasons.join('; ') : 'the lists are too large';
  const parts = [
    ...(counts.length > 0 ? [`left out: ${counts.join(', ')} (${why})`] : []),
    ...(repaired.length > 0 ? [`malformed and repaired: ${toldNames(repaired)}`] : []),
  ];
  return parts.length > 0 ? parts.join('; ') : undefined;
}

function toldNames(names: readonly string[]): string {
  return `${names.slice(0, TOLD_MAX).join(', ')}${names.length > TOLD_MAX ? ' and others' : ''}`;
}
