import type { z } from 'zod';
import { publicCatalogue, type ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import { readsOnly, type ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { ToolItem } from '../../gateway/operations/items.ts';
import { judge, type PolicyLayer } from '../../gateway/policy/decide.ts';
import { countTokens } from '../../gateway/search/words/tokens.ts';

/** The tools of these offers as people see them, including denied ones. */
export function toolItems(
  offers: readonly ServerOffer[],
  layers: readonly PolicyLayer[],
  tokensOf: (json: string) => number = countTokens,
): z.output<typeof ToolItem>[] {
  const { tools } = publicCatalogue(offers, 'qualified');
  return [...tools.values()].map((entry: ToolEntry) => {
    const { definition, sha256, status, flags } = entry.offered;
    const { decision, rule } = judge(layers, {
      server: entry.server,
      tool: entry.tool,
      now: undefined,
      readOnly: readsOnly(entry.offered),
    }).decision;
    return {
      name: entry.name,
      server: entry.server,
      original_name: entry.tool,
      title: definition.title ?? null,
      description: definition.description ?? null,
      input_schema: definition.inputSchema ?? null,
      output_schema: definition.outputSchema ?? null,
      annotations: (definition.annotations as Record<string, unknown> | undefined) ?? null,
      read_only: readsOnly(entry.offered),
      approval_required: decision === 'approval',
      tokens: tokensOf(entry.json),
      definition_sha256: sha256,
      status,
      flags: [...flags],
      decision: { decision, rule },
    };
  });
}

/** The offers that a profile includes. */
export function offersOf(
  offers: readonly ServerOffer[],
  { servers }: { readonly servers?: readonly string[] },
): readonly ServerOffer[] {
  return servers === undefined ? offers : offers.filter(({ server }) => servers.includes(server));
}
