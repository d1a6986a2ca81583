import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AskedTool, fittingAsked } from '../../gateway/catalogue/asked-tools.ts';
import { isTooDeep } from '../../gateway/catalogue/definition-depth.ts';
import { DEFINITION_LIMITS } from '../../gateway/catalogue/definition-limits.ts';
import { preparedTool, type RawTool } from '../../gateway/catalogue/tool-definition.ts';
import { takesObject } from '../../gateway/catalogue/well-formed.ts';
import { UP_LIMITS } from '../limits.ts';
import { spareHeap } from './sparing-heap.ts';

/** Digests and bounds the tools of a server over several turns of the event loop, so that storing them is cheap. */
export async function prepareTools(
  tools: readonly RawTool[],
  charsMax: number = DEFINITION_LIMITS.toolsCharsMax,
): Promise<void> {
  let began = performance.now();
  let chars = 0;
  for (const tool of tools) {
    // Tools that are nested too deeply, or do not fit, are left out of the list.
    if (!isTooDeep(tool) && chars <= charsMax) chars += preparedTool(tool).chars;
    if (chars > UP_LIMITS.spareHeapListChars) spareHeap();
    if (performance.now() - began < UP_LIMITS.prepareToolsMs) continue;
    await nextTurn();
    began = performance.now();
  }
}

/** The same for tools that only some clients see; returns those that fit. */
export async function preparedAsked(found: readonly AskedTool[]): Promise<readonly AskedTool[]> {
  await prepareTools(
    found.map(({ tool }) => tool),
    DEFINITION_LIMITS.askedToolsCharsMax,
  );
  return fittingAsked(found);
}

/** The tools that may be offered at all: not nested too deeply, and with an object as arguments. */
export function usableTools(tools: readonly RawTool[]): readonly RawTool[] {
  return tools.filter((tool) => !isTooDeep(tool) && takesObject(tool));
}

/** Whether the tools that every client is shown fill an offer, so that some are left out. Tools that do not fit are not prepared. */
export function fillOffer(tools: readonly RawTool[]): boolean {
  let chars = 0;
  return tools.some((tool) => {
    if (!isTooDeep(tool)) chars += preparedTool(tool).chars;
    return chars > DEFINITION_LIMITS.toolsCharsMax;
  });
}
