import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import { type Catalogue, EMPTY_CATALOGUE, type ToolDefinition } from '../../host/connection/catalogue/catalogue.ts';

/** What servers offered when they were last seen: they need not be connected before somebody uses them. */
export function restingCatalogues(offers: readonly ServerOffer[]): ReadonlyMap<string, Catalogue> {
  return new Map(
    offers.map(({ server, tools, resources, resourceTemplates, prompts }) => {
      const definitions = tools.map(({ definition }) => definition as ToolDefinition);
      return [server, { ...EMPTY_CATALOGUE, tools: definitions, resources, resourceTemplates, prompts }];
    }),
  );
}
