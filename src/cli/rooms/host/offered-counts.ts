import { boundedCatalogue, boundedText, TOLD_MAX } from '../../../gateway/catalogue/bounded-catalogue.ts';
import { chosenTools, type ToolFilter } from '../../../host/config/chosen-tools.ts';
import type { Catalogue } from '../../../host/connection/catalogue/catalogue.ts';
import type { Probe } from '../../../host/operations/deps.ts';

/** How many of a server's tools a gateway offers, and why not the others. */
export function offeredCounts(
  listed: Catalogue,
  filter: ToolFilter,
): Pick<Probe, 'tools' | 'toolsLeftOut' | 'leftOutReason'> {
  const { catalogue, ...report } = boundedCatalogue(listed as never);
  const chosen = chosenTools(catalogue.tools, filter).length;
  const filtered = catalogue.tools.length - chosen;
  const bounded = { ...report, leftOut: { tools: report.leftOut.tools ?? 0 }, repaired: [] };
  const reasons = [
    ...(filtered > 0 ? [`${filtered} by include_tools or exclude_tools`] : []),
    ...listed.dropped.slice(0, TOLD_MAX).map(({ name, reason }) => `${name || 'a tool'}: ${reason}`),
    ...(bounded.leftOut.tools > 0 ? [boundedText(bounded)?.replace(/^left out: [^(]*\((.*)\)$/, '$1') ?? ''] : []),
  ];
  return {
    tools: chosen,
    toolsLeftOut: listed.tools.length + listed.dropped.length - chosen,
    leftOutReason: reasons.length > 0 ? reasons.join('; ') : undefined,
  };
}
