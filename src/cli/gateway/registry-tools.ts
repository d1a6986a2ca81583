import type { z } from 'zod';
import { definitionDiff } from '../../gateway/catalogue/definition-diff.ts';
import { publicCatalogue, type ToolEntry } from '../../gateway/catalogue/public-catalogue.ts';
import type { ServerOffer } from '../../gateway/catalogue/server-offer.ts';
import type { ToolChange } from '../../gateway/operations/deps.ts';
import type { ToolItem } from '../../gateway/operations/items.ts';
import { changeKey } from '../../gateway/operations/tool-operations.ts';
import { judge, type PolicyLayer } from '../../gateway/policy/decide.ts';
import { countTokens } from '../../gateway/search/tokens.ts';
import type { AcceptedDefinitions } from '../../store/registry/accepted-definitions.ts';
import type { RegistryStore } from '../../store/registry/registry-store.ts';

/** The tools of these offers as people see them, denied ones included. */
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
      resolvePath: (path) => path,
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
      read_only: definition.annotations?.readOnlyHint === true,
      approval_required: decision === 'approval',
      tokens: tokensOf(entry.json),
      definition_sha256: sha256,
      status,
      flags: [...flags],
      decision: { decision, rule },
    };
  });
}

/** What a profile has of these offers. */
export function offersOf(
  offers: readonly ServerOffer[],
  { servers }: { readonly servers?: readonly string[] },
): readonly ServerOffer[] {
  return servers === undefined ? offers : offers.filter(({ server }) => servers.includes(server));
}

/** Accepts a definition for everyone who is offered it, the definition itself included, so that the next change can be shown. */
export function acceptForAll(
  registry: RegistryStore,
  definitions: AcceptedDefinitions,
  { server, tool, sha256 }: { readonly server: string; readonly tool: string; readonly sha256: string },
): boolean {
  if (!registry.acceptDefinition(server, tool, sha256)) return false;
  const shared = registry.offers().get(server);
  for (const offer of [...(shared ? [shared] : []), ...registry.allPrivateOffers()]) {
    const accepted = offer.tools.find((item) => item.definition.name === tool && item.sha256 === sha256);
    if (offer.server === server && accepted) definitions.accept(server, accepted, offer.owner);
  }
  return true;
}

/** The definitions that wait for a person's word, each with what changed. */
export function toolChanges(offers: readonly ServerOffer[], definitions: AcceptedDefinitions): ToolChange[] {
  const { tools } = publicCatalogue(offers, 'qualified');
  const nameOf = new Map([...tools.values()].map(({ server, tool, name }) => [`${server}\n${tool}`, name]));
  return offers
    .flatMap((offer) => definitions.changes(offer))
    .map(({ server, tool, owner, accepted, current }) => ({
      name: nameOf.get(`${server}\n${tool}`) ?? tool,
      server,
      original_name: tool,
      user: owner ?? null,
      definition_sha256: current.sha256,
      accepted_sha256: accepted.sha256,
      diff: definitionDiff(accepted.definition, current.definition),
    }))
    .sort((a, b) => Buffer.compare(Buffer.from(changeKey(a)), Buffer.from(changeKey(b))));
}
