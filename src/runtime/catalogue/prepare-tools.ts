import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTooDeep } from '../../gateway/catalogue/definition-depth.ts';
import { preparedTool, type RawTool } from '../../gateway/catalogue/tool-definition.ts';
import { UP_LIMITS } from '../limits.ts';

/** Digests and bounds the tools of a server over several turns of the event loop, so that storing them is cheap. */
export async function prepareTools(tools: readonly RawTool[]): Promise<void> {
  let began = performance.now();
  for (const tool of tools) {
    // Tools that are nested too deeply are left out of the list.
    if (!isTooDeep(tool)) preparedTool(tool);
    if (performance.now() - began < UP_LIMITS.prepareToolsMs) continue;
    await nextTurn();
    began = performance.now();
  }
}
