import type { SeenDefinition } from '../../gateway/operations/deps.ts';
import type { AcceptedDefinitions } from './accepted-definitions.ts';
import type { RegistryStore } from './registry-store.ts';

/**
 * Accepts definitions of a server for everyone who is offered them, so that they are used and the next change can be shown. False,
 * and nothing is accepted, where one of them is not what is offered now.
 */
export function acceptForAll(
  registry: RegistryStore,
  definitions: AcceptedDefinitions,
  server: string,
  seen: readonly SeenDefinition[],
): boolean {
  return registry.together(() => {
    const shared = registry.offer(server);
    const own = registry.allPrivateOffers().filter((offer) => offer.server === server);
    const offers = [...(shared ? [shared] : []), ...own];
    const isOffered = ({ tool, sha256 }: SeenDefinition) =>
      offers.some((offer) => definitions.isCurrent(offer, tool, sha256));
    if (!seen.every(isOffered)) return false;
    for (const { tool, sha256 } of seen) {
      for (const offer of offers) definitions.accept(offer, tool, sha256);
      registry.activate(server, tool, sha256);
    }
    return true;
  });
}
